import ipaddr from 'ipaddr.js';
import type { Refuse } from '../../platform/operation/api-error.js';

const MAX_LENGTH = 2_048;

/**
 * The canonical spelling of a URL that deliveries may go to, as a WHATWG URL parser writes it: the host is judged after
 * it has undone every other spelling. Nothing is resolved here: a public name may lead anywhere by the time of a
 * delivery, so the delivery service has to judge the address that it connects to as well.
 */
export function canonicalCallbackUrl(text: string, refuse: Refuse<'CALLBACK_URL_NOT_ALLOWED'>): string {
  /** No message shows the URL: it may hold a password or a token. */
  const refusal: Refusal = (code, message) =>
    refuse('CALLBACK_URL_NOT_ALLOWED', { details: [{ location: 'body/url', code, message }] });

  // What parsers drop silently or read differently: a backslash ends the host for one and belongs to the user for another.
  if (/[\s\\\p{Cc}]/u.test(text)) {
    throw refusal('INVALID_URL', 'must have no white space, control character or backslash');
  }
  const authority = /^https:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) throw refusal('HTTPS_REQUIRED', 'must begin with https:// and a host');
  if (authority.includes('@')) throw refusal('USER_NOT_ALLOWED', 'must have no user or password');
  if (text.includes('#')) throw refusal('FRAGMENT_NOT_ALLOWED', 'must have no fragment');
  if (!URL.canParse(text)) throw refusal('INVALID_URL', 'is not a URL: its host or its port is not valid');
  const url = new URL(text);
  if (url.port === '0') throw refusal('PORT_NOT_ALLOWED', 'must not have port 0');
  judgeHost(url.hostname, refusal);
  if (url.href.length > MAX_LENGTH) {
    throw refusal('TOO_BIG', `must have at most ${MAX_LENGTH} characters in its canonical spelling`);
  }
  return url.href;
}

type Refusal = (code: string, message: string) => Error;

function judgeHost(host: string, refusal: Refusal): void {
  const literal = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal)) {
    const address = ipaddr.parse(literal);
    if (!isPublic(address)) throw refusal('ADDRESS_NOT_PUBLIC', `must not lead to ${address}: it is no public address`);
    return;
  }
  if (!HOST_NAME.test(host) || host.length > 253) {
    throw refusal('INVALID_HOST', 'must have a host name of letters, digits, - and _ between single dots');
  }
  if (!host.includes('.')) throw refusal('HOST_NOT_PUBLIC', 'must have a host name with a domain');
  const internal = NOT_PUBLIC.find((domain) => host === domain || host.endsWith(`.${domain}`));
  if (internal) throw refusal('HOST_NOT_PUBLIC', `must not have a host of the domain ${internal}: it is not public`);
}

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

type Address = ReturnType<typeof ipaddr.parse>;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** A public address of Azure that every virtual machine's own host answers. Others serve metadata on private ones. */
const WIRE_SERVER = '168.63.129.16';

/** Of IPv6, what IANA gives out for hosts. 6to4, Teredo and NAT64, which lead on to an IPv4 address, are no part of it. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_UNICAST) : address.toString() !== WIRE_SERVER;
}

/**
 * Domains that lead, with all below them, to no public host. Not `example`: nothing resolves it, the documentation uses
 * it, and RFC 6761 (6.5) asks to treat it like any other, while developers do point `test` at their own machine.
 */
const NOT_PUBLIC = [
  // Special-use names: RFC 6761, 6762, 7686, 9476, and what is below the domain of the infrastructure, as home.arpa.
  ...['localhost', 'test', 'invalid', 'local', 'onion', 'alt', 'arpa'],
  // Private networks: RFC 6762 (appendix G), the ICANN board on .internal and on .corp, .home and .mail.
  ...['internal', 'intranet', 'private', 'lan', 'corp', 'home', 'mail', 'localdomain', 'localdomain4', 'localdomain6'],
  // Service discovery of Kubernetes and Consul.
  ...['svc', 'default', 'consul'],
  // Public names of metadata services.
  ...['metadata.goog', 'metadata.tencentyun.com'],
  // Public names for whatever address they spell, and for loopback. Others exist: this spares a mistake, not an attack.
  ...['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me'],
];
