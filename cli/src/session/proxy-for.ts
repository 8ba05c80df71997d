import { BlockList, isIP } from 'node:net';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';

/** A proxy and the variable that names it. */
export type HttpProxy = { url: URL; variable: string };

/**
 * The proxy for a URL, from HTTPS_PROXY or HTTP_PROXY. NO_PROXY lists the hosts that need none. curl and Go have the same
 * rules: a variable in small letters comes first, and a name in NO_PROXY covers its subdomains. As in Go, loopback
 * addresses use no proxy.
 */
export function proxyFor(env: Context['env'], { protocol, hostname, port }: URL): HttpProxy | undefined {
  const names = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const variable = names.find((name) => env[name]);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (variable === undefined || isLoopback(host)) return undefined;
  const excluded = (env.no_proxy || env.NO_PROXY || '').split(/[\s,]+/).filter(Boolean);
  const actualPort = port || (protocol === 'https:' ? '443' : '80');
  if (excluded.some((entry) => covers(entry.toLowerCase(), host, actualPort))) return undefined;
  return { url: urlOf(variable, env[variable] ?? ''), variable };
}

/** For messages: without its password. */
export const nameOf = ({ url, variable }: HttpProxy) => `${url.protocol}//${url.host} (${variable})`;

function urlOf(variable: string, text: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return new URL(address);
  throw new UsageError(`${variable} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128`);
}

const isLoopback = (host: string) => host === 'localhost' || host.endsWith('.localhost') || within(host, LOOPBACK);

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function within(host: string, list: BlockList): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** `entry`: `*`, a name, an address or a range of addresses; names and addresses may have a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, range, bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (range !== undefined) return within(host, subnetOf(range, Number(bits)));
  const [, bare = entry, ofPort] = isIP(entry) ? [] : (/^\[?(.+?)\]?(?::(\d+))?$/.exec(entry) ?? []);
  if (ofPort !== undefined && ofPort !== port) return false;
  const name = bare.replace(/^\*?\./, '');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function subnetOf(range: string, bits: number): BlockList {
  const list = new BlockList();
  const family = isIP(range);
  if (family !== 0 && bits <= (family === 4 ? 32 : 128)) list.addSubnet(range, bits, family === 4 ? 'ipv4' : 'ipv6');
  return list;
}
