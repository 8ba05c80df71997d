import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import type { Incoming } from './exchange.js';

/** Some proxies append the port of the connection: `192.0.2.1:49152`, `[2001:db8::1]:49152`. */
const WITH_PORT = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/;

/**
 * The address that a request comes from, as the outermost of `trustedHops` proxies saw it. The connection's own
 * address where the proxies say nothing that is an address.
 */
export function addressOf(req: Incoming, trustedHops: number): string {
  const peer = peerAddress(req.socket);
  if (trustedHops === 0) return peer;
  return canonical(proxyAddr(req, (_address, hop) => hop < trustedHops)) ?? peer;
}

/** The address at the other end of a connection; empty where the connection is already lost. */
export const peerAddress = ({ remoteAddress }: { remoteAddress?: string | undefined }): string =>
  canonical(remoteAddress ?? '') ?? '';

/** The zone of a link-local address, such as `%eth0.100`, is local to the machine that says it, and no part of it. */
const ZONE = /%.*$/;

/** An IPv4 address that is mapped into IPv6 (`::ffff:192.0.2.1`) becomes the IPv4 address. */
function canonical(text: string): string | null {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const address = (ipv6 ?? ipv4 ?? text).replace(ZONE, '');
  if (isIPv4(address)) return address;
  return isIPv6(address) ? ipaddr.process(address).toString() : null;
}

/** Failures and connections are counted by IPv4 address, and by /64 for IPv6: one customer has at least that many addresses. */
export const networkOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;
