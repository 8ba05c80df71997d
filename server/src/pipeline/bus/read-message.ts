import type { ErrorDetail } from '@tenant-open-platform/contract';
import {
  CommandUpdate,
  DeviceRequestMessage,
  MAX_MESSAGE_BYTES,
  MAX_OBJECT_BYTES,
} from '@tenant-open-platform/contract/bus';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import type { z } from 'zod';
import { detailsIn, MAX_DETAILS } from '../../foundation/api-error.js';
import type { ParkingReason } from './parked-messages.js';

/** What a message says. `leftOut`: the part that is not kept, and why; absent if all is. */
export type Read<Message> = { message: Message; leftOut?: ParkingReason } | { refused: ParkingReason };

/** Reads a message of which all counts, with the JSON rules of requests. A field that is null is absent. */
export function readWhole<Schema extends z.ZodType>(schema: Schema, body: Buffer): Read<z.infer<Schema>> {
  const parsed = parseJson(body);
  if ('problem' in parsed) {
    const { problem } = parsed;
    const reason = `Not JSON with one unambiguous meaning: ${problem.message}`;
    return { refused: { reason, details: [{ code: 'MALFORMED_JSON', ...problem }] } };
  }
  const checked = schema.safeParse(withoutNulls(parsed.value));
  return checked.success ? { message: checked.data } : { refused: notValid(detailsIn('body', checked.error)) };
}

/** All of a device request counts: without its payload it would be another request. */
export function readDeviceRequest(body: Buffer): Read<DeviceRequestMessage> {
  if (body.length > MAX_MESSAGE_BYTES) return { refused: { reason: `Larger than ${MAX_MESSAGE_BYTES} bytes.` } };
  const read = readWhole(DeviceRequestMessage, body);
  const problem = 'message' in read ? sizeProblem(read.message.payload) : null;
  return problem ? { refused: { reason: `The payload ${problem}.` } } : read;
}

const withoutNulls = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;

const notValid = (details: ErrorDetail[]): ParkingReason => ({
  reason: `Not valid: ${listOf(details, 1_000)}`,
  details,
});

const listOf = (details: readonly ErrorDetail[], maxLength: number) =>
  cut(details.map(({ location, message }) => `${location} ${message}`).join('; '), maxLength);

/** It leaves no half of a surrogate pair. */
const cut = (text: string, maxLength: number) => text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');

/** Whoever sends one of them twice says nothing about the command. */
const OUTCOME = ['command_id', 'adapter_status', 'device_execution_status'];

/**
 * Reads an update of a command. Nobody can answer the adapter, and what the device has done stays true whatever stands
 * beside it. So a command and its status count, and what else cannot be kept is left out and named in the reason.
 */
export function readUpdate(body: Buffer): Read<CommandUpdate> {
  const whole = readWhole(CommandUpdate, body);
  if ('message' in whole && sizeProblem(whole.message.result) === null) return whole;
  const found: Record<string, unknown> = {};
  const details: ErrorDetail[] = [];
  for (const [name, texts] of membersOf(body)) {
    const [text = ''] = texts;
    if (texts.length > 1 && OUTCOME.includes(name)) return whole;
    const read = texts.length > 1 ? leave(name, 'is repeated') : readMember(name, text);
    if (read.value !== undefined) found[name] = read.value;
    details.push(...read.details);
  }
  const counted = CommandUpdate.safeParse(found);
  if (!counted.success) return whole;
  if (details.length === 0) return { message: counted.data };
  const { code = INVALID, message = '' } = counted.data.status_reason ?? {};
  const note = `Left out: ${listOf(details, 250)}`;
  const beside = ` (${INVALID}. ${note})`;
  const said = code === INVALID && message === '' ? note : (cut(message, 1_024 - beside.length) + beside).trimStart();
  return {
    message: { ...counted.data, status_reason: { code, message: said } },
    leftOut: { reason: `The update counts. ${note}`, details: details.slice(0, MAX_DETAILS) },
  };
}

const INVALID = 'RESULT_INVALID';

type Member = { value?: unknown; details: ErrorDetail[] };

const leave = (name: string, message: string): Member => ({
  details: [{ location: `body/${name.slice(0, 128).replace(/[^\x20-\x7E]/g, '?')}`, code: INVALID, message }],
});

/** A field of an update; absent if it is null. */
function readMember(name: string, text: string): Member {
  const field = (CommandUpdate.shape as Record<string, z.ZodType>)[name];
  if (!field) return leave(name, 'is an unknown field');
  // In an array it is as deep as in its message.
  const parsed = parseJson(Buffer.from(`[${text}]`, 'latin1'), '');
  if ('problem' in parsed) {
    const left = leave(name, `cannot be kept: ${parsed.problem.message.replace(/ \(byte \d+\)$/, '')}`);
    const parts = [...membersOf(Buffer.from(text, 'latin1'))].filter(([, texts]) => texts.length === 1);
    return { ...left, value: reasonIn(name, Object.fromEntries(parts.map(([part, [said]]) => [part, valueIn(said)]))) };
  }
  const [value] = parsed.value as unknown[];
  if (value === null) return { details: [] };
  const problem = name === 'result' ? sizeProblem(value) : null;
  if (problem) return leave(name, problem);
  const checked = field.safeParse(value);
  if (checked.success) return { value: checked.data, details: [] };
  return { value: reasonIn(name, value), details: detailsIn(`body/${name}`, checked.error) };
}

/** A reason without a part that cannot be kept, such as its long message, still tells what happened. */
function reasonIn(name: string, value: unknown) {
  const { code, message = value } = Object(value) as { code?: unknown; message?: unknown };
  const kept = { code: textIn(code, 128) || INVALID, message: textIn(message, 1_024) };
  return name === 'status_reason' ? kept : undefined;
}

const textIn = (value: unknown, maxLength: number) =>
  ['string', 'number'].includes(typeof value) ? cut(String(value), maxLength) : '';

const sizeProblem = (value: unknown) =>
  value !== undefined && Buffer.byteLength(JSON.stringify(value)) > MAX_OBJECT_BYTES
    ? `is larger than ${MAX_OBJECT_BYTES} bytes`
    : null;

/** A string, also one that never ends, a bracket, a sign, or what is between them. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[{}[\]:,]|[^"{}[\]:,]+/g;

/**
 * The members of an object by name, each with the texts of its values, which need not be JSON. The object need not end.
 * What has no name, or follows the object, has the name ''. Each character is a byte.
 */
function membersOf(body: Buffer): Map<string, string[]> {
  const members = new Map<string, string[]>();
  const bytes = body.toString('latin1');
  const [start] = /^(?:\xef\xbb\xbf)?[ \t\r\n]*\{/.exec(bytes) ?? [];
  if (start === undefined) return members;
  const open = ['{'];
  let name = '';
  let text = '';
  const end = () => {
    const values = members.get(name) ?? [];
    if (name !== '' || text.trim() !== '') values.push(text.trim());
    if (values.length > 0) members.set(name, values);
    name = '';
    text = '';
  };
  for (const [token] of bytes.slice(start.length).matchAll(TOKEN)) {
    // Too many brackets closed an object that goes on.
    if (open.length === 0 && token === ',') open.push('{');
    if (open.length === 1 && (token === ',' || token === '}')) end();
    else if (open.length === 1 && token === ':' && name === '') {
      name = textIn(valueIn(text), text.length);
      text = '';
    } else text += token;
    if (token === '{' || token === '[') open.push(token);
    // A bracket closes what is open since its own one. A `]` that nothing opened ends no update.
    const own = token === '}' ? '{' : token === ']' ? '[' : null;
    if (own && open.length > 1) open.length = Math.max(1, open.lastIndexOf(own));
    else if (token === '}') open.pop();
  }
  end();
  return members;
}

function valueIn(text = ''): unknown {
  const parsed = parseJson(Buffer.from(text.trim(), 'latin1'));
  return 'value' in parsed ? parsed.value : undefined;
}
