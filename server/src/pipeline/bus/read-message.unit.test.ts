import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decoratedUpdates, printedSeed } from '../../../test/support/decorated-updates.js';
import { readDeviceRequest, readUpdate } from './read-message.js';

const id = randomUUID();
const outcome = `"command_id":"${id}","device_execution_status":"SUCCEEDED"`;
const counted = { command_id: id, device_execution_status: 'SUCCEEDED' };
const read = (text: string | Buffer) => readUpdate(Buffer.from(text)) as unknown as Record<string, never>;

test.each([
  ['17 digits of %.17g', '"result":{"t":21.300000000000001}', { result: { t: 21.3 } }],
  ['a negative zero', '"result":{"t":-0.0}', { result: { t: -0 } }],
  [
    'null for absent',
    '"result":null,"status_reason":null,"progress":null,"occurred_at":null,"adapter_status":null',
    {},
  ],
])('%s beside an outcome is kept', (_, beside, kept) => {
  expect(read(`{${outcome},${beside}}`)).toEqual({ message: { ...counted, ...kept } });
});

test.each([
  ['an integer of 64 bits', '"result":{"at":1764350000123456789}', 'result'],
  ['the largest of them', '"result":{"at":9223372036854775807}', 'result'],
  ['an integer of 25 digits', '"result":{"at":1234567890123456700000000}', 'result'],
  ['NUL', '"result":{"serial":"AB\\u0000\\u0000"}', 'result'],
  ['NaN', '"result":{"t":NaN,"list":[1,{"a":-Infinity}]}', 'result'],
  ['a name twice in the result', '"result":{"a":1,"a":2}', 'result'],
  ['two results', '"result":{},"result":{}', 'result'],
  ['a result that is no object', '"result":"done"', 'result'],
  ['a control character', '"result":{"text":"a\tb\n"}', 'result'],
  ['a text that never ends', '"result":{"text":"a, b}', 'result'],
  ['a result that never ends', '"result":{"list":[1,2', 'result'],
  ['bytes that are not UTF-8', Buffer.from('"result":{"text":"\xff\xfe"}', 'latin1'), 'result'],
  ['a time without a zone', '"occurred_at":"2026-11-28T17:59:00.123"', 'occurred_at'],
  ['a time in seconds', '"occurred_at":1764350000', 'occurred_at'],
  ['a time in milliseconds', '"occurred_at":1764350000123', 'occurred_at'],
  ['an offset without a colon', '"occurred_at":"2026-11-28T17:59:00+0000"', 'occurred_at'],
  ['a blank for T', '"occurred_at":"2026-11-28 17:59:00Z"', 'occurred_at'],
  ['a leap second', '"occurred_at":"2026-12-31T23:59:60Z"', 'occurred_at'],
  ['a step that is too far', '"progress":{"step":4,"of":3}', 'progress'],
  ['an unknown field', '"firmware":"1.2"', 'firmware'],
  ['an unknown status of the adapter', '"adapter_status":"OK"', 'adapter_status'],
])('%s beside an outcome is left out and named', (_, beside, name) => {
  const body = Buffer.concat([Buffer.from(`{${outcome},`), Buffer.from(beside as string), Buffer.from('}')]);
  const { message, leftOut } = read(body) as unknown as {
    message: { status_reason: { code: string; message: string } };
    leftOut: { reason: string; details: { location: string }[] };
  };
  const { status_reason, ...rest } = message;
  expect(rest).toEqual(counted);
  expect(status_reason.code).toBe('RESULT_INVALID');
  expect(status_reason.message).toContain(`body/${name}`);
  expect(leftOut.reason).toContain(`body/${name}`);
  expect(leftOut.details[0]?.location).toContain(`body/${name}`);
});

test.each([
  ['NUL at the end', `{${outcome}}\0`],
  ['a byte order mark', `\ufeff{${outcome}}`],
  ['text after it', `{${outcome}} {"a":1}`],
  ['a comma at the end', `{${outcome},}`],
  ['an object that never ends', `{${outcome}`],
])('an outcome with %s counts', (_, text) => {
  expect(read(text).message).toMatchObject(counted);
});

test.each([
  ['a bracket that never closes', '{"a":[1,}'],
  ['a brace that never closes', '[{"a":1]'],
  ['brackets that cross', '{"a":[{"b":1]}}'],
  ['a bracket in place of a brace', '{"a":1]'],
  ['a bracket in place of an inner brace', '{"a":{"b":1],"c":2}'],
  ['a bracket too many', '{"a":1]}'],
  ['a brace too many', '{"a":1}}'],
])('an outcome behind %s counts', (_, result) => {
  expect(read(`{"result":${result},${outcome}}`).message).toMatchObject(counted);
});

test('half a million brackets that do not match take little time', () => {
  const before = process.cpuUsage();
  read(`{${outcome},"result":${'{'.repeat(500_000)}${']'.repeat(500_000)}}`);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});

test('the reason of the adapter stays, whatever is left out', () => {
  const reason = { code: 'HOT', message: 'The motor is hot.' };
  const said = `"status_reason":${JSON.stringify(reason)},"result":{"t":NaN}`;
  const { message } = read(`{"command_id":"${id}","device_execution_status":"FAILED",${said}}`) as never as {
    message: { status_reason: typeof reason };
  };
  expect(message.status_reason.code).toBe('HOT');
  expect(message.status_reason.message).toMatch(/^The motor is hot\. \(RESULT_INVALID\. Left out: body\/result/);
  const long = `"status_reason":{"code":"HOT","message":"${'x'.repeat(1_025)}"}`;
  expect(read(`{${outcome},${long}}`).message).toMatchObject({ status_reason: { code: 'HOT' } });
});

test.each([
  ['NUL in its message', '{"code":"HOT","message":"A\\u0000"}', ''],
  ['half a surrogate in its message', '{"code":"HOT","message":"A\\ud800"}', ''],
  ['a message that never ends', '{"code":"HOT","message":"A', ''],
  ['two messages', '{"message":"A","code":"HOT","message":"B"}', ''],
  ['NaN beside its message', '{"code":"HOT","message":"Motor é","t":NaN}', 'Motor é'],
])('of a reason with %s the readable code stays, beside RESULT_INVALID', (_, reason, kept) => {
  const { message } = read(`{${outcome},"status_reason":${reason}}`) as never as {
    message: { status_reason: { code: string; message: string } };
  };
  expect(message).toMatchObject({ ...counted, status_reason: { code: 'HOT' } });
  const said = `${kept} (RESULT_INVALID. Left out: body/status_reason`.trimStart();
  expect(message.status_reason.message.startsWith(said), message.status_reason.message).toBe(true);
});

test.each([
  ['the code of the platform', '"code":"RESULT_INVALID","message":"Hot"', 'RESULT_INVALID'],
  ['a number for a code', '"code":17,"message":"Hot"', '17'],
  ['a long code', `"code":"${'A'.repeat(129)}","message":"Hot"`, 'A'.repeat(128)],
  ['a long code, cut between characters', `"code":"x${'😀'.repeat(128)}","message":"Hot"`, `x${'😀'.repeat(63)}`],
  ['an empty code', '"code":"","message":"Hot"', 'RESULT_INVALID'],
  ['no code', '"message":"Hot"', 'RESULT_INVALID'],
  ['no readable code', '"code":"A\\u0000","message":"Hot"', 'RESULT_INVALID'],
])('of a reason with %s its message stays, and what can be kept of its code', (_, reason, code) => {
  const { message } = read(`{${outcome},"status_reason":{${reason}},"result":"done"}`);
  const said = expect.stringMatching(/^Hot \(RESULT_INVALID\. Left out: body\/.*\)$/);
  expect(message).toEqual({ ...counted, status_reason: { code, message: said } });
});

test('a reason that is a text is a message', () => {
  const { message } = read(`{${outcome},"status_reason":"Hot"}`);
  expect(message).toMatchObject({ status_reason: { message: expect.stringMatching(/^Hot \(RESULT_INVALID\. /) } });
});

test.each([1_024, 1_025])('of a message of %d characters only the place of the note is lost', (length) => {
  const reason = JSON.stringify({ code: 'HOT', message: 'x'.repeat(length) });
  const { message } = read(`{${outcome},"status_reason":${reason},"result":"done"}`) as never as {
    message: { status_reason: { message: string } };
  };
  expect(message.status_reason.message).toHaveLength(1_024);
  expect(message.status_reason.message).toMatch(/^x{900,} \(RESULT_INVALID\. Left out: .*body\/result .*\)$/);
});

test('of a reason with two codes neither counts', () => {
  const { message } = read(`{${outcome},"status_reason":{"code":"HOT","code":"COLD"}}`);
  expect(message).toMatchObject({ ...counted, status_reason: { code: 'RESULT_INVALID' } });
});

test.each([
  ['no command', '{"adapter_status":"DELIVERED"}'],
  ['no status', `{"command_id":"${id}","result":{}}`],
  ['a status that no adapter reports', `{"command_id":"${id}","adapter_status":"SENT"}`],
  ['two commands', `{${outcome},"command_id":"${randomUUID()}"}`],
  ['two statuses', `{${outcome},"device_execution_status":"FAILED"}`],
  ['two statuses, once escaped', `{${outcome},"\\u0064evice_execution_status":"FAILED"}`],
  ['no object', `[{${outcome}}]`],
  ['nothing', ''],
])('an update with %s is unreadable', (_, text) => {
  expect(read(text)).toMatchObject({ refused: { reason: expect.stringMatching(/^Not /) } });
});

test('no decoration loses an outcome: 10,000 updates', () => {
  fc.assert(
    fc.property(decoratedUpdates(outcome), (body) => {
      expect(read(body).message, body).toMatchObject(counted);
    }),
    { numRuns: 10_000, seed: printedSeed() },
  );
});

test('of the fields that are left out, 20 are named', () => {
  const fields = Array.from({ length: 3_000 }, (_, index) => `"f${index}":1`).join(',');
  const { message, leftOut } = read(`{${outcome},${fields}}`) as unknown as Record<string, { details: unknown[] }>;
  expect(message).toMatchObject(counted);
  expect(leftOut?.details).toHaveLength(20);
});

test('a device request whose payload cannot be kept is parked whole; null of an optional field is absence', () => {
  const request = '"device_id":"d","request_type":"q","dedupe_id":"1"';
  expect(readDeviceRequest(Buffer.from(`{${request},"payload":{"a":NaN}}`))).toHaveProperty('refused');
  expect(readDeviceRequest(Buffer.from(`{${request},"payload":{},"expires_in_seconds":null}`))).toEqual({
    message: { device_id: 'd', request_type: 'q', dedupe_id: '1', payload: {} },
  });
});
