import { atEnd, type Profile } from '@tenant-open-platform/testing';
import { expect, vi } from 'vitest';
import { followOverHttp } from './event-followers.js';
import { isSafeToRepeat } from './restore-under-load.js';
import { type CalledCommand, type SentRequest, sendAgain, startCaller } from './start-caller.js';
import { type StoredCommand, storedCommands, storedEvents } from './stored.js';

/** All commands succeed, however slow the machine is. */
const TIMEOUT_SECONDS = 120;
const soon = { timeout: 120_000, interval: 100 };
/** Of those that were admitted last, so many are sent again after a restore. */
const CAPTURED = 20;

/** The event log of a history that a restore has ended. The next one has the same first events. */
type History = { log: string[]; shared: number };

/**
 * Follows the reader through the histories: it may leave each of them anywhere, and goes on in the next one at its
 * place, or where the two part. Returns how far it is in the last one, and how often it had read what is lost.
 */
function placeIn(seen: readonly string[], histories: readonly History[], log: readonly string[]) {
  const logs = [...histories.map((history) => history.log), log];
  let at = 0;
  let number = 0;
  let lost = 0;
  const goOn = () => {
    const { shared = 0 } = histories[number] ?? {};
    if (at > shared) lost++;
    at = Math.min(at, shared);
    number++;
  };
  for (const [index, id] of seen.entries()) {
    while (logs[number]?.[at] !== id) {
      if (number < histories.length) goOn();
      else
        return { at, lost, wrong: { index, id, wanted: log[at], wasSeenAt: seen.indexOf(id), isAt: log.indexOf(id) } };
    }
    at++;
  }
  while (number < histories.length) goOn();
  return { at, lost, wrong: null };
}

type Options = {
  tenantId: string;
  profile: Profile;
  perSecond: number;
  /** The commands that its devices have carried out. */
  ran: string[];
};

/** A tenant with a caller and a follower, and what the platform has promised to them. */
export function watchTenant({ tenantId, profile, perSecond, ran }: Options) {
  const caller = startCaller(profile, { perSecond, timeoutSeconds: () => TIMEOUT_SECONDS });
  atEnd(caller.giveUp);
  const follower = followOverHttp(profile);
  const histories: History[] = [];
  /** Commands that only a lost history has. */
  const lost = new Set<string>();
  /** Commands that were open in a copy. */
  const copied = new Set<string>();
  /**
   * Of these, the commands that had ended in the lost history: no adapter sends their results again. If a relay sent such a
   * command again, this test would not see it: NATS drops a message whose id it got in the last 10 minutes.
   */
  const used = new Set<string>();
  let promised: string[] = [];
  let old = { commands: [] as StoredCommand[], log: [] as string[] };
  let captured: SentRequest[] = [];

  const logIn = async (database: string) =>
    (await storedEvents(database)).flatMap((event) => (event.tenant_id === tenantId ? event.event_id : []));
  const keptOf = () => caller.acceptedCommands().filter(({ commandId }) => !lost.has(commandId));
  const isOpen = ({ completed_at }: StoredCommand) => completed_at === null;

  /** What is wrong with the record of an accepted command, or null. */
  function wrongWith(
    { commandId: id, idempotencyKey: key }: CalledCommand,
    times: ReadonlyMap<string, number>,
    command?: StoredCommand,
  ): object | null {
    const timesRun = times.get(id) ?? 0;
    const { status, reason } = command ?? {};
    const hasItsEnd =
      (status === 'SUCCEEDED' && timesRun === 1 && !used.has(id)) ||
      (copied.has(id) && status === 'TIMED_OUT' && reason === 'RESTORED');
    const isRight =
      command?.idempotency_key === key && hasItsEnd && command.accepted_events === 1 && command.completed_events === 1;
    return isRight ? null : { tenantId, id, key, timesRun, isOfCopy: copied.has(id), isUsed: used.has(id), command };
  }

  /** Each event came to the follower once, in the order of the log; only what is lost came as well. */
  async function checkEvents(database: string): Promise<void> {
    const events = (await storedEvents(database)).filter((event) => event.tenant_id === tenantId);
    const accepted = new Set<string>();
    for (const { event_type, command_id } of events) {
      if (event_type === 'command.accepted') accepted.add(command_id);
      else expect(accepted).toContain(command_id);
    }
    const read = async () => {
      const seen = [...follower.seen];
      return placeIn(seen, histories, await logIn(database));
    };
    await vi.waitFor(async () => {
      const { at, wrong } = await read();
      if (wrong === null)
        expect({ tenantId, at }).toEqual({ tenantId, at: expect.toSatisfy((n) => n >= events.length) });
    }, soon);
    const { wrong, lost: losses } = await read();
    expect({ tenantId, wrong, ended: follower.ended() }).toEqual({ tenantId, wrong: null, ended: null });
    // It was told each time that it had read what is lost.
    expect(follower.restoredAt.size).toBeGreaterThanOrEqual(losses);
    expect(follower.restoredAt.size).toBeLessThanOrEqual(histories.length);
  }

  return {
    tenantId,
    accepted: caller.accepted,
    /** Resolves when all requests so far are answered, later ones are accepted, and the follower reads on. */
    async isServed(): Promise<void> {
      const before = caller.sent().length;
      const seen = follower.seen.length;
      await vi.waitFor(() => {
        const sent = caller.sent();
        expect(sent.slice(0, before).filter(({ status, refusal }) => status === null && refusal === null)).toEqual([]);
        expect(sent.slice(before).some(({ status }) => status === 202)).toBe(true);
        expect(follower.seen.length).toBeGreaterThan(seen);
      }, soon);
    },
    /** The refusals since an instant. Those of the follower have no time. */
    refusalsSince: (sinceMs: number) =>
      caller.sent().flatMap(({ init, refusal }) => {
        if (refusal === null || refusal.atMs < sinceMs) return [];
        const signedAt = Number(new Headers(init.headers).get('X-Api-Timestamp'));
        return [{ ...refusal, signedAt }];
      }),
    /** Those since the last call. */
    refusalsOfFollower: () => follower.refusals.splice(0),
    /** Everything so far must be in the copy that is made now. */
    beforeCopy(): void {
      promised = keptOf().map(({ commandId }) => commandId);
    },
    async onLost(database: string): Promise<void> {
      captured = caller
        .sent()
        .filter(({ status }) => status === 202)
        .slice(-CAPTURED);
      old = { commands: await storedCommands(database, tenantId), log: await logIn(database) };
    },
    /** `mayComeAgain`: results that were handled, but perhaps not acknowledged. */
    async onCopy(database: string, mayComeAgain: boolean): Promise<void> {
      const commands = await storedCommands(database, tenantId);
      const log = await logIn(database);
      const inCopy = new Set(commands.map(({ command_id }) => command_id));
      // That the copy is one.
      expect(promised.filter((id) => !inCopy.has(id))).toEqual([]);
      expect(log).toEqual(old.log.slice(0, log.length));
      for (const command of commands) if (isOpen(command)) copied.add(command.command_id);
      for (const command of old.commands) {
        const { command_id: id } = command;
        if (!inCopy.has(id)) lost.add(id);
        else if (copied.has(id) && !isOpen(command) && !mayComeAgain) used.add(id);
      }
      histories.push({ log: old.log, shared: log.length });
    },
    /** Nothing that a lost history has admitted is admitted again. */
    async refusesCaptured(): Promise<void> {
      const again = await Promise.all(captured.map(sendAgain));
      expect(again.filter((answer) => !/^401 (NONCE_REUSED|CLOCK_SKEW)$/.test(answer))).toEqual([]);
    },
    stop: caller.stop,
    /** Compares what was promised so far with what is there. `isLast`: the caller has stopped. */
    async check(database: string, isLast: boolean): Promise<void> {
      const accepted = keptOf();
      const stored = new Map<string, StoredCommand>();
      await vi.waitFor(async () => {
        for (const command of await storedCommands(database, tenantId)) stored.set(command.command_id, command);
        const records = accepted.flatMap(({ commandId }) => stored.get(commandId) ?? []);
        expect(records.filter((command) => isOpen(command) || command.outbox_rows > 0)).toEqual([]);
      }, soon);
      const times = new Map<string, number>();
      for (const id of ran) times.set(id, (times.get(id) ?? 0) + 1);
      const wrong = accepted.map((command) => wrongWith(command, times, stored.get(command.commandId)));
      expect(wrong.filter((one) => one !== null)).toEqual([]);
      expect(new Set(accepted.map(({ commandId }) => commandId)).size).toBe(accepted.length);
      expect([...times].filter(([, count]) => count > 1)).toEqual([]);
      const lies = [...stored.values()].filter(
        (one) => !isOpen(one) && isSafeToRepeat(one) && times.has(one.command_id),
      );
      expect(lies).toEqual([]);
      if (isLast) {
        expect(stored.size).toBe(accepted.length);
        expect(ran.filter((id) => !stored.has(id) && !lost.has(id))).toEqual([]);
      }
      await checkEvents(database);
    },
  };
}

export type WatchedTenant = ReturnType<typeof watchTenant>;
