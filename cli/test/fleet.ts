import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTenant, temporaryFolder } from '@tenant-open-platform/testing';
import { environmentOf, type Outcome, topctl, type World } from './topctl.js';

export const FILE = 'fleet.ndjson';

/** A line of the file. */
export const reboot = (device_id: string, fields: object = {}) =>
  JSON.stringify({ vendor: 'vendor_a', device_id, command_type: 'reboot', payload: {}, ...fields });

type Files = World & { cwd: string; env: Record<string, string>; write: (...lines: string[]) => Promise<void> };

/** A tenant and a folder of their own. */
export async function fresh(): Promise<Files> {
  const cwd = temporaryFolder();
  const { operator } = await createTenant();
  const write = (...lines: string[]) => writeFile(join(cwd, FILE), lines.map((line) => `${line}\n`).join(''));
  return { cwd, env: environmentOf(operator), write };
}

export const send = (world: World, ...flags: string[]) =>
  topctl(['commands', 'create-many', '--from', FILE, ...flags], world);

export const linesOf = ({ stdout }: Outcome) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** All commands of the tenant. */
export const created = async (world: World) =>
  linesOf(await topctl(['commands', 'list', '--all', '-o', 'ndjson'], world));
