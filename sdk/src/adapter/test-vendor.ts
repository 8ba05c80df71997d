import { DEFAULT_EXPIRES_IN_SECONDS } from '@tenant-open-platform/contract/bus-access';
import {
  type AdapterCounters,
  type CommandHandler,
  type CommandOf,
  noCounts,
  type Payloads,
} from './command-handler.js';
import { CommandRunner } from './command-runner.js';
import { type DeviceRequest, DeviceRequests } from './device-requests.js';
import { quietly } from './events.js';
import type { CommandMessage, CommandUpdate, DeviceReplyMessage } from './messages.gen.js';
import { Pulse } from './pulse.js';
import { DEFAULT_CONCURRENCY, EVERY_TENANT, type HandlerOptions } from './serve-vendor.js';

const TEST_TENANT = 'test-tenant';

export interface TestVendorOptions<P extends Payloads = Record<string, Record<string, unknown>>>
  extends Omit<HandlerOptions<P>, 'onReply'> {
  /** As the option of `serveVendor`: `platform` if the adapter serves every tenant, who then share the places. */
  tenantId?: string | undefined;
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
  /** The last update; null if the command was given back by `stop`. */
  outcome: CommandUpdate | null;
  /** What the handler threw, unless it was one of the kit's outcomes, such as `Rejected`. */
  error?: unknown;
}

export interface TestVendor<P extends Payloads = Record<string, Record<string, unknown>>> {
  /** Delivers a command. Resolves when it is acknowledged. The same `command_id` again is a redelivery. */
  send(
    command: TestCommand<P>,
    options?: { timeoutMs?: number | undefined; redelivered?: boolean | undefined; traceparent?: string | undefined },
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
  const log = quietly((event) => {
    if (event.event === 'failed' && event.command_id) errors.set(event.command_id, event.error);
    options.log?.(event);
  });
  // There is no other process that could have a command.
  const pulse = new Pulse(log, Number.POSITIVE_INFINITY);
  const runner = new CommandRunner({
    onCommand: options.onCommand as unknown as CommandHandler,
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    onePerDevice: options.onePerDevice ?? false,
    isShared: options.tenantId === EVERY_TENANT,
    counters,
    log,
    pulse,
    async report({ command: { command_id } }, update) {
      updates.get(command_id)?.push({ command_id, ...update() });
    },
  });
  const devices: DeviceRequests = new DeviceRequests({
    onReply: undefined,
    concurrency: DEFAULT_CONCURRENCY,
    onePerDevice: false,
    isShared: false,
    readReplies() {},
    log,
    pulse,
    /** As the platform does, which takes the dedupe_id of a device once. */
    async publish(tenantId, message) {
      // By then the request waits for its reply.
      await Promise.resolve();
      const isRepeated = requests.some(
        ({ tenant_id, device_id, dedupe_id }) =>
          tenant_id === tenantId && device_id === message.device_id && dedupe_id === message.dedupe_id,
      );
      const request = { ...message, tenant_id: tenantId };
      if (!isRepeated) requests.push(request);
      const given = isRepeated ? null : options.reply?.(request);
      if (!given) return devices.expire(tenantId, message);
      const { device_id, request_type, dedupe_id, expires_in_seconds = DEFAULT_EXPIRES_IN_SECONDS } = message;
      const now = Date.now();
      const reply: DeviceReplyMessage = {
        device_request_id: crypto.randomUUID(),
        dedupe_id,
        device_id,
        request_type,
        outcome: 'SUCCESS',
        payload: null,
        error: null,
        replied_at: new Date(now).toISOString(),
        expires_at: new Date(now + expires_in_seconds * 1_000).toISOString(),
        remaining_ms: expires_in_seconds * 1_000,
        ...given,
      };
      const leftMs = expires_in_seconds * 1_000;
      devices.take({ tenantId, reply, leftMs, attempt: 1, acknowledge() {}, stillWorking() {}, retry() {} });
    },
  });

  return {
    requests,
    get counters() {
      return structuredClone(counters);
    },
    async stop() {
      await runner.giveBack();
      await Promise.all([runner.ended(), devices.stop()]);
      pulse.stop();
    },
    async send(given, { timeoutMs = 30_000, redelivered = false, traceparent } = {}) {
      const now = Date.now();
      const command: CommandMessage = {
        command_id: crypto.randomUUID(),
        tenant_id: TEST_TENANT,
        vendor: 'test-vendor',
        device_id: 'test-device',
        accepted_at: new Date(now).toISOString(),
        deadline_at: new Date(now + timeoutMs).toISOString(),
        remaining_ms: timeoutMs,
        ...(given as Partial<CommandMessage> & Pick<CommandMessage, 'command_type' | 'payload'>),
      };
      const { command_id } = command;
      const received = updates.get(command_id) ?? [];
      updates.set(command_id, received);
      await new Promise<void>((resolve) =>
        runner.take({
          command,
          leftMs: Date.parse(command.deadline_at) - now,
          count: redelivered ? 2 : 1,
          redelivered,
          isFirst: !redelivered,
          traceparent,
          acknowledge: resolve,
          giveBack: resolve,
          stillWorking() {},
        }),
      );
      const outcome = received.at(-1) ?? null;
      return { updates: received, outcome, ...(errors.has(command_id) && { error: errors.get(command_id) }) };
    },
    request: async ({ tenant_id = TEST_TENANT, ...request }) => devices.send(tenant_id, request),
  };
}
