import { expect, test } from 'vitest';
import { denialsOf, expiresInSeconds } from './objects.js';

const policy = {
  resourceStatus: 'ACTIVE',
  credentialStatus: 'ACTIVE',
  allowedOperations: ['UPLOAD', 'DOWNLOAD'],
  allowedContentTypes: null,
  maxObjectBytes: 1000,
  maxExpiresInSeconds: 3600,
} satisfies Parameters<typeof denialsOf>[0];

const upload = { operation: 'UPLOAD', content_type: 'image/png', content_length: 1000 } as const;
const download = { operation: 'DOWNLOAD' } as const;

const rulesOf = (...args: Parameters<typeof denialsOf>) =>
  denialsOf(...args).map(({ location, code, message }) => [location, code, message]);

test('allows a request within every limit', () => {
  expect(rulesOf(policy, { ...upload, expires_in_seconds: 3600 })).toEqual([]);
  expect(rulesOf({ ...policy, allowedOperations: ['DOWNLOAD'], allowedContentTypes: ['image/png'] }, download)).toEqual(
    [],
  );
});

test('names every violated rule, with its location', () => {
  const closed = {
    resourceStatus: 'DISABLED',
    credentialStatus: 'DISABLED',
    allowedOperations: ['DOWNLOAD'],
    allowedContentTypes: ['image/*', 'text/plain'],
    maxObjectBytes: 999,
    maxExpiresInSeconds: 60,
  } as const;
  expect(rulesOf(closed, { ...upload, content_type: 'text/html', expires_in_seconds: 61 })).toEqual([
    ['body/resource_id', 'RESOURCE_DISABLED', 'is DISABLED'],
    ['body/resource_id', 'CREDENTIAL_DISABLED', 'has an object credential that is DISABLED'],
    ['body/operation', 'OPERATION_NOT_ALLOWED', 'must be DOWNLOAD'],
    ['body/content_type', 'CONTENT_TYPE_NOT_ALLOWED', 'must be one of image/*, text/plain'],
    ['body/content_length', 'OBJECT_TOO_LARGE', 'must be at most 999'],
    ['body/expires_in_seconds', 'EXPIRES_IN_TOO_LONG', 'must be at most 60'],
  ]);
});

test.each([
  ['resource_id', { ...policy, resourceStatus: 'DISABLED' }, upload],
  ['resource_id', { ...policy, credentialStatus: 'DISABLED' }, download],
  ['operation', { ...policy, allowedOperations: ['UPLOAD'] }, download],
  ['content_type', { ...policy, allowedContentTypes: ['image/jpeg'] }, upload],
  ['content_length', policy, { ...upload, content_length: 1001 }],
  ['expires_in_seconds', policy, { ...download, expires_in_seconds: 3601 }],
] as const)('denies %s alone', (field, against, asked) => {
  expect(denialsOf(against, asked).map(({ location }) => location)).toEqual([`body/${field}`]);
});

test.each([
  'image/png',
  'IMAGE/PNG',
  'Image/Png; charset=binary',
  'image/png;q=1',
  'image/png ;a=b; c=d',
  'image/png; codecs="avc1.42E01E, mp4a.40.2"',
  'image/png; a="b\\", c"; d="\\\\"',
])('accepts the content type %j by its essence', (content_type) => {
  for (const allowed of ['image/png', 'image/*']) {
    expect(denialsOf({ ...policy, allowedContentTypes: [allowed] }, { ...upload, content_type })).toEqual([]);
  }
});

test.each([
  'image/png, text/html',
  'image/png;a=b, text/html',
  'image/png;a="b", text/html',
  'image/png;a="b\\\\", text/html',
  'image/png;a="b, text/html',
  'image/*evil',
  'image/*',
  'image',
  'image/',
  '/png',
  'image/png/html',
  'image /png',
  ' image/png',
  'image/png x',
  'image/png\ntext/html',
  'image/png\r\nX-Amz-Acl: public-read',
  'image/png\u0000',
  'imageX/png',
  'xmage/png',
  'text/html; type=image/png',
  'text/html;image/png',
  'text/image/png',
  '*/*',
  '',
])('refuses the content type %j, which only looks allowed', (content_type) => {
  for (const allowed of ['image/png', 'image/*']) {
    const denials = denialsOf({ ...policy, allowedContentTypes: [allowed] }, { ...upload, content_type });
    expect(denials.map(({ code }) => code)).toEqual(['CONTENT_TYPE_NOT_ALLOWED']);
  }
});

test('treats a subtype that only begins like an allowed one as another type', () => {
  const only = { ...policy, allowedContentTypes: ['image/svg', 'application/*'] };
  for (const content_type of ['image/svg+xml', 'image/sv', 'applications/pdf', 'application2/pdf']) {
    expect(denialsOf(only, { ...upload, content_type })).toHaveLength(1);
  }
});

test('denies an upload without a type or a size, whatever else the request has', () => {
  const codes = denialsOf({ ...policy, allowedContentTypes: ['image/*'] }, { operation: 'UPLOAD' });
  expect(codes.map(({ code }) => code)).toEqual(['CONTENT_TYPE_NOT_ALLOWED', 'OBJECT_TOO_LARGE']);
});

test('a URL is valid for 900 seconds, or for as long as the policy allows if that is less', () => {
  expect(expiresInSeconds(policy, download)).toBe(900);
  expect(expiresInSeconds({ ...policy, maxExpiresInSeconds: 60 }, download)).toBe(60);
  expect(expiresInSeconds(policy, { ...download, expires_in_seconds: 3600 })).toBe(3600);
  expect(denialsOf({ ...policy, maxExpiresInSeconds: 60 }, download)).toEqual([]);
});
