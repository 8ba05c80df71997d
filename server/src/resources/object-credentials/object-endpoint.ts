import { isIP } from 'node:net';
import { invalidValue } from '../../foundation/api-error.js';
import { hasInvalidPunycode, parseUrl } from '../../foundation/urls.js';

/** Scheme, authority, path, query and fragment, before any parser has normalised them. */
const PARTS = /^(https?):\/\/([^/?#\\\s]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/;

/** Of a store behind a path, such as /storage/v1/s3. None of its characters has two spellings. */
const PATH = /^(\/[\w~-][\w.~-]*)*\/?$/;

/** The endpoint in its stored form: the host in lower case, without the default port and without a trailing slash. */
export function canonicalEndpoint(endpoint: string, allowInsecure: boolean): string {
  const wrong = (problem: string) => invalidValue('body/endpoint', problem);
  const [, scheme, authority = '', path = '', query, fragment] = PARTS.exec(endpoint) ?? [];
  if (scheme === undefined) throw wrong(`must be a URL that begins with https://${allowInsecure ? ' or http://' : ''}`);
  if (scheme.toLowerCase() === 'http' && !allowInsecure)
    throw wrong('must be https: this platform does not allow http');
  if (authority.includes('@')) throw wrong('must not name a user');
  if (query !== undefined) throw wrong('must not have a query');
  if (fragment !== undefined) throw wrong('must not have a fragment');
  if (!PATH.test(path)) throw wrong('may have a path of letters, digits, - _ ~ and . only, without the bucket');
  const url = parseUrl(endpoint);
  // A parser takes https:///store for https://store.
  if (authority === '' || !url || !HOST.test(url.hostname) || hasInvalidPunycode(url.hostname))
    throw wrong('must name a host');
  return url.origin + url.pathname.replace(/\/$/, '');
}

type Addressing = { endpoint: string; forcePathStyle: boolean };

export function refuseHostNameOfAddress({ endpoint, forcePathStyle }: Addressing): void {
  const { hostname } = new URL(endpoint);
  if (forcePathStyle || isIP(hostname.replace(/[[\]]/g, '')) === 0) return;
  throw invalidValue(
    'body/force_path_style',
    'must be true: an endpoint with an IP address cannot hold the bucket in its host name',
  );
}

/**
 * Whether the bucket can be part of a host name. A bucket with a dot would be two labels, which no wildcard certificate
 * covers. A bucket that begins like punycode and is not makes a host name that many URL parsers refuse.
 */
export const fitsHostName = (bucket: string) => !bucket.includes('.') && !hasInvalidPunycode(bucket);

export function refuseBucketInHostName({ forcePathStyle }: Addressing, bucket: string, location: string): void {
  if (forcePathStyle || fitsHostName(bucket)) return;
  throw invalidValue(
    location,
    `does not fit: the object credential has force_path_style false, and the bucket ${bucket} cannot go into a host name`,
  );
}
