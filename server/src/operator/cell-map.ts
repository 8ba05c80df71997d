import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.js';
import { joinEmbedded, openDatabase } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { writePrivateFile } from '../foundation/secrets/keyring.js';
import { StartupError } from '../foundation/startup-error.js';
import { readArguments } from './arguments.js';

/** Administrators call their platform at its own address. A tenant that arrives is still served by the other platform. */
const clientIds = statement(
  'operator: client ids of a cell',
  () => fixedSql`
    select taken_names.name from taken_names join tenants using (tenant_id)
    where kind = 'CLIENT_ID' and tenant_id <> 'platform' and status not in ('MOVED', 'DELETING', 'DELETED')
      and coalesce(move ->> 'step' <> 'ARRIVING', true)
    order by taken_names.name`,
);

/** Names that a map of nginx takes for its own parameters. */
const PARAMETERS = new Set(['default', 'hostnames', 'include', 'volatile']);

const lineOf = (clientId: string, upstream: string) =>
  `${PARAMETERS.has(clientId.toLowerCase()) ? '\\' : ''}${clientId} ${upstream};`;

/**
 * `cell-map`: writes the part of an nginx map that leads the client ids of this platform to its upstream. Returns the
 * line to print.
 */
export async function writeCellMap(config: Config, args: string[]): Promise<string> {
  const { upstream, file } = readCommand(args);
  const database = await (config.DATABASE_URL ? openDatabase(config) : joinEmbedded(config.DATA_DIR));
  // A new database would empty the map of a cell that serves.
  if (!database)
    throw new StartupError(
      `cell-map: no platform is running in DATA_DIR ${config.DATA_DIR}. Start it, or name the DATABASE_URL. Nothing was written.`,
    );
  try {
    const rows = await asAllTenantsStatement<{ name: string }>(database, clientIds());
    const ids = rows.map(({ name }) => name);
    await refuseCollisions(ids, file);
    await writePrivateFile(file, ids.map((id) => lineOf(id, upstream)).join('\n'));
    return `${file} has ${ids.length} client ids. Now nginx must read it: nginx -s reload.`;
  } finally {
    await database.close();
  }
}

/** nginx compares without regard to case, and refuses a map that has an id twice. */
async function refuseCollisions(ids: string[], file: string): Promise<void> {
  const own = new Map<string, string>();
  for (const id of ids) {
    const other = own.get(id.toLowerCase());
    if (other) throw taken(`${other} and ${id} are the same for nginx, which ignores case`);
    own.set(id.toLowerCase(), id);
  }
  const folder = path.dirname(file);
  const parts = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.map'));
  for (const part of parts.filter((name) => name !== path.basename(file))) {
    const lines = (await readFile(path.join(folder, part), 'utf8')).split('\n');
    const id = lines
      .map((line) => own.get(line.replace(/^\\/, '').split(' ', 1)[0]?.toLowerCase() ?? ''))
      .find(Boolean);
    if (id)
      throw taken(
        `${path.join(folder, part)} has the client_id ${id} too. If its tenant has moved here, write that part first`,
      );
  }
}

const taken = (problem: string) =>
  new StartupError(
    `cell-map: ${problem}. Else create another credential, and delete this one: a client_id cannot be changed. Nothing was written.`,
  );

function readCommand(args: string[]) {
  const options = { upstream: { type: 'string' }, file: { type: 'string' } } as const;
  const { upstream, file } = readArguments({ args, options }, wrong).values;
  if (!upstream || !/^[A-Za-z0-9_.-]+$/.test(upstream))
    throw wrong('--upstream must be the name of an upstream of nginx');
  if (!file) throw wrong('--file is missing');
  return { upstream, file };
}

const wrong = (problem: string) =>
  new StartupError(`cell-map: ${problem}. Usage: cell-map --upstream <name> --file <file>`);
