import { domainToUnicode } from 'node:url';

/** Up to Node 22, `URL.canParse` refuses `https://bücher.example` after about 2,500 calls, when V8 has optimised it. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const PREFIX = /^xn--/i;

/**
 * Whether a label of the host name begins like punycode and cannot be decoded (RFC 3492). `URL` refuses such a name up
 * to Node 22 and takes it from Node 24 on, so a URL that one node stores could be unreadable for another program.
 */
export const hasInvalidPunycode = (hostname: string): boolean =>
  hostname.split('.').some((label) => PREFIX.test(label) && !isDecoded(domainToUnicode(label)));

/** Where decoding fails, Node 20 answers an empty string, and Node 24 the label itself. */
const isDecoded = (text: string) => text !== '' && !PREFIX.test(text);

/** `postgres://user:password@one:5432,two:5432/name`: URL knows only one host. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s;

/** The URL of each host: one that URL cannot read if the text is no URL of Postgres. */
export function urlsOfHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** Of several hosts, the driver splits name and port at the first colon: an IPv6 address does not work there. */
export const isDatabaseUrl = (url: string): boolean => {
  const urls = urlsOfHosts(url);
  return urls.every((one) => URL.canParse(one) && (urls.length === 1 || /^[^[]+$/.test(new URL(one).host)));
};
