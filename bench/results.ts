import { existsSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { commitOfThisBuild } from './builds.js';
import { cpuMsOf, machineCpuMs } from './process-figures.js';

/** One measurement: value by measure. The name of a measure includes its unit. */
export type Run = Record<string, number>;

/** The contenders, each with its runs. The last one is the subject; ratios compare it with every other. */
export type Measured = Record<string, Run[]>;

export type Section = { part: string; about: string; hasRatios?: boolean; measured: Measured; loadBefore: number };

/** The type of a file system in memory, from linux/magic.h. */
const TMPFS = 0x01021994;

const file = fileURLToPath(new URL('results.md', import.meta.url));

const INTRODUCTION = `# Results

\`pnpm bench\` writes this file, and \`pnpm bench <part>\` the section of that part. Medians, with minimum and maximum if there are several runs. A ratio is the median of the ratios of consecutive runs. Load generator, platform, Postgres and NATS share the machine's cores. If other programs used some of the cores, the first row of a table shows how many: its numbers are then unreliable.
`;

export const OTHERS = 'cores taken by others';

/** The contenders take turns, so that a slow minute of the machine affects all of them. */
export async function alternate(contenders: Record<string, () => Promise<Run>>, pairs: number): Promise<Measured> {
  const measured: Measured = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let pair = 1; pair <= pairs; pair++) {
    for (const [name, measure] of Object.entries(contenders)) {
      console.error(`  run ${pair} of ${pairs}: ${name}`);
      measured[name]?.push(await withForeignLoad(measure));
    }
  }
  return measured;
}

/** Adds how many cores other programs used: every measured process descends from this one. */
async function withForeignLoad(measure: () => Promise<Run>): Promise<Run> {
  const foreignMs = () => machineCpuMs() - cpuMsOf(process.pid);
  const [startedAt, before] = [performance.now(), foreignMs()];
  const run = await measure();
  return { [OTHERS]: (foreignMs() - before) / (performance.now() - startedAt), ...run };
}

/** Subject divided by reference, run by run; empty if one of them lacks the measure. */
export function ratios(measured: Measured, measure: string, reference: string): number[] {
  const subject = Object.values(measured).at(-1) ?? [];
  return subject
    .map((run, index) => (run[measure] ?? Number.NaN) / (measured[reference]?.[index]?.[measure] ?? Number.NaN))
    .filter(Number.isFinite);
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

export function render({ part, about, hasRatios = true, measured, loadBefore }: Section): string {
  const names = Object.keys(measured);
  const references = hasRatios ? names.slice(0, -1) : [];
  const measures = [...new Set(Object.values(measured).flatMap((runs) => runs.flatMap((run) => Object.keys(run))))];
  const head = ['', ...names, ...references.map((reference) => `${names.at(-1)} / ${reference}`)];
  const rows = measures.map((measure) => [
    measure,
    ...names.map((name) => cell((measured[name] ?? []).map((run) => run[measure] ?? Number.NaN))),
    ...references.map((reference) => (measure === OTHERS ? '' : cell(ratios(measured, measure, reference)))),
  ]);
  const table = [head, ['---', ...head.slice(1).map(() => '---:')], ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `## ${part}

${about}

${circumstances(measured, loadBefore)}

${table.join('\n')}
`;
}

function circumstances(measured: Measured, loadBefore: number): string {
  const runs = Math.max(...Object.values(measured).map(({ length }) => length));
  const load = `${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`;
  const day = new Date().toISOString().slice(0, 10);
  const disk = statfsSync(tmpdir()).type === TMPFS ? ' Databases in memory (tmpfs).' : '';
  return `${day}, commit ${commitOfThisBuild()}, ${runs} ${runs === 1 ? 'run' : 'runs'} each, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}. One-minute load: ${load}.${disk}`;
}

function cell(values: number[]): string {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return '';
  const range = known.length > 1 ? ` (${written(Math.min(...known))} to ${written(Math.max(...known))})` : '';
  return written(median(known)) + range;
}

const written = (value: number): string =>
  Math.abs(value) >= 100
    ? String(Math.round(value))
    : String(Number(value.toPrecision(2 + (Math.abs(value) >= 10 ? 1 : 0))));

/** Replaces the earlier section of the same part. */
export function writeSection(section: Section): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const sections = text.split(/^(?=## )/m).slice(1);
  const place = sections.findIndex((each) => each.startsWith(`## ${section.part}\n`));
  sections.splice(place < 0 ? sections.length : place, place < 0 ? 0 : 1, render(section));
  writeFileSync(file, `${[INTRODUCTION, ...sections].map((each) => each.trim()).join('\n\n')}\n`);
}
