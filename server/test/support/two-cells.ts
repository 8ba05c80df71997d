import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd, type Profile } from '@tenant-open-platform/testing';
import { type PostgresCell as Cell, startCell } from './cells.js';
import { newPrincipal } from './new-principal.js';
import { runMain } from './private-platform.js';
import { startNginxOfCells } from './start-nginx.js';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Two cells behind one address. */
export async function startTwoCells() {
  const [a, b] = await Promise.all([
    startCell({ TRUST_PROXY: '1', CELL: 'a' }),
    startCell({ TRUST_PROXY: '1', CELL: 'b' }),
  ]);
  const portOf = ({ baseUrl }: Cell) => Number(new URL(baseUrl).port);
  const nginx = await startNginxOfCells([portOf(a), portOf(b)]);
  atEnd(nginx.stop);
  const part = (name: string) =>
    `${process.execPath} ${main} cell-map --upstream cell_${name} --file ${join(nginx.folder, `${name}.map`)}`;
  return {
    a,
    b,
    nginx,
    /** For `move-tenant --switch`, from a to b. It has the environment of that command. */
    switchCommand: `${part('a')} && DATABASE_URL=$TO_DATABASE_URL ${part('b')} && kill -HUP $(cat ${join(nginx.folder, 'pid')})`,
    /** With a principal for an adapter. Returns a credential that calls at the one address. */
    async newTenant(cell: Cell, tenantId: string): Promise<Profile> {
      await cell.call('POST', 'platform/tenants', { tenant_id: tenantId, name: tenantId });
      await cell.call('POST', `platform/tenants/${tenantId}/bus/principals`, newPrincipal());
      const profile = await cell.newProfile(tenantId, 'integration_operator', tenantId);
      return { ...profile, base_url: nginx.url };
    },
    /** As an operator does after each change of client ids. Returns the output and the file of each cell. */
    async writeMaps() {
      const written = [];
      for (const [name, { environment }] of Object.entries({ a, b })) {
        const file = join(nginx.folder, `${name}.map`);
        const run = await runMain(['cell-map', '--upstream', `cell_${name}`, '--file', file], environment);
        written.push({ ...run, file });
      }
      nginx.reload();
      return written;
    },
  };
}
