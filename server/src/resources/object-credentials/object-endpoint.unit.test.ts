import { expect, test } from 'vitest';
import { ApiError } from '../../foundation/api-error.js';
import { canonicalEndpoint, refuseBucketInHostName, refuseHostNameOfAddress } from './object-endpoint.js';

function detailOf(refuse: () => unknown) {
  try {
    refuse();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') return error.extra.details?.[0];
    throw error;
  }
  return null;
}

test.each([
  ['https://objects.example.com', 'https://objects.example.com'],
  ['https://objects.example.com/', 'https://objects.example.com'],
  ['HTTPS://Objects.Example.COM', 'https://objects.example.com'],
  ['https://objects.example.com:443', 'https://objects.example.com'],
  ['https://objects.example.com:9000/', 'https://objects.example.com:9000'],
  ['https://minio_1:9000', 'https://minio_1:9000'],
  ['https://10.0.0.7', 'https://10.0.0.7'],
  ['https://[2001:DB8::1]:9000', 'https://[2001:db8::1]:9000'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://Objects.example.com/storage/v1/S3/', 'https://objects.example.com/storage/v1/S3'],
])('stores %j as %j', (endpoint, stored) => {
  expect(canonicalEndpoint(endpoint, false)).toBe(stored);
  expect(canonicalEndpoint(stored, true)).toBe(stored);
});

test('accepts http only if the operator allows it', () => {
  expect(canonicalEndpoint('http://localhost:9000', true)).toBe('http://localhost:9000');
  expect(canonicalEndpoint('http://localhost:80', true)).toBe('http://localhost');
  expect(detailOf(() => canonicalEndpoint('HTTP://localhost:9000', false))?.message).toBe(
    'must be https: this platform does not allow http',
  );
});

const BEGINS = 'must be a URL that begins with https:// or http://';
const PATH = 'may have a path of letters, digits, - _ ~ and . only, without the bucket';

test.each([
  ['', BEGINS],
  ['objects.example.com', BEGINS],
  ['//objects.example.com', BEGINS],
  ['https:objects.example.com', BEGINS],
  ['https:/objects.example.com', BEGINS],
  ['https:\\\\objects.example.com', BEGINS],
  [' https://objects.example.com', BEGINS],
  ['s3://bucket', BEGINS],
  ['ftp://objects.example.com', BEGINS],
  ['javascript:alert(1)', BEGINS],
  ['https://user@objects.example.com', 'must not name a user'],
  ['https://user:password@objects.example.com', 'must not name a user'],
  ['https://@objects.example.com', 'must not name a user'],
  ['https://objects.example.com?', 'must not have a query'],
  ['https://objects.example.com/?x=1', 'must not have a query'],
  ['https://objects.example.com#', 'must not have a fragment'],
  ['https://objects.example.com/#x', 'must not have a fragment'],
  ['https://objects.example.com//', PATH],
  ['https://objects.example.com/.', PATH],
  ['https://objects.example.com/a/..', PATH],
  ['https://objects.example.com/%2e', PATH],
  ['https://objects.example.com\\', PATH],
  ['https://objects.example.com ', PATH],
  ['https://objects.example.com\n', PATH],
  ['https://objects\t.example.com', PATH],
  ['https://', 'must name a host'],
  ['https:///bucket', 'must name a host'],
  ['https://:9000', 'must name a host'],
  ['https://objects.example.com.', 'must name a host'],
  ['https://.example.com', 'must name a host'],
  ['https://a..b', 'must name a host'],
  ['https://a,b', 'must name a host'],
  ["https://a'b", 'must name a host'],
  ['https://*.example.com', 'must name a host'],
  ['https://objects.example.com:65536', 'must name a host'],
  ['https://objects.example.com:port', 'must name a host'],
  ['https://256.1.1.1', 'must name a host'],
  ['https://[::1', 'must name a host'],
  ['https://xn--a', 'must name a host'],
])('refuses %j: it %s', (endpoint, message) => {
  expect(detailOf(() => canonicalEndpoint(endpoint, true))).toEqual({
    location: 'body/endpoint',
    code: 'INVALID_VALUE',
    message,
  });
});

test.each(['https://10.0.0.7', 'https://127.0.0.1:9000', 'https://[::1]:9000', 'https://0x7f.1', 'https://2130706433'])(
  'an endpoint %j needs force_path_style: an IP address cannot hold a bucket',
  (given) => {
    const endpoint = canonicalEndpoint(given, false);
    refuseHostNameOfAddress({ endpoint, forcePathStyle: true });
    expect(detailOf(() => refuseHostNameOfAddress({ endpoint, forcePathStyle: false }))?.location).toBe(
      'body/force_path_style',
    );
  },
);

test.each(['https://objects.example.com', 'https://localhost:9000', 'https://1.2.3.example'])(
  'an endpoint %j can have the bucket in its host name',
  (endpoint) => {
    expect(() => refuseHostNameOfAddress({ endpoint, forcePathStyle: false })).not.toThrow();
  },
);

test('a bucket with a dot, or that looks like punycode, needs force_path_style', () => {
  const store = { endpoint: 'https://objects.example.com', forcePathStyle: false };
  for (const bucket of ['acme', 'acme-firmware', 'a--b', '0--0', 'xn--bcher-kva']) {
    expect(
      detailOf(() => refuseBucketInHostName(store, bucket, 'body/bucket')),
      bucket,
    ).toBeNull();
  }
  for (const bucket of ['acme.firmware', 'a..b', '127.0.0.1', 'xn--a']) {
    expect(detailOf(() => refuseBucketInHostName(store, bucket, 'body/bucket'))).toEqual({
      location: 'body/bucket',
      code: 'INVALID_VALUE',
      message: `does not fit: the object credential has force_path_style false, and the bucket ${bucket} cannot go into a host name`,
    });
    refuseBucketInHostName({ ...store, forcePathStyle: true }, bucket, 'body/bucket');
  }
});
