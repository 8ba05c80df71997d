import { MAX_DEPTH } from '@tenant-open-platform/contract/facts';
import { parseJson } from '@tenant-open-platform/contract/strict-json';
import { texts } from '../app/texts';

export type Payload = Record<string, unknown>;

/** What a reader wrote as JSON: the object, or why it is none that the platform gets as it was written. */
export type PayloadText = { payload: Payload; problem?: undefined } | { payload?: undefined; problem: string };

export function readPayload(text: string): PayloadText {
  try {
    JSON.parse(text);
  } catch (error) {
    return { problem: `${texts.send.notJson} ${(error as Error).message}` };
  }
  // In the body of a request the payload is one level deeper.
  const parsed = parseJson(new TextEncoder().encode(text), 'payload', MAX_DEPTH - 1);
  if ('problem' in parsed)
    return { problem: `${texts.send.refusedJson} ${parsed.problem.location}: ${parsed.problem.message}.` };
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: texts.send.notAnObject };
  return { payload: value as Payload };
}

export const payloadText = (payload: Payload) => JSON.stringify(payload, null, 2);
