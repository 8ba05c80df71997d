import { fileURLToPath } from 'node:url';
import type { Build } from '../builds.js';
import { startNode } from '../node-process.js';
import { cpuMsOf } from '../process-figures.js';
import { alternate, type Measured, type Run } from '../results.js';

export type Form = {
  /** The measured builds: this working copy, after the build of `--against` if there is one. */
  builds: Build[];
  /** How often each contender is measured. */
  pairs: number;
  /** How long each load lasts, if the part does not define it. */
  seconds: number;
  /** Requests per second, if a part that sends at a rate does not derive it. */
  rate?: number;
  /** The number of commands in the filled database. */
  commands: number;
  /** The roles of the platform's nodes; the first node receives the requests. */
  roles: string[];
  /** Whether events are published: only a principal of type CLIENT reads them. */
  hasEventReader: boolean;
  /** Additional configuration of the platform. */
  environment: Record<string, string>;
};

/** `hasRatios`: false if the columns are different measures. */
export type Part = { about: string; hasRatios?: boolean; measure: (form: Form) => Promise<Measured> };

export const WARM_UP_SECONDS = 4;

/** Express, ts-rest and zod on the same operation, without authentication and database: it accepts any signature. */
export async function startYardstick() {
  const node = await startNode(fileURLToPath(new URL('../yardstick.mjs', import.meta.url)));
  const cpuMs = () => ({ yardstick: cpuMsOf(node.pid) });
  return { ...node, cpuMs, demo: { tenant_id: 'demo', client_id: 'demo', secret: 'none' } };
}

/** The builds in turn. */
export const measureBuilds = ({ builds, pairs }: Form, measure: (build: Build) => Promise<Run>): Promise<Measured> =>
  alternate(Object.fromEntries(builds.map((build) => [build.name, () => measure(build)])), pairs);
