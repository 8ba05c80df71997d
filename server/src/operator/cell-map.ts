import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config.js';
import { joinEmbedded, openDatabase } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { writePrivateFile } from '../foundation/secrets/keyring.js';
import { StartupError } from '../foundation/startup-error.js';
import { readArguments } from './arguments.js';
import { leaveOut } from './left-out.js';

/**
 * The oldest first: a new id displaces no other. Administrators call their platform at its own address. A tenant that
 * arrives is still served by the other platform, until the command of `--switch` runs, in which `switching` is its id.
 */
const clientIds = statement(
  'operator: client ids of a cell',
  (switching: string) => fixedSql`
    select tenant_id, client_id as id from credentials join tenants using (tenant_id)
    where tenant_id <> 'platform' and credentials.status <> 'DELETED'
      and tenants.status not in ('MOVED', 'DELETING', 'DELETED')
      and coalesce(move ->> 'step' = 'ARRIVING', false) = (tenants.status = 'MOVING' and tenant_id = ${switching})
    order by credentials.created_at, client_id`,
);

/** Names that a map of nginx takes for its own parameters. */
const PARAMETERS = new Set(['default', 'hostnames', 'include', 'volatile']);

const lineOf = (clientId: string, upstream: string) =>
  `${PARAMETERS.has(clientId.toLowerCase()) ? '\\' : ''}${clientId} ${upstream};`;

/** `map_hash_max_size` of deploy/nginx-cells.conf: the buckets of the largest table. */
const BUCKETS = 262_144;

/**
 * Only chosen ids come to more in a bucket. If 51 of the longest have one hash, nginx tries all sizes of its table, and
 * with 819 it refuses to start.
 */
const MOST_OF_TENANT = 8;
const MOST_OF_CELL = 200;

/** As nginx computes it. The size divides 2^32, so the other bits of the hash do not matter. */
const bucketOf = (lowerCase: string) =>
  Buffer.from(lowerCase).reduce((hash, byte) => (Math.imul(hash, 31) + byte) >>> 0, 0) % BUCKETS;

const OTHERWISE = 'Otherwise create another credential in its place';

/**
 * `cell-map`: writes the part of an nginx map that leads the client ids of this platform to its upstream. Returns the
 * line to print.
 */
export async function writeCellMap(config: Config, args: string[]): Promise<string> {
  const { upstream, file } = readCommand(args);
  const { SWITCHING_TENANT: switching = '' } = process.env;
  const database = await (config.DATABASE_URL ? openDatabase(config) : joinEmbedded(config.DATA_DIR));
  // A new database would empty the map of a cell that serves.
  if (!database)
    throw new StartupError(
      `cell-map: no platform is running in DATA_DIR ${config.DATA_DIR}. Start it, or name the DATABASE_URL. Nothing was written.`,
    );
  try {
    const rows = await asAllTenantsStatement<{ tenant_id: string; id: string }>(database, clientIds(switching));
    const others = await readOtherParts(file);
    const counts = new Map<number | string, number>();
    const isFull = (place: number | string, most: number) =>
      counts.set(place, (counts.get(place) ?? 0) + 1) && (counts.get(place) ?? 0) > most;
    const lines = rows.flatMap(({ tenant_id: tenantId, id }) => {
      const other = others.get(id.toLowerCase());
      const bucket = bucketOf(id.toLowerCase());
      if (other)
        return leaveOut(`${id}: ${other} has it. If its tenant has moved here, write that part first. ${OTHERWISE}.`);
      if (isFull(`${tenantId} ${bucket}`, MOST_OF_TENANT) || isFull(bucket, MOST_OF_CELL))
        return leaveOut(`${id}: its hash collides with too many older ids. ${OTHERWISE}.`);
      return [lineOf(id, upstream)];
    });
    await writePrivateFile(file, lines.sort().join('\n'));
    return `${file} has ${lines.length} client ids. Now nginx must read it: nginx -s reload.`;
  } finally {
    await database.close();
  }
}

/** The ids of the other parts, in lower case: nginx ignores case, and refuses a map that has an id twice. */
async function readOtherParts(file: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const folder = path.dirname(file);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith('.map') || name === path.basename(file)) continue;
    const part = path.join(folder, name);
    for (const line of (await readFile(part, 'utf8')).split('\n'))
      ids.set(line.replace(/^\\/, '').split(' ', 1)[0]?.toLowerCase() ?? '', part);
  }
  return ids;
}

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
