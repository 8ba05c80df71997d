import ipaddr from 'ipaddr.js';
import type { Refuse } from '../../foundation/api-error.js';
import { hasInvalidPunycode, parseUrl } from '../../foundation/urls.js';

const MAX_LENGTH = 2_048;
const NOT_A_URL = 'is not a URL: its host or its port is not valid';

/**
 * The canonical spelling of a webhook URL, as a WHATWG URL parser writes it. The host is checked after the parser has
 * normalised it. The name is not resolved here, because a public name may point anywhere by the time of a delivery. So
 * the delivery service must also check the address that it connects to.
 */
export function canonicalCallbackUrl(text: string, refuse: Refuse<'CALLBACK_URL_NOT_ALLOWED'>): string {
  /** No message shows the URL: it may contain a password or a token. */
  const notAllowed: NotAllowed = (code, message) =>
    refuse('CALLBACK_URL_NOT_ALLOWED', { details: [{ location: 'body/url', code, message }] });

  // Characters that parsers drop silently or read differently: a backslash ends the host for one parser and belongs to
  // the user for another.
  if (/[\s\\\p{Cc}]/u.test(text)) {
    throw notAllowed('INVALID_URL', 'must have no white space, control character or backslash');
  }
  const authority = /^https:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) throw notAllowed('HTTPS_REQUIRED', 'must begin with https:// and a host');
  if (authority.includes('@')) throw notAllowed('USER_NOT_ALLOWED', 'must have no user or password');
  if (text.includes('#')) throw notAllowed('FRAGMENT_NOT_ALLOWED', 'must have no fragment');
  const url = parseUrl(text);
  if (!url) throw notAllowed('INVALID_URL', NOT_A_URL);
  if (url.port === '0') throw notAllowed('PORT_NOT_ALLOWED', 'must not have port 0');
  judgeHost(url.hostname, notAllowed);
  if (url.href.length > MAX_LENGTH) {
    throw notAllowed('TOO_BIG', `must have at most ${MAX_LENGTH} characters in its canonical spelling`);
  }
  return url.href;
}

type NotAllowed = (code: string, message: string) => Error;

function judgeHost(host: string, notAllowed: NotAllowed): void {
  const literal = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal)) {
    const address = ipaddr.parse(literal);
    if (!isPublic(address))
      throw notAllowed('ADDRESS_NOT_PUBLIC', `must not lead to ${address}: it is not a public address`);
    return;
  }
  if (!HOST_NAME.test(host) || host.length > 253) {
    throw notAllowed('INVALID_HOST', 'must have a host name of letters, digits, - and _ between single dots');
  }
  if (hasInvalidPunycode(host)) throw notAllowed('INVALID_URL', NOT_A_URL);
  if (!host.includes('.')) throw notAllowed('HOST_NOT_PUBLIC', 'must have a host name with a domain');
  const internal = NOT_PUBLIC.find((domain) => host === domain || host.endsWith(`.${domain}`));
  if (internal) throw notAllowed('HOST_NOT_PUBLIC', `must not have a host of the domain ${internal}: it is not public`);
}

const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const HOST_NAME = new RegExp(`^${LABEL}(\\.${LABEL})*$`);

type Address = ReturnType<typeof ipaddr.parse>;

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** A public address of Azure, which every virtual machine answers. Other clouds use private addresses. */
const WIRE_SERVER = '168.63.129.16';

/** The IPv6 range that IANA assigns to hosts. It excludes 6to4, Teredo and NAT64, which lead to an IPv4 address. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_UNICAST) : address.toString() !== WIRE_SERVER;
}

/**
 * Domains that, with all their subdomains, lead to no public host. `example` is missing: nothing resolves it, and the
 * documentation uses it. RFC 6761 (6.5) asks to treat it like any other name, while developers do point `test` at their
 * own machine.
 */
const NOT_PUBLIC = [
  // Special-use names: RFC 6761, 6762, 7686, 9476, and subdomains of the infrastructure domain, such as home.arpa.
  ...['localhost', 'test', 'invalid', 'local', 'onion', 'alt', 'arpa'],
  // Private networks: RFC 6762 (appendix G), the ICANN board on .internal and on .corp, .home and .mail.
  ...['internal', 'intranet', 'private', 'lan', 'corp', 'home', 'mail', 'localdomain', 'localdomain4', 'localdomain6'],
  // Service discovery of Kubernetes and Consul.
  ...['svc', 'default', 'consul'],
  // Public names of metadata services.
  ...['metadata.goog', 'metadata.tencentyun.com'],
  // Public names that resolve to the address in the name or to loopback. The list is incomplete: it prevents a mistake,
  // not an attack.
  ...['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me'],
];
