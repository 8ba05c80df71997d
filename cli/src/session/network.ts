import { resolve } from 'node:path';
import tls from 'node:tls';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { textIn } from '../input/decode.js';
import type { Profile } from './profile.js';
import { proxyFor } from './proxy-for.js';

/** How topctl reaches a URL: with Node's fetch, unless a proxy or a CA of one's own needs more. */
export async function networkOf(context: Context, profile: Pick<Profile, 'ca_file'>): Promise<typeof fetch> {
  const { env } = context;
  const ca_file = env.TOP_CA_FILE || profile.ca_file;
  const isProxied = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => env[name]);
  if (!isProxied && ca_file === undefined) return context.fetch;
  const ca = ca_file === undefined ? undefined : await trustedWith(context, ca_file);
  const { createTransport } = await import('./transport.js');
  const send = createTransport((url) => proxyFor(env, url), { ca });
  return (input, init) => {
    const isOurs = ca !== undefined || proxyFor(env, new URL(String(input))) !== undefined;
    return (isOurs ? send : context.fetch)(input, init);
  };
}

/** A list of one's own replaces that of Node, so it begins with it. */
async function trustedWith({ fs, cwd, env }: Context, path: string): Promise<string[]> {
  const read = async (file: string, name: string) => {
    const bytes = await fs.readFile(resolve(cwd, file)).catch((error: Error) => {
      throw new UsageError(`cannot read ${file} of ${name}: ${error.message}`);
    });
    const text = textIn(bytes, file);
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
    throw new UsageError(`${file} of ${name} has no certificate: it must be in PEM, -----BEGIN CERTIFICATE-----`);
  };
  const extra = env.NODE_EXTRA_CA_CERTS;
  return [
    ...tls.rootCertificates,
    ...(extra ? [await read(extra, 'NODE_EXTRA_CA_CERTS')] : []),
    await read(path, 'ca_file'),
  ];
}
