import { parseArgs } from 'node:util';
import type { Config } from '../config.js';
import { joinEmbedded, openDatabase } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { sql, statement } from '../foundation/database/statement.js';
import { writePrivateFile } from '../foundation/secrets/keyring.js';
import { StartupError } from '../foundation/startup-error.js';

/** Administrators call their platform at its own address. A tenant that arrives is still served by the other platform. */
const clientIds = statement(
  'operator: client ids of a cell',
  () => sql`
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
  const { upstream, file } = readArguments(args);
  const database = (config.DATABASE_URL ? null : await joinEmbedded(config.DATA_DIR)) ?? (await openDatabase(config));
  try {
    const rows = await asAllTenantsStatement<{ name: string }>(database, clientIds());
    await writePrivateFile(file, rows.map(({ name }) => lineOf(name, upstream)).join('\n'));
    return `${file} has ${rows.length} client ids. Now nginx must read it: nginx -s reload.`;
  } finally {
    await database.close();
  }
}

function readArguments(args: string[]) {
  const { upstream, file } = parse(args);
  if (!upstream || !/^[A-Za-z0-9_.-]+$/.test(upstream))
    throw wrong('--upstream must be the name of an upstream of nginx');
  if (!file) throw wrong('--file is missing');
  return { upstream, file };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: { upstream: { type: 'string' }, file: { type: 'string' } } }).values;
  } catch (error) {
    throw wrong((error as Error).message.replaceAll('\n', ' '));
  }
}

const wrong = (problem: string) =>
  new StartupError(`cell-map: ${problem}. Usage: cell-map --upstream <name> --file <file>`);
