import { MAX_OBJECT_BYTES, MAX_STEPS } from '@tenant-open-platform/contract/bus-access';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import { type FailedStatus, isAdapterError } from './errors.js';
import type { CommandUpdate } from './messages.gen.js';

export type Update = Omit<CommandUpdate, 'command_id'>;
export type Progress = 'DELIVERED' | 'IN_PROGRESS';
/** Of at most 1,000,000,000 steps. */
export type Step = NonNullable<CommandUpdate['progress']>;

const now = () => new Date().toISOString();

export const progressed = (status: Progress, step?: Step): Update => ({
  adapter_status: 'DELIVERED',
  ...(status === 'IN_PROGRESS' && { device_execution_status: status }),
  ...(step && { progress: step }),
  occurred_at: now(),
});

/** A copy with the two fields that the platform takes, or undefined. Handlers in JavaScript tell anything. */
export function stepIn(said: Step | null | undefined): Step | undefined {
  const { step = -1, of = 0 } = said ?? {};
  const isWhole = Number.isInteger(step) && Number.isInteger(of);
  return isWhole && 0 <= step && step <= of && 1 <= of && of <= MAX_STEPS ? { step, of } : undefined;
}

/** The device has executed the command. That stays true if its result cannot be sent. */
export function succeeded(result: unknown): Update {
  const update = { device_execution_status: 'SUCCEEDED', occurred_at: now() } as const;
  if (result === undefined || result === null) return update;
  const problem = problemOfObject(result);
  if (problem === undefined) return { ...update, result: result as Record<string, unknown> };
  const message = `The device executed the command. Its result was not sent, because it is ${problem}.`;
  return { ...update, status_reason: { code: 'RESULT_INVALID', message } };
}

/** The platform parks an update or a request that it cannot parse or that is too large, and answers nothing on the bus. */
export function problemOfObject(value: unknown): string | undefined {
  try {
    let changed: string | undefined;
    // A Date or a URL becomes a string, a function nothing.
    const text = JSON.stringify(value, (key, part) => {
      const kind = changedByJson(part);
      if (kind) changed ??= `not JSON: ${JSON.stringify(key)} is ${kind}`;
      return part;
    }) as string | undefined;
    if (changed) return changed;
    if (!text?.startsWith('{')) return 'not an object';
    // In the message it is one level deeper.
    const bytes = Buffer.from(`[${text}]`);
    if (bytes.length - 2 > MAX_OBJECT_BYTES) return `larger than ${MAX_OBJECT_BYTES / 1_024} KiB`;
    const parsed = parseJson(bytes);
    return 'problem' in parsed ? `not JSON that the platform takes: ${parsed.problem.message}` : undefined;
  } catch {
    return 'not JSON';
  }
}

/** JSON would have null or {} in its place. */
const changedByJson = (part: unknown): string | undefined => {
  if (typeof part === 'number' && !Number.isFinite(part)) return String(part);
  return part instanceof Map || part instanceof Set ? `a ${part.constructor.name}` : undefined;
};

/**
 * The end of a handler that threw. `isDelivered`: it has reported progress, so the device has the command and it is the
 * device that refuses.
 */
export function failed(
  error: unknown,
  { isDelivered, isOverdue }: { isDelivered: boolean; isOverdue: boolean },
): Update {
  if (isAdapterError(error)) {
    const code = textOf(error.code, 128) || error.status;
    return ended(error.status, isDelivered, code, textOf(error.message, 1_024));
  }
  if (isOverdue) return ended('TIMED_OUT', isDelivered, 'DEADLINE_EXCEEDED', 'The adapter gave up at the deadline.');
  // The error may contain what the tenant must not see: addresses, credentials, other tenants.
  const message =
    'The adapter failed, and the device may have executed the command. The log of the adapter has the error.';
  return ended('TIMED_OUT', isDelivered, 'ADAPTER_ERROR', message);
}

const reasons = {
  ADAPTER_BUSY:
    'Earlier commands of the device or the tenant took the places of the adapter. It did not start the command.',
  NOT_STARTED: 'The command reached the adapter after its deadline. The adapter did not start it.',
};
const MAY_HAVE_RUN = 'An earlier process of the adapter may have started it.';

/** The handler was not called. Only if this is the first delivery does that say that the device did nothing. */
export const notStarted = (code: keyof typeof reasons, isFirst: boolean): Update =>
  isFirst
    ? ended('UNREACHABLE', false, code, reasons[code])
    : ended('TIMED_OUT', true, code, `${reasons[code]} ${MAY_HAVE_RUN}`);

const SENT_TWICE = 'SENT_TWICE';
const STOOD_STILL = 'The adapter stood still meanwhile: another process may have carried out the command too.';

/**
 * The outcome of a run beside which there may be another one. That the device has done it stays true, that it has done
 * nothing does not.
 */
export function besideAnother(update: Update): Update {
  const { adapter_status: _, device_execution_status: said, ...rest } = update;
  const { code = SENT_TWICE, message = '' } = update.status_reason ?? {};
  if (message.includes(STOOD_STILL)) return update;
  const beside = code === SENT_TWICE ? STOOD_STILL : `(${SENT_TWICE}. ${STOOD_STILL})`;
  const own = message.slice(0, 1_024 - beside.length - 1);
  const status_reason = { code, message: `${own} ${beside}`.trim() };
  const isOfDevice = said === 'SUCCEEDED' || said === 'FAILED';
  return { ...rest, device_execution_status: isOfDevice ? said : 'TIMED_OUT', status_reason };
}

/** Handlers in JavaScript throw errors with any code. The platform takes neither NUL nor half a surrogate pair. */
const textOf = (value: unknown, maxLength: number) =>
  String(value ?? '')
    .slice(0, maxLength)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '\ufffd');

function ended(status: FailedStatus, isDelivered: boolean, code: string, message: string): Update {
  // The device stays NOT_STARTED only if the adapter says that it did nothing.
  const isOfDevice = status === 'FAILED' || status === 'TIMED_OUT' || (status === 'REJECTED' && isDelivered);
  const statuses = isOfDevice ? { device_execution_status: status } : { adapter_status: status };
  return { ...statuses, status_reason: { code, message }, occurred_at: now() } as Update;
}

/** SUCCEEDED, FAILED, … */
export const statusOf = ({ adapter_status, device_execution_status }: Update) =>
  (device_execution_status ?? adapter_status) as 'SUCCEEDED' | FailedStatus;
