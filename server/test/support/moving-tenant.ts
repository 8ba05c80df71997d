import { atEnd, signedRequest } from '@tenant-open-platform/testing';
import { expect, vi } from 'vitest';
import { type Cell, move, runMove, startCell, startEmbeddedCell } from './cells.js';
import { COMMANDS } from './commands.js';
import { followOverHttp } from './event-followers.js';
import { startNeighbours } from './neighbours.js';
import { newPrincipal } from './new-principal.js';
import { sendAgain, startCaller } from './start-caller.js';
import { startLink } from './start-link.js';
import { storedCommands, storedEvents } from './stored.js';
import { untilServed } from './until-served.js';

const TENANT = 'acme';
/** So that commands are under way at any time. */
const DEVICE_TAKES_MS = 500;
/** All commands succeed, however slow the machine is. */
const TIMEOUT_SECONDS = 120;
const soon = { timeout: 60_000, interval: 50 };

/** A line of each step: a move that is killed there has begun the step, or the one after it. */
export const STEPS = [
  'is open, and is copied',
  'rows of credentials',
  'rows of commands',
  'rows of events',
  'closed',
  'waiting for',
  'nothing is under way',
  'nonces',
  'verified',
  'switching',
  'the target is open',
];

/** What both cells run on. */
export const FORMS = { Postgres: startCell, 'the embedded database': startEmbeddedCell };
export const ALL_FORMS = Object.keys(FORMS) as (keyof typeof FORMS)[];

/**
 * Two cells, and a tenant that works: a caller with the SDK, an adapter in each cell, and a follower of its events. All
 * of them keep running while the tenant moves. They reach the platform at one address, which leads to the tenant's cell.
 */
type Options = { perSecond: number; form: keyof typeof FORMS; hasNeighbours?: boolean };

export async function startMovingTenant({ perSecond, form, hasNeighbours = false }: Options) {
  const cells: readonly [Cell, Cell] = await Promise.all([FORMS[form](), FORMS[form]()]);
  let [here, there] = cells;
  await here.call('POST', 'platform/tenants', { tenant_id: TENANT, name: 'Acme' });
  await here.call('POST', `platform/tenants/${TENANT}/bus/principals`, newPrincipal());
  const address = await startLink(here.baseUrl);
  atEnd(address.stop);
  const profile = await here.newProfile(TENANT, 'integration_operator');
  profile.base_url = address.through(here.baseUrl).replace(/\/$/, '');
  const ran: string[] = [];
  await here.serve(TENANT, ran, DEVICE_TAKES_MS);
  // It waits for its durable, which the cell makes once the tenant is there.
  void there.serve(TENANT, ran, DEVICE_TAKES_MS);
  const caller = startCaller(profile, { perSecond, timeoutSeconds: () => TIMEOUT_SECONDS });
  atEnd(caller.giveUp);
  const follower = followOverHttp(profile);
  const accepts = (count: number) => vi.waitFor(() => expect(caller.accepted()).toBeGreaterThanOrEqual(count), soon);
  await accepts(perSecond);
  const neighbours = await Promise.all(hasNeighbours ? cells.map((cell) => startNeighbours(cell, TENANT)) : []);

  /** Until the cell without the tenant has deleted what it had. */
  const untilForgotten = () =>
    vi.waitFor(async () => {
      const row = await there.call('GET', `platform/tenants/${TENANT}`);
      expect(row.deletion.finished_at).not.toBeNull();
    }, soon);

  return {
    accepted: caller.accepted,
    accepts,
    cells,
    neighbours,
    /** Kills the command at these steps, one after the other, then lets it end. */
    async moveWithKills(steps: readonly string[]): Promise<void> {
      for (const step of steps) await runMove(here, there, [TENANT, '--to-url', there.baseUrl], step);
      await move(here, there, TENANT);
      [here, there] = [there, here];
      address.moveTo(here.baseUrl);
      await untilForgotten();
      await accepts(caller.accepted() + perSecond);
    },
    /** Moves the tenant, and its address as --switch does. Returns how long its caller was refused, in seconds. */
    async moveAtOnce(): Promise<number> {
      const sentBefore = caller.sent().length;
      const args = [TENANT, '--to-url', there.baseUrl, '--switch', 'true'];
      const moved = await runMove(here, there, args, 'running true', async () => address.moveTo(there.baseUrl));
      expect(moved.exitCode, moved.stderr).toBe(0);
      [here, there] = [there, here];
      await accepts(caller.accepted() + perSecond);
      const refusals = caller
        .sent()
        .slice(sentBefore)
        .map(({ refusal }) => refusal);
      const refusedAt = refusals.flatMap((one) => (one?.code === 'TENANT_MOVING' ? [one.atMs] : []));
      expect(refusedAt).not.toEqual([]);
      return (Math.max(...refusedAt) - Math.min(...refusedAt)) / 1_000;
    },
    /** Kills the command at this step, and gives the move up. `said`: the tenant may still have been open. */
    async undoAfterKill(step: string, said: string): Promise<void> {
      await runMove(here, there, [TENANT, '--to-url', there.baseUrl], step);
      const undone = await runMove(here, there, ['--undo', TENANT]);
      expect(undone).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(said) });
      await accepts(caller.accepted() + perSecond);
      await untilForgotten();
    },
    /** Checks what the platform promises, of all commands so far. */
    async check(): Promise<void> {
      for (const { check } of neighbours) await check();
      const { accepted } = await caller.stop();
      const { database } = here;
      const ids = accepted.map(({ commandId }) => commandId);
      const keys = new Map(accepted.map(({ idempotencyKey, commandId }) => [idempotencyKey, commandId]));
      await vi.waitFor(async () => {
        const open = (await storedCommands(database, TENANT)).filter(({ completed_at }) => completed_at === null);
        expect(open).toEqual([]);
      }, soon);
      const stored = new Map((await storedCommands(database, TENANT)).map((command) => [command.command_id, command]));
      const notDone = ids.map((id) => stored.get(id)).filter((one) => one?.status !== 'SUCCEEDED');
      expect(notDone.slice(0, 3)).toEqual([]);
      expect(stored.size).toBe(new Set(ids).size);
      const doubled = [...stored.values()].filter((one) => one.accepted_events !== 1 || one.completed_events !== 1);
      expect(doubled).toEqual([]);
      expect(ran).toHaveLength(new Set(ran).size);
      expect(new Set(ran)).toEqual(new Set(ids));

      const log = (await storedEvents(database)).flatMap((event) => (event.tenant_id === TENANT ? event.event_id : []));
      await vi.waitFor(() => expect(follower.seen.length).toBeGreaterThanOrEqual(log.length), soon);
      expect(follower.seen).toEqual(log);
      expect([follower.restoredAt.size, follower.ended()]).toEqual([0, null]);

      const admitted = caller.sent().filter(({ status }) => status === 202);
      const again = await Promise.all(admitted.slice(-500).map(sendAgain));
      expect(again.filter((answer) => !/^401 (NONCE_REUSED|CLOCK_SKEW)$/.test(answer))).toEqual([]);
      expect(again).toContain('401 NONCE_REUSED');
      for (const [key, id] of [...keys].slice(0, 50)) {
        const command = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
        const body = { ...command, timeout_seconds: TIMEOUT_SECONDS, idempotency_key: key };
        const answer = await untilServed(() => signedRequest(profile, 'POST', COMMANDS, { body }));
        expect([answer.status, answer.body.command_id]).toEqual([202, id]);
      }
    },
  };
}
