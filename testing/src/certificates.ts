import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './at-end.js';

/** A certificate authority of the calling test or file. `sign` makes a certificate for a name or an address. */
export async function ownAuthority(folder = temporaryFolder()) {
  const make = (name: string, subject: string[]) => {
    const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', keyFile, '-out', certFile];
    return promisify(execFile)('openssl', [...made, ...subject]).then(() => ({ certFile, keyFile }));
  };
  const ca = await make('ca', ['-subj', '/CN=authority']);
  return {
    caFile: ca.certFile,
    /** `host`: such as `DNS:localhost` or `IP:127.0.0.1`. */
    sign: (host: string) =>
      make(host.replace(/\W/g, '-'), [
        ...['-subj', '/CN=server', '-addext', `subjectAltName=${host}`, '-addext', 'basicConstraints=CA:FALSE'],
        ...['-CA', ca.certFile, '-CAkey', ca.keyFile],
      ]),
  };
}
