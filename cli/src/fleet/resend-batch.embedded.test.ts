import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { created, fresh, linesOf, reboot, send } from '../../test/fleet.js';
import { topctl, type World } from '../../test/topctl.js';

type Made = { batch_id: string; device_id: string; command_id: string; idempotency_key: string };

const resend = (world: World, batchId: string, ...flags: string[]) =>
  topctl(['commands', 'create-many', '--resend', batchId, ...flags], world);

/** A tenant whose file was sent, and every command has ended. */
async function sentFleet(...lines: string[]) {
  for (;;) {
    const world = await fresh();
    await world.write(...lines);
    const outcome = await send(world, '--wait');
    const commands = await created(world);
    // A busy machine has not sent a command before its deadline.
    if (commands.some(({ status }) => status === 'EXPIRED')) continue;
    return { world, outcome, batchId: commands[0].batch_id as string };
  }
}

const mixed = [
  reboot('ok-1'),
  reboot('unreachable-1', { timeout_seconds: 77 }),
  JSON.stringify({
    vendor: 'vendor_a',
    device_id: 'unreachable-2',
    command_type: 'set_power',
    payload: { power: 'on' },
  }),
  reboot('fail-1'),
  reboot('reject-1'),
  reboot('offline-1', { timeout_seconds: 2 }),
];

test('the end of create-many --wait says why, and its last line sends again what is safe to repeat', async () => {
  const { world, outcome, batchId } = await sentFleet(...mixed);
  const { exitCode, stderr } = outcome;
  expect(exitCode).toBe(8);
  const [heading, ...lines] = stderr.trimEnd().split('\n');
  expect(heading).toBe('did not succeed:');
  expect(lines.slice(0, 4).sort()).toEqual([
    '  1 FAILED DEVICE_FAULT',
    '  1 REJECTED NOT_NOW',
    '  1 TIMED_OUT',
    '  2 FAILED UNREACHABLE',
  ]);
  const command = `topctl commands create-many --resend ${batchId} --wait`;
  expect(lines.slice(4)).toEqual([
    `2 safe to send again, because no device has them: ${command}`,
    `error: batch ${batchId}: 6 of 6 accepted, 1 succeeded`,
  ]);
  const again = await topctl([...command.split(' ').slice(1), '--yes'], world);
  expect(
    linesOf(again)
      .map(({ device_id }) => device_id)
      .sort(),
  ).toEqual(['unreachable-1', 'unreachable-2']);
});

test('sends again the commands that no device has seen as they were, and says which it leaves out and why', async () => {
  const { world, batchId } = await sentFleet(...mixed);
  const before: Made[] = await created(world);
  const { exitCode, stdout, stderr } = await resend(world, batchId, '--yes');
  expect(exitCode).toBe(0);
  expect(stderr.split('\n').slice(0, 5)).toEqual([
    'safe to send again: 2 FAILED UNREACHABLE',
    'left out:',
    '  1 TIMED_OUT: the device may have executed the command',
    '  1 FAILED: the device or the adapter has tried',
    '  1 REJECTED: the device or the adapter has refused',
  ]);
  const results = linesOf({ exitCode, stdout, stderr });
  const all: (Made & { payload: object; timeout_seconds: number })[] = await created(world);
  expect(all).toHaveLength(8);
  const resent = all.filter(({ command_id }) => results.some((result) => result.command_id === command_id));
  expect(resent.map(({ device_id, payload, timeout_seconds }) => [device_id, payload, timeout_seconds])).toEqual([
    ['unreachable-2', { power: 'on' }, 30],
    ['unreachable-1', {}, 77],
  ]);
  for (const { device_id, idempotency_key, batch_id } of resent) {
    const old = before.find((command) => command.device_id === device_id);
    expect(idempotency_key).toBe(`again-${old?.command_id}`);
    expect(batch_id).not.toBe(batchId);
  }
  expect(new Set(resent.map(({ batch_id }) => batch_id)).size).toBe(1);
});

test('asks first, names how many, and sends nothing without a yes', async () => {
  const { world, batchId } = await sentFleet(reboot('unreachable-1'), reboot('unreachable-2'));
  const unasked = await resend(world, batchId);
  expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unasked.stderr).toMatch(
    new RegExp(`--yes confirms: Send 2 commands of batch ${batchId} of tenant \\S+ again\\?`),
  );
  expect(await resend({ ...world, typed: ['n'] }, batchId)).toMatchObject({ exitCode: 130, stdout: '' });
  const dry = await resend(world, batchId, '--dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({ body: { commands: [{ device_id: 'unreachable-1' }, {}] } });
  expect(await created(world)).toHaveLength(2);
  expect(await resend({ ...world, typed: ['y'] }, batchId)).toMatchObject({ exitCode: 0 });
  expect(await created(world)).toHaveLength(4);
});

test('run twice, also at the same time or after an interruption, it sends every command once', async () => {
  const { world, batchId } = await sentFleet(reboot('unreachable-1'), reboot('unreachable-2'));
  const signals = new EventEmitter();
  const interrupted: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    if (String(request[0]).includes('command-batches')) signals.emit('SIGINT');
    return answer;
  };
  const cancelled = await resend({ ...world, signals, fetch: interrupted }, batchId, '--yes', '--wait');
  expect(cancelled).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining('to continue: the same command\n'),
  });
  const both = await Promise.all([resend(world, batchId, '--yes'), resend(world, batchId.toUpperCase(), '--yes')]);
  expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(await created(world)).toHaveLength(4);
  // Nothing would be sent, so nothing is asked; and it says how to go on.
  const again = await resend(world, batchId, '--wait');
  expect(again.exitCode).toBe(8);
  const [, next = ''] = /2 of these were sent again before, as batch (\S+)\.\n/.exec(again.stderr) ?? [];
  expect(again.stderr).toContain(`topctl commands create-many --resend ${next} --wait\n`);
  expect(await created(world)).toHaveLength(4);
  expect((await resend(world, next, '--yes')).exitCode).toBe(0);
  expect(await created(world)).toHaveLength(6);
});

test('if nothing is safe to send again, it says so and succeeds; an unknown batch fails', async () => {
  const { world, batchId } = await sentFleet(reboot('ok-1'), reboot('fail-1'));
  const { exitCode, stdout, stderr } = await resend(world, batchId);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(stderr).toBe(
    `No command of batch ${batchId} is safe to send again.\nleft out:\n  1 FAILED: the device or the adapter has tried\n`,
  );
  const unknown = await resend(world, crypto.randomUUID(), '--yes');
  expect(unknown).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('has no commands of batch'),
  });
  expect(await resend(world, 'x', '--yes')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('batch_id') });
});

test.each([
  ['--from', 'fleet.ndjson'],
  ['--batch-id', crypto.randomUUID()],
])('%s cannot be combined with it', async (...flags) => {
  const outcome = await resend(await fresh(), crypto.randomUUID(), ...flags);
  expect(outcome).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('remove --from and --batch-id'),
  });
});

test('a file or a batch must be given', async () => {
  const outcome = await topctl(['commands', 'create-many', '--wait'], await fresh());
  expect(outcome).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('missing --from') });
});
