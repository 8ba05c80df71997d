import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

type Job = { permissions?: Record<string, string>; environment?: string; steps: { run?: string; uses?: string }[] };
type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> };

const workflowOf = (file: string): Workflow => parse(readFileSync(`${folder}${file}`, 'utf8'));
const release = Object.entries(workflowOf('release.yml').jobs);
const runs = (job: Job, pattern: RegExp) => job.steps.some(({ run = '' }) => pattern.test(run));
const namesOf = (holds: (job: Job) => boolean) => release.flatMap(([name, job]) => (holds(job) ? [name] : []));

test('every action of a workflow is named by the hash of its commit', () => {
  const used = readdirSync(folder).flatMap((file) =>
    Object.values(workflowOf(file).jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? [])),
  );
  expect(used.length).toBeGreaterThan(5);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

test('a release is tested without any right but to read', () => {
  expect(workflowOf('release.yml').permissions).toEqual({});
  expect(namesOf((job) => runs(job, /\.ci\/run/))).toEqual(['test']);
  expect(Object.fromEntries(release).test?.permissions).toEqual({ contents: 'read' });
});

test('the job that publishes to npm has no clone, and installs and runs no package', () => {
  expect(namesOf(({ environment }) => environment !== undefined)).toEqual(['publish']);
  expect(namesOf((job) => JSON.stringify(job).includes('NPM_TOKEN'))).toEqual(['publish']);
  const publish = Object.fromEntries(release).publish as Job;
  expect(publish.steps.map(({ uses }) => uses?.split('@')[0])).toEqual(['actions/download-artifact', undefined]);
  expect(runs(publish, /\b(pnpm|npx|npm (install|ci|exec|run))\b/)).toBe(false);
});

test('only a job that runs no package of the workspace can sign for this workflow', () => {
  const signing = namesOf(({ permissions }) => permissions?.['id-token'] === 'write');
  expect(signing).toEqual(['publish', 'image-index']);
  expect(namesOf((job) => runs(job, /\bpnpm|scripts\//)).filter((name) => signing.includes(name))).toEqual([]);
});
