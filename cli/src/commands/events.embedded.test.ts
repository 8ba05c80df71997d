import { EventEmitter } from 'node:events';
import { createTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { environmentOf, topctl } from '../../test/topctl.js';

const { operator } = await createTenant();
const env = environmentOf(operator);
const reboot = ['--vendor', 'vendor_a', '--device-id', 'ok-1', '--command-type', 'reboot'];
const send = async () => (await topctl(['commands', 'create', ...reboot, '--wait', '-o', 'id'], { env })).stdout.trim();

/** Does the work while the log is followed, and presses Ctrl-C when so many events came. */
async function tail(parameters: string[], { until, work }: { until: number; work: () => Promise<unknown> }) {
  const signals = new EventEmitter();
  let answered = 0;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let seen = 0;
  const counting = (async (input: string, init?: RequestInit) => {
    if (answered > 0) begin();
    // It has printed what came before it asks for more.
    if (seen >= until) signals.emit('SIGINT');
    const answer = await fetch(input, init);
    answered += 1;
    const { items = [] } = (await answer.clone().json()) as { items?: unknown[] };
    seen += items.length;
    return answer;
  }) as typeof fetch;
  const following = topctl(['events', 'tail', ...parameters], { env, fetch: counting, signals });
  await Promise.race([begun, following]);
  await work();
  return following;
}

test('tail prints what comes from now on, and says how to continue', async () => {
  await send();
  let sent = '';
  const work = async () => {
    sent = await send();
  };
  const filter = ['--event-type', 'command.completed'];
  const first = await tail(['-o', 'ndjson', ...filter], { until: 1, work });
  expect(first.exitCode).toBe(130);
  const events = first.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ event_type, data }) => [event_type, data.command_id])).toEqual([['command.completed', sent]]);
  const again = ['--from', events[0].cursor, ...filter];
  expect(first.stderr).toBe(`To continue from here: topctl events tail ${again.join(' ')}\ncancelled\n`);
  const next = await send();
  const second = await tail(again, { until: 1, work: async () => {} });
  expect(second.stdout.split('\n').filter((line) => line.includes(next))).toHaveLength(1);
});

test('tail --since begins so long ago', async () => {
  const sent = await send();
  const { stdout } = await tail(['--since', '10m', '-o', 'ndjson'], { until: 2, work: async () => {} });
  expect(stdout).toContain(sent);
});

test.each([['ten minutes'], ['10'], ['']])('tail --since %j is wrong usage', async (since) => {
  const { exitCode, stderr } = await topctl(['events', 'tail', '--since', since], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('--since must be a number') });
});

test.each([
  ['2026-13-45', 'is not an instant'],
  ['', 'is empty'],
])('tail --from %j is wrong usage', async (from, problem) => {
  const { exitCode, stderr } = await topctl(['events', 'tail', '--from', from], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(problem) });
});
