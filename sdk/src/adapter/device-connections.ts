import type { CommandContext } from './command-handler.js';
import { OutcomeUnknown, Unreachable } from './errors.js';
import { GivenBack, type KitRun, runOf } from './kit-run.js';
import { pause } from './pause.js';

/** What a wait needs of the context of a command, or of a reply. */
export type WaitContext = Pick<CommandContext, 'signal' | 'remainingMs'> & Partial<Pick<CommandContext, 'redelivered'>>;

export interface ConnectOptions {
  /** The longest wait for the device, in milliseconds. By default only `answerMs` ends it. */
  connectMs?: number | undefined;
  /**
   * What is left for the answer of the device: the wait ends this long before the deadline, but not before half of the time
   * is over. Default: 5,000.
   */
  answerMs?: number | undefined;
}

/**
 * The connections of devices that dial in: WebSockets, MQTT sessions, LwM2M registrations. A command waits here for its
 * device: it may just be restarting, or the adapter was, and its devices have not dialled in again.
 * A device is connected to one process, and NATS gives a command to any: run one process for each vendor.
 */
export class DeviceConnections<Connection> {
  readonly #connections = new Map<string, Connection>();
  /** They wait for a device, by its key. */
  readonly #wakers = new Map<string, Set<() => void>>();

  /**
   * The device has dialled in. Returns its earlier connection, if it is another one: the device no longer uses it, so close
   * it. `key` identifies the device among those of all tenants.
   */
  add(key: string, connection: Connection): Connection | undefined {
    const earlier = this.#connections.get(key);
    this.#connections.set(key, connection);
    for (const wake of this.#wakers.get(key) ?? []) wake();
    return earlier === connection ? undefined : earlier;
  }

  /** The connection has ended. A later one of the same device stays. */
  remove(key: string, connection: Connection): void {
    if (this.#connections.get(key) === connection) this.#connections.delete(key);
  }

  get(key: string): Connection | undefined {
    return this.#connections.get(key);
  }

  /**
   * Resolves to the connection of the device, as soon as there is one. Rejects with `Unreachable` if there is none in
   * time; with `OutcomeUnknown` if an earlier run of the command may have reached the device. Call it before you send
   * anything: if the adapter is stopped meanwhile, it rejects, and the next process gets the command.
   */
  async waitFor(
    key: string,
    context: WaitContext,
    { connectMs = Number.POSITIVE_INFINITY, answerMs = 5_000 }: ConnectOptions = {},
  ): Promise<Connection> {
    const leftMs = context.remainingMs;
    const endsAt = performance.now() + Math.min(connectMs, leftMs - Math.min(answerMs, leftMs / 2));
    const run = runOf(context);
    for (;;) {
      if (run?.isLost && !run.isBegun) throw new GivenBack();
      const connection = this.#connections.get(key);
      if (connection !== undefined && !context.signal.aborted) {
        if (run) run.isBegun = true;
        return connection;
      }
      if (run?.isStopping && !run.isBegun) throw new GivenBack();
      const waitMs = endsAt - performance.now();
      // It may have become redelivered meanwhile.
      if (waitMs <= 0 || context.signal.aborted) throw offline(context.redelivered ?? false);
      await this.#change(key, waitMs, context.signal, run);
    }
  }

  async #change(key: string, ms: number, signal: WaitContext['signal'], run: KitRun | undefined): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    const wakers = this.#wakers.get(key) ?? new Set();
    this.#wakers.set(key, wakers.add(wake));
    signal.addEventListener('abort', wake);
    if (run) run.wake = wake;
    await pause(ms, woken.signal);
    if (run) run.wake = undefined;
    signal.removeEventListener('abort', wake);
    wakers.delete(wake);
    if (wakers.size === 0) this.#wakers.delete(key);
  }
}

const offline = (redelivered: boolean) =>
  redelivered
    ? new OutcomeUnknown('OFFLINE', 'The device is offline. An earlier run of the command may have reached it.')
    : new Unreachable('OFFLINE', 'The device is offline.');
