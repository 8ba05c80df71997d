import { expect, test } from 'vitest';
import { addressOf, networkOf, peerAddress } from './connections.js';
import type { Incoming } from './exchange.js';

const request = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as Incoming;

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:49152', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['[::ffff:192.0.2.1]:49152', '192.0.2.1'],
  ['2001:DB8:0:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:49152', '2001:db8::1'],
  ['fe80::1%eth0.100', 'fe80::1'],
  ['[fe80::1%a:b]:49152', 'fe80::1'],
  ['::ffff:192.0.2.1%x-y', '192.0.2.1'],
  ['unknown', '198.51.100.9'],
  ['3221225985', '198.51.100.9'],
  ['192.0.2.999', '198.51.100.9'],
  ['_hidden', '198.51.100.9'],
])('a proxy that reports %s means %s', (said, meant) => {
  expect(addressOf(request('::ffff:198.51.100.9', `203.0.113.1, ${said}`), 1)).toBe(meant);
});

test('a connection that is already lost has no address', () => {
  const lost = { socket: {}, headers: {} } as unknown as Incoming;
  expect([0, 1].map((hops) => addressOf(lost, hops))).toEqual(['', '']);
});

test('looks behind exactly as many proxies as are trusted', () => {
  const req = request('198.51.100.9', '203.0.113.1, 203.0.113.2');
  expect([0, 1, 2, 3].map((hops) => addressOf(req, hops))).toEqual([
    '198.51.100.9',
    '203.0.113.2',
    '203.0.113.1',
    '203.0.113.1',
  ]);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['fe80::1', 'fe80::/64'],
  ['', ''],
])('failures of %s count for %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  [undefined, ''],
])('a connection of %s counts for %s', (remoteAddress, network) => {
  expect(networkOf(peerAddress({ remoteAddress }))).toBe(network);
});
