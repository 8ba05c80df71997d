import type { Context } from '../context.js';
import { colorsFor } from '../output/colors.js';
import { printable, toJson } from '../output/printable.js';
import type { View } from '../output/render.js';
import { widthOf, wrap } from '../output/text-width.js';
import { kinds } from './kinds.js';
import type { Plan, Step } from './plan.js';

/** A step as `-o json` prints it. */
export type StepRecord = {
  action: Step['action'];
  kind: string;
  name: string;
  place: string | null;
  changes: { field: string; from: unknown; to: unknown }[];
  remark: string | null;
  /** Whether it is carried out; null if there is nothing to do. */
  done: boolean | null;
};

export const view: View<StepRecord> = {
  id: ({ kind, name }) => `${kind} ${name}`,
  columns: ['action', 'kind', 'name', 'place'],
};

export const recordFields: readonly (keyof StepRecord)[] = [
  'action',
  'kind',
  'name',
  'place',
  'changes',
  'remark',
  'done',
];

export const isToDo = ({ action }: Step) => action !== 'NONE' && action !== 'KEEP';

export function recordOf(step: Step, done: boolean): StepRecord {
  const { action, thing, differences, place = null, remark = null } = step;
  const kind = kinds[thing.list].name;
  const changes = differences.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null }));
  const name = thing.label.slice(kind.length + 1);
  return { action, kind, name, place, changes, remark, done: isToDo(step) ? done : null };
}

const signs = { CREATE: '+', RECOVER: '+', CHANGE: '~', DISABLE: '-', KEEP: '=', NONE: '=' } as const;
const words = {
  CREATE: '',
  RECOVER: '  (exists; its secret is fetched)',
  CHANGE: '',
  DISABLE: '  (no file names it)',
  KEEP: '  (no file names it; it stays)',
  NONE: '',
} as const;

/** The plan for people: a line for each thing that is not left alone, and how many are. */
export function planText(context: Context, stream: Context['stdout'], { steps, notes }: Plan): string {
  const { green, yellow, red, dim } = colorsFor(context, stream);
  const colors = { '+': green, '~': yellow, '-': red, '=': dim };
  const width = stream.isTTY ? stream.columns || 80 : Number.POSITIVE_INFINITY;
  const indented = (text: string, indent: string) =>
    wrap(text, width - indent.length, { breakWords: true }).map((line) => indent + line);
  const lines = steps
    .filter(({ action }) => action !== 'NONE')
    .flatMap((step) => {
      const sign = signs[step.action];
      const { label } = step.thing;
      const what = `${sign} ${printable(label)}`;
      const more = `${words[step.action]}${step.place ? `  ${printable(step.place)}` : ''}`;
      return [
        ...(widthOf(what + more) <= width
          ? [colors[sign](what) + dim(more)]
          : [...indented(what, '').map(colors[sign]), ...indented(more.trim(), DEEP).map(dim)]),
        ...step.differences.flatMap(({ field, from, to }) =>
          indented(`${printable(field)}: ${shownValue(from)} → ${shownValue(to)}`, DEEP),
        ),
        ...(step.remark ? indented(printable(step.remark), DEEP) : []),
      ];
    });
  const remarks = [...notes.map((note) => `! ${printable(note)}`), summaryOf(steps)];
  return [...lines, ...remarks.flatMap((remark) => indented(remark, '')), ''].join('\n');
}

const DEEP = '    ';

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item)).join(', ')}]`;
  return value === undefined ? '(absent)' : toJson(value);
}

function summaryOf(steps: readonly Step[]): string {
  const count = (...actions: Step['action'][]) => steps.filter(({ action }) => actions.includes(action)).length;
  const alone = steps.filter(({ action }) => action === 'NONE');
  const names = [...new Set(alone.map(({ thing }) => kinds[thing.list].name))];
  const byKind = names.map((name) => {
    const number = alone.filter(({ thing }) => kinds[thing.list].name === name).length;
    return `${number} ${number === 1 ? name : pluralOf(name)}`;
  });
  const kept = count('KEEP');
  return [
    `Plan: ${count('CREATE', 'RECOVER')} to create, ${count('CHANGE')} to change, ${count('DISABLE')} to disable.`,
    ...(kept > 0 ? [`${kept} that no file names ${kept === 1 ? 'stays' : 'stay'}.`] : []),
    `Left alone: ${byKind.join(', ') || 'nothing'}.`,
  ].join(' ');
}

const pluralOf = (name: string) => (name === 'policy' ? 'policies' : `${name}s`);
