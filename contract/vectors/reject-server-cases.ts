import { type RejectCase, type RequestCase, rebootBody, withoutHeader } from './cases.js';

type Reason = Pick<RequestCase, 'name' | 'why'>;

const serverCase = (reason: Reason, code: RejectCase['code'], change: Partial<RejectCase>): RejectCase => ({
  ...reason,
  judge: 'server',
  code,
  ...change,
});

const post = { method: 'POST', target: '/api/v1/open/downlink/commands', body: rebootBody };

const replaceHeader = (name: string, line: string) => ({
  headers: (right: string[]) => [...right.filter((header) => !header.startsWith(`${name}:`)), line],
});

const addHeaders = (...lines: string[]) => ({ headers: (right: string[]) => [...right, ...lines] });

export const serverCases: RejectCase[] = [
  serverCase({ name: 'get-with-body', why: 'A GET has no body.' }, 'MALFORMED_HTTP', { ...post, method: 'GET' }),
  serverCase({ name: 'delete-with-body', why: 'A DELETE has no body.' }, 'MALFORMED_HTTP', {
    method: 'DELETE',
    target: '/api/v1/platform/tenants/t1/role-bindings/demo-client/integration_operator',
    body: '{}',
  }),
  serverCase(
    { name: 'gzip', why: 'The body is hashed as received; no encoding is undone.' },
    'UNSUPPORTED_MEDIA_TYPE',
    {
      ...post,
      body: Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64'),
      ...addHeaders('Content-Encoding: gzip'),
    },
  ),
  serverCase({ name: 'no-content-type', why: 'A body says that it is JSON.' }, 'UNSUPPORTED_MEDIA_TYPE', {
    ...post,
    after_signature: true,
    ...withoutHeader('Content-Type'),
  }),
  serverCase({ name: 'text-plain', why: 'The type that a form sends across sites.' }, 'UNSUPPORTED_MEDIA_TYPE', {
    ...post,
    after_signature: true,
    ...replaceHeader('Content-Type', 'Content-Type: text/plain'),
  }),
  serverCase({ name: 'form', why: 'What curl --data sends unless told otherwise.' }, 'UNSUPPORTED_MEDIA_TYPE', {
    ...post,
    after_signature: true,
    ...replaceHeader('Content-Type', 'Content-Type: application/x-www-form-urlencoded'),
  }),
  serverCase({ name: 'byte-order-mark', why: 'JSON has no byte order mark.' }, 'MALFORMED_JSON', {
    ...post,
    body: `\ufeff${rebootBody}`,
    after_signature: true,
  }),
  serverCase({ name: 'repeated-member', why: 'Readers differ on which of two members counts.' }, 'MALFORMED_JSON', {
    ...post,
    body: rebootBody.replace('"payload"', '"vendor":"vendor_b","payload"'),
    after_signature: true,
  }),
  serverCase({ name: 'inexact-number', why: 'A double would change it.' }, 'MALFORMED_JSON', {
    ...post,
    body: rebootBody.replace('{}', '{"serial":9007199254740993}'),
    after_signature: true,
  }),
];
