import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import type { Incoming } from './exchange.js';

/** Some proxies append the port of the connection: `192.0.2.1:49152`, `[2001:db8::1]:49152`. */
const WITH_PORT = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** The client's address as the outermost trusted proxy saw it; the connection's if that is not valid. */
export function addressOf(req: Incoming, trustedHops: number): string {
  const peer = peerAddress(req.socket);
  if (trustedHops === 0) return peer;
  return canonical(proxyAddr(req, (_address, hop) => hop < trustedHops)) ?? peer;
}

/** The address at the other end of a connection; empty if the connection is already lost. */
export const peerAddress = ({ remoteAddress }: { remoteAddress?: string | undefined }): string =>
  canonical(remoteAddress ?? '') ?? '';

/** The zone of a link-local address, such as `%eth0.100`, is local to one machine and not part of the address. */
const ZONE = /%.*$/;

/** An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`) becomes the IPv4 address. */
function canonical(text: string): string | null {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const address = (ipv6 ?? ipv4 ?? text).replace(ZONE, '');
  if (isIPv4(address)) return address;
  return isIPv6(address) ? ipaddr.process(address).toString() : null;
}

/**
 * The key by which failures and connections are counted: the IPv4 address, or the /64 of an IPv6 address. One customer
 * has at least that many addresses.
 */
export const networkOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;
