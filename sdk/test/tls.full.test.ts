import { ownAuthority } from '@tenant-open-platform/testing/certificates';
import { startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { expect, test } from 'vitest';
import { connectToBus } from '../src/adapter/connect.js';

const { caFile, sign } = await ownAuthority();
const ofAddress = await sign('IP:127.0.0.1');
const ofName = await sign('DNS:localhost');
const ofOther = await sign('IP:127.0.0.2');

test.concurrent.for([
  { host: '127.0.0.1', of: 'the address', files: ofAddress, fits: true },
  { host: '127.0.0.1', of: 'localhost', files: ofName, fits: false },
  { host: '127.0.0.1', of: 'another address', files: ofOther, fits: false },
  { host: 'localhost', of: 'the address', files: ofAddress, fits: false },
  { host: 'localhost', of: 'localhost', files: ofName, fits: true },
])(
  'connects to NATS at $host, which has a certificate for $of, only if it fits',
  async ({ host, files, fits }, context) => {
    const nats = await startPrivateNats(`tls { cert_file: "${files.certFile}", key_file: "${files.keyFile}" }`);
    context.onTestFinished(nats.stop);
    const servers = `tls://${host}:${new URL(nats.url).port}`;
    const messages: string[] = [];
    const stop = new AbortController();
    context.onTestFinished(() => stop.abort());
    const connecting = connectToBus(
      { servers, tls: { caFile } },
      'adapter',
      ({ message }) => void messages.push(message),
      stop.signal,
    );
    if (fits) {
      const link = await connecting;
      expect(link.isConnected).toBe(true);
      return link.close();
    }
    const refused = expect(connecting).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await expect.poll(() => messages.join()).toContain("does not match certificate's altnames");
    stop.abort();
    await refused;
  },
);
