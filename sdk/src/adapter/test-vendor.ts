import {
  type AdapterCounters,
  type CommandHandler,
  type CommandOf,
  CommandRunner,
  noCounts,
  type Payloads,
} from './command-runner.js';
import type { DeviceRequest } from './device-requests.js';
import { quietly } from './events.js';
import type { CommandMessage, CommandUpdate, DeviceReplyMessage } from './messages.gen.js';
import type { HandlerOptions } from './serve-vendor.js';

export interface TestVendorOptions<P extends Payloads = Record<string, Record<string, unknown>>>
  extends Omit<HandlerOptions<P>, 'onReply'> {
  /** The reply to a request of a device. null, as without this option: nobody replies. */
  reply?: ((request: DeviceRequest) => Partial<DeviceReplyMessage> | null) | undefined;
}

/** The fields that a handler uses; the others get values of their own. */
export type TestCommand<P extends Payloads> =
  CommandOf<P> extends infer C
    ? C extends { command_type: string; payload: object }
      ? Partial<C> & Pick<C, 'command_type' | 'payload'>
      : never
    : never;

export interface TestOutcome {
  /** What the platform would have received about the command, in this order. */
  updates: CommandUpdate[];
  /** The last update; null if the command was not started, or was given back by `stop`. */
  outcome: CommandUpdate | null;
  /** What the handler threw, unless it was a `Rejected`, `Failed`, `Unreachable` or `Unsupported`. */
  error?: unknown;
}

export interface TestVendor<P extends Payloads = Record<string, Record<string, unknown>>> {
  /** Delivers a command. Resolves when it is acknowledged. The same `command_id` again is a redelivery. */
  send(
    command: TestCommand<P>,
    options?: { timeoutMs?: number | undefined; redelivered?: boolean | undefined },
  ): Promise<TestOutcome>;
  /** As `adapter.request`, answered by the option `reply`. */
  request(request: DeviceRequest): Promise<DeviceReplyMessage | null>;
  /** The device requests so far, each once. */
  readonly requests: readonly DeviceRequest[];
  readonly counters: AdapterCounters;
  stop(): Promise<void>;
}

/**
 * Runs a handler as `serveVendor` does, without NATS: for unit tests.
 *
 * ```ts
 * const vendor = testVendor({ onCommand });
 * const { outcome } = await vendor.send({ command_type: 'reboot', payload: {} });
 * expect(outcome).toMatchObject({ device_execution_status: 'SUCCEEDED' });
 * ```
 */
export function testVendor<P extends Payloads = Record<string, Record<string, unknown>>>(
  options: TestVendorOptions<P>,
): TestVendor<P> {
  const counters = noCounts();
  const updates = new Map<string, CommandUpdate[]>();
  const errors = new Map<string, unknown>();
  const requests: DeviceRequest[] = [];
  const replies = new Map<string, DeviceReplyMessage | null>();
  const runner = new CommandRunner({
    onCommand: options.onCommand as unknown as CommandHandler,
    concurrency: options.concurrency ?? 16,
    onePerDevice: options.onePerDevice ?? false,
    counters,
    log: quietly((event) => {
      if (event.event === 'failed' && event.command_id) errors.set(event.command_id, event.error);
      options.log?.(event);
    }),
    async report({ command_id }, update) {
      updates.get(command_id)?.push({ command_id, ...update });
    },
  });

  return {
    requests,
    get counters() {
      return structuredClone(counters);
    },
    stop: () => runner.stop(),
    async send(given, { timeoutMs = 30_000, redelivered = false } = {}) {
      const now = Date.now();
      const command: CommandMessage = {
        command_id: crypto.randomUUID(),
        tenant_id: 'test-tenant',
        vendor: 'test-vendor',
        device_id: 'test-device',
        accepted_at: new Date(now).toISOString(),
        deadline_at: new Date(now + timeoutMs).toISOString(),
        ...(given as Partial<CommandMessage> & Pick<CommandMessage, 'command_type' | 'payload'>),
      };
      const { command_id } = command;
      const received = updates.get(command_id) ?? [];
      updates.set(command_id, received);
      await new Promise<void>((resolve) =>
        runner.take({ command, redelivered, acknowledge: resolve, giveBack: resolve, stillWorking() {} }),
      );
      const outcome = received.at(-1) ?? null;
      return { updates: received, outcome, ...(errors.has(command_id) && { error: errors.get(command_id) }) };
    },
    async request(request) {
      const known = replies.get(request.dedupe_id);
      if (known !== undefined) return known;
      requests.push(request);
      const now = Date.now();
      const given = options.reply?.(request);
      const reply = given
        ? {
            device_request_id: crypto.randomUUID(),
            dedupe_id: request.dedupe_id,
            device_id: request.device_id,
            request_type: request.request_type,
            outcome: 'SUCCESS',
            payload: null,
            error: null,
            replied_at: new Date(now).toISOString(),
            expires_at: new Date(now + 300_000).toISOString(),
            ...given,
          }
        : null;
      replies.set(request.dedupe_id, reply);
      return reply;
    },
  };
}
