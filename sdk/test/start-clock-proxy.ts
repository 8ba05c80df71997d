import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** `$JS.ACK.{stream}.{durable}.{delivered}.{number}.{number}.{nanoseconds}.{pending}`: the subject of an acknowledgement. */
const STORED_AT = /(\$JS\.ACK(?:\.[^\s.]+){5}\.)(\d+)(?=\.\d+)/g;
const KEYS = /"(?:ts|last_active)":/g;
const IN_INFORMATION = /("(?:created|ts|last_active)":")(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/g;

/**
 * A proxy in front of a nats-server without TLS, through which its clock is ahead: in what it says of durables, and when
 * it stored a message. Or it does not tell its time. A server in Go cannot be given a clock of its own. No text becomes
 * longer.
 */
export async function startClockProxy(target: string, aheadMs: number) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isTold = true;
  const withoutTime = (line: string) => line.replace(KEYS, (key) => key.replace(/\w/g, '-'));
  const shifted = (line: string) =>
    (isTold ? line : withoutTime(line))
      .replace(
        STORED_AT,
        (_, subject, nanoseconds) => `${subject}${BigInt(nanoseconds) + BigInt(aheadMs) * 1_000_000n}`,
      )
      .replace(IN_INFORMATION, (_, key, instant) => {
        const moved = new Date(Date.parse(`${instant}Z`) + aheadMs).toISOString();
        return `${key}${moved.slice(0, instant.length)}`;
      });

  function ahead(): Transform {
    let rest = '';
    return new Transform({
      transform(bytes: Buffer, _, done) {
        const text = rest + bytes.toString('latin1');
        const end = text.lastIndexOf('\n') + 1;
        rest = text.slice(end);
        done(null, Buffer.from(shifted(text.slice(0, end)), 'latin1'));
      },
    });
  }

  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const end of [near, far])
      sockets.add(end.on('error', () => {}).on('close', () => [near, far].map((e) => e.destroy())));
    near.pipe(far).pipe(ahead()).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tellTime(isToldNow: boolean) {
      isTold = isToldNow;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
