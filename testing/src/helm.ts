import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
export const chart = join(root, 'deploy/helm/tenant-open-platform');

let folder: string | undefined;

/** Builds Helm at its first use: minutes on a machine that has not built it before. */
function program(name: 'helm' | 'kubernetes-types'): string {
  folder ??= execFileSync(process.execPath, [join(root, 'scripts/bring-helm.mjs')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  return join(folder, name);
}

/** Values are JSON, which is YAML too. An error has what Helm printed. */
export const helm = (parameters: string[], values?: object, cwd = root): string =>
  execFileSync(program('helm'), [...parameters, ...(values ? ['--values', '-'] : [])], {
    encoding: 'utf8',
    cwd,
    input: JSON.stringify(values ?? {}),
    stdio: 'pipe',
  });

export const renderChart = (values: object): string =>
  helm(['template', 'top', chart, '--namespace', 'top', '--kube-version', '1.29.0'], values);

/** Decodes manifests into the types of Kubernetes. Returns the kind and the name of each, or throws what is wrong. */
export const decodeStrictly = (manifests: string): string[] =>
  execFileSync(program('kubernetes-types'), { encoding: 'utf8', input: manifests, stdio: 'pipe' }).trim().split('\n');

export const objectsIn = <Manifest>(manifests: string): Manifest[] =>
  parseAllDocuments(manifests)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
