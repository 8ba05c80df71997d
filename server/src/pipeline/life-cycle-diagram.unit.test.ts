import { CommandUpdate } from '@tenant-open-platform/contract/bus';
import { expect, test } from 'vitest';
import { cancel, dispatch, expire, failUnsent, INITIAL, isTerminal, report, type State } from './transitions.js';

type Status = State['status'];
type Move = [by: string, value: string, move: (state: State) => State | null];

const { adapter_status, device_execution_status } = CommandUpdate.shape;
const moves: Move[] = [
  ['', 'the platform sends it', dispatch],
  ['', 'the caller cancels', cancel],
  ...device_execution_status
    .unwrap()
    .options.map((value): Move => ['device: ', value, (state) => report(state, { device_execution_status: value })]),
  ...adapter_status
    .unwrap()
    .options.map((value): Move => ['adapter: ', value, (state) => report(state, { adapter_status: value })]),
  ['', 'the time is over', expire],
  ['', 'too large for the bus', failUnsent],
];

type Causes = Record<string, string>;

/** Every change of `status` that can happen, with its causes. */
function changesOfStatus(): Map<Status, Map<Status, Causes>> {
  const changes = new Map<Status, Map<Status, Causes>>();
  const known = new Set<string>();
  const visit = (state: State) => {
    if (known.has(JSON.stringify(state))) return;
    known.add(JSON.stringify(state));
    for (const [by, value, move] of moves) {
      const next = move(state);
      if (!next) continue;
      if (next.status !== state.status) {
        const targets = changes.get(state.status) ?? new Map<Status, Causes>();
        const causes = targets.get(next.status) ?? {};
        const before = causes[by]?.split(', ') ?? [];
        causes[by] = [...new Set([...before, value])].join(', ');
        changes.set(state.status, targets.set(next.status, causes));
      }
      visit(next);
    }
  };
  visit(INITIAL);
  return changes;
}

const BOX = { width: 116, height: 34 };
const [LEFT, RIGHT, WIDTH, ROW] = [2, 452, 570, 62];

/** The open statuses are on the left, below each other; each final one is on the right, in line with its causes. */
function drawLifeCycle(): string {
  const changes = changesOfStatus();
  const places = new Map<Status, { x: number; y: number }>();
  let y = 10;
  for (const [from, targets] of changes) {
    places.set(from, { x: LEFT, y });
    for (const to of [...targets.keys()].filter((status) => isTerminal({ status }))) {
      places.set(to, { x: RIGHT, y });
      y += ROW;
    }
  }
  const boxes = [...places].map(
    ([status, { x, y }]) =>
      `<g class="${isTerminal({ status }) ? 'final' : 'open'}"><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/>` +
      `<text x="${x + BOX.width / 2}" y="${y + 22}">${status}</text></g>`,
  );
  const arrows = [...changes].flatMap(([from, targets]) =>
    [...targets].map(([to, causes]) => {
      const [a, b] = [places.get(from), places.get(to)];
      if (!a || !b) throw new Error(`${from} or ${to} has no place`);
      const lines = Object.entries(causes).map(([by, values]) => by + values);
      const [start, target] = [a.y + BOX.height / 2, b.y + BOX.height / 2];
      const isDown = a.x === b.x;
      const [x, top] = isDown ? [a.x + BOX.width / 2 + 8, b.y - 20] : [180, target - 5];
      const line = isDown
        ? `M${a.x + BOX.width / 2} ${a.y + BOX.height}V${b.y - 3}`
        : `M${a.x + BOX.width} ${start}L172 ${target}H${b.x - 3}`;
      const text = lines.map(
        (words, index) => `<tspan x="${x}" y="${top + index * 16 + (index && 4)}">${words}</tspan>`,
      );
      return `<path d="${line}"/><text class="label">${text.join('')}</text>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-label="Life cycle of a command">
<style>
text { font: 600 12.5px system-ui, sans-serif; fill: #1b1b1b; text-anchor: middle; }
.label { font-weight: 400; font-size: 12.5px; fill: #4d4d4d; text-anchor: start; }
rect { fill: #f6f6f6; stroke: #757575; }
.final rect { fill: #d5efec; stroke: #0f766e; }
path { fill: none; stroke: #757575; marker-end: url(#head); }
#head path { fill: #757575; stroke: none; marker-end: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #e7e7e7; }
  .label { fill: #b4b4b4; }
  rect { fill: #1a1a1a; }
  .final rect { fill: #10322f; stroke: #2dd4bf; }
}
</style>
<marker id="head" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8Z"/></marker>
${[...arrows, ...boxes].join('\n')}
</svg>
`;
}

/** `pnpm test:unit --update` redraws the picture. */
test('the picture in docs/commands.md shows every change of status', async () => {
  await expect(drawLifeCycle()).toMatchFileSnapshot('../../../docs/images/life-cycle.svg');
});
