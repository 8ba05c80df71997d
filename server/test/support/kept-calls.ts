import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Profile, sign } from '@tenant-open-platform/testing';

const TARGET = '/api/v1/open/downlink/commands?limit=1';

/** What became of the calls of one client. `toldToClose`: its last answer says that the connection closes. */
type Ended = { answered: number; statuses: Set<number>; isLost: boolean; toldToClose: boolean };

const LENGTH = /^content-length: (\d+)\r$/im;

/** The first whole answer of these bytes; null if it is incomplete. */
function firstAnswer(text: string) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [head, body] = [text.slice(0, end + 2), text.slice(end + 4)];
  if (Buffer.byteLength(body) < Number(LENGTH.exec(head)?.[1] ?? 0)) return null;
  return { status: Number(head.split(' ')[1]), isLast: /^connection: close\r$/im.test(head) };
}

/**
 * Clients that each keep one connection, as those of a pool, and call until an answer says that it closes. A call is lost
 * if the connection ends before its answer.
 */
export function startKeptCalls(profile: Profile, { clients = 40, pauseMs = () => 0 } = {}) {
  const { hostname, port } = new URL(profile.base_url);
  let answered = 0;

  async function call(): Promise<Ended> {
    const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('utf8');
    socket.on('error', () => {});
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    const ended: Ended = { answered: 0, statuses: new Set(), isLost: false, toldToClose: false };
    while (!ended.toldToClose && !socket.destroyed && !socket.readableEnded) {
      const headers = Object.entries(sign(profile, 'GET', TARGET)).map((pair) => pair.join(': '));
      socket.write(`${[`GET ${TARGET} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`);
      let text = '';
      let answer = null;
      while (!answer && !socket.destroyed) {
        const [more] = await Promise.race([once(socket, 'data').catch(() => []), closed.then(() => [])]);
        text += more ?? '';
        answer = firstAnswer(text);
      }
      if (!answer) return { ...ended, isLost: true };
      ended.answered++;
      answered++;
      ended.statuses.add(answer.status);
      ended.toldToClose = answer.isLast;
      const pause = pauseMs();
      if (pause > 0) await delay(pause);
    }
    socket.destroy();
    return ended;
  }

  return {
    answered: () => answered,
    /** Resolves once every client has ended. */
    ended: Promise.all(Array.from({ length: clients }, call)),
  };
}
