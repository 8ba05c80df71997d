import { fileURLToPath } from 'node:url';
import { prepareAtRate } from '../generator/paced.js';
import type { Platform } from '../platform.js';
import type { Run } from '../results.js';
import { withCarryingPlatform } from './carrying-platform.js';
import { measureBuilds, type Part } from './part.js';

const RATE = 500;
const SAMPLE_MS = 1_000;
/** The node collects its garbage twice in this many samples; the minimum is the retained memory. */
const SAMPLES_A_POINT = 10;
const MIB = 1024 * 1024;

/** Signatures are valid for 300 seconds. */
const SLICE_SECONDS = 60;

const preload = fileURLToPath(new URL('../collect-garbage.mjs', import.meta.url));

type Sample = { atMs: number; heapMiB: number };

export const memory: Part = {
  about: `The first node of steady-state at ${RATE} commands/s, for 10 times as long as a load of steady-state: 10 minutes in the full form. The node collects all garbage every 5 s, so the heap shows what is retained; steady-state shows the resident memory of a node that does not. The slope is by least squares through the minimum of every ${SAMPLES_A_POINT} samples, one a second, of the last four fifths.`,
  measure: (form) =>
    measureBuilds(form, (build) =>
      withCarryingPlatform(
        build,
        { ...form, environment: { ...form.environment, NODE_OPTIONS: `--import ${preload}` } },
        (platform) => measureMemory(platform, 10 * form.seconds),
      ),
    ),
};

async function measureMemory(platform: Platform, seconds: number): Promise<Run> {
  const samples: Sample[] = [];
  const sampling = setInterval(() => void takeSample(platform).then((sample) => samples.push(sample)), SAMPLE_MS);
  for (let sent = 0; sent < seconds; sent += SLICE_SECONDS) {
    await prepareAtRate({ ...platform, profile: platform.demo, seconds: SLICE_SECONDS }, RATE)();
  }
  clearInterval(sampling);
  const settled = samples.slice(samples.length / 5);
  return {
    'retained heap at the end MiB': Math.min(...settled.slice(-SAMPLES_A_POINT).map(({ heapMiB }) => heapMiB)),
    'retained heap, slope MiB/min': slope(settled),
  };
}

async function takeSample({ baseUrl }: Platform): Promise<Sample> {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  const heap = Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]);
  return { atMs: performance.now(), heapMiB: heap / MIB };
}

/** The growth per minute. */
function slope(samples: Sample[]): number {
  const points: { x: number; y: number }[] = [];
  for (let from = 0; from + SAMPLES_A_POINT <= samples.length; from += SAMPLES_A_POINT) {
    const group = samples.slice(from, from + SAMPLES_A_POINT);
    points.push({ x: (group[0]?.atMs ?? 0) / 60_000, y: Math.min(...group.map(({ heapMiB }) => heapMiB)) });
  }
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const covariance = mean(points.map((point) => (point.x - x) * (point.y - y)));
  return covariance / mean(points.map((point) => (point.x - x) ** 2));
}
