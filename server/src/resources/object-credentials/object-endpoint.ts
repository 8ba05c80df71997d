import { isIP } from 'node:net';
import { invalidValue } from '../../foundation/api-error.js';
import { hasInvalidPunycode, parseUrl } from '../../foundation/urls.js';

/** Scheme, authority, path, query and fragment, before any parser has normalised them. */
const PARTS = /^(https?):\/\/([^/?#\\\s]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/;

/** The endpoint in its stored form: lower case, without the default port and without a trailing slash. */
export function canonicalEndpoint(endpoint: string, allowInsecure: boolean): string {
  const problem = endpointProblem(endpoint, allowInsecure);
  if (problem !== null) throw invalidValue('body/endpoint', problem);
  return new URL(endpoint).origin;
}

function endpointProblem(endpoint: string, allowInsecure: boolean): string | null {
  const [, scheme, authority = '', path = '', query, fragment] = PARTS.exec(endpoint) ?? [];
  if (scheme === undefined) return `must be a URL that begins with https://${allowInsecure ? ' or http://' : ''}`;
  if (scheme.toLowerCase() === 'http' && !allowInsecure) return 'must be https: this platform does not allow http';
  if (authority.includes('@')) return 'must not name a user';
  if (query !== undefined) return 'must not have a query';
  if (fragment !== undefined) return 'must not have a fragment';
  if (path !== '' && path !== '/') return 'must not have a path: the bucket is named by the object resource';
  const url = parseUrl(endpoint);
  return url && isHost(url.hostname) ? null : 'must name a host';
}

const isHost = (hostname: string) => HOST.test(hostname) && !hasInvalidPunycode(hostname);

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
