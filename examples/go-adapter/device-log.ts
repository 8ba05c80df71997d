import { existsSync, readFileSync } from 'node:fs';
import type { Execution } from '../../sdk/test/lies.js';

type Line = { device_id: string; command_id: string; what: string };

function linesOf(file: string): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [device_id = '', command_id = '', what = ''] = line.split(' ');
    return { device_id, command_id, what };
  });
}

/** What the devices did. An execution without an end was killed: it failed. */
export function executionsIn(file: string): Execution[] {
  const executions: Execution[] = [];
  for (const { device_id, command_id, what } of linesOf(file)) {
    const begun = executions.findLast((execution) => execution.command_id === command_id);
    if (what === 'begin') executions.push({ command_id, device_id, begun_at: '', ended_at: '', answer: 'FAILED' });
    else if (begun) begun.answer = 'DONE';
  }
  return executions;
}

/** The commands during which their device began another one. */
export function overlapsIn(file: string): string[] {
  const last = new Map<string, string>();
  const overlaps: string[] = [];
  for (const { device_id, command_id, what } of linesOf(file)) {
    if (what === 'begin') last.set(device_id, command_id);
    else if (last.get(device_id) !== command_id) overlaps.push(command_id);
  }
  return overlaps;
}
