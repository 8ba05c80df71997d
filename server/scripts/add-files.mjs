import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { writeNotices } from '../../scripts/bundled-packages.mjs';
import { bundledPackages, server } from './bundled-packages.mjs';

/**
 * Run by the build: puts into `dist` the pages that the server serves, the files that run it in production, and the
 * licences of everything bundled.
 */
const dist = join(server, 'dist');

for (const name of ['openapi.json', 'asyncapi.json', 'llms.txt']) {
  cpSync(join(server, '../contract', name), join(dist, 'documents', name));
}
cpSync(join(server, '../reference/dist'), join(dist, 'documents/pages'), { recursive: true });
for (const name of ['nats-accounts.sh', 'nginx.conf', 'systemd']) {
  cpSync(join(server, '../deploy', name), join(dist, 'deploy', name), { recursive: true });
}

writeNotices(server, bundledPackages());
