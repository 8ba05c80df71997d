import { connect } from 'node:net';
import type { Answer } from './signed-request.js';

/**
 * Sends bytes unchanged over a separate connection, for requests that no HTTP client would send. Reads `answers` final
 * answers, or until the server closes.
 */
export function rawRequests(node: string, bytes: string | Buffer, answers: number): Promise<Answer[]> {
  const { hostname, port } = new URL(node);
  const isHead = bytes.toString('latin1').startsWith('HEAD ');
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(15_000, () => socket.destroy(new Error(`No answer: ${received}`)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (parseAnswers(received, isHead).length >= answers) socket.destroy();
    });
    socket.on('error', (error) => {
      if (received.length === 0) reject(error);
    });
    socket.on('close', () => resolve(parseAnswers(received, isHead)));
  });
}

export async function rawRequest(node: string, bytes: string | Buffer): Promise<Answer> {
  const [answer] = await rawRequests(node, bytes, 1);
  if (!answer) throw new Error('The server closed the connection without an answer.');
  return answer;
}

/** The complete answers in the received bytes, without 1xx. The platform's answers all have a Content-Length. */
function parseAnswers(received: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  for (let start = 0; ; ) {
    const end = received.indexOf('\r\n\r\n', start);
    if (end === -1) return answers;
    const [statusLine = '', ...lines] = received.toString('latin1', start, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyEnd = end + 4 + (isHead ? 0 : Number(headers['content-length'] ?? 0));
    if (received.length < bodyEnd) return answers;
    const raw = received.toString('utf8', end + 4, bodyEnd);
    const status = Number(statusLine.split(' ')[1]);
    const body = headers['content-type']?.startsWith('application/json') && raw !== '' ? JSON.parse(raw) : raw;
    if (status >= 200) answers.push({ status, headers, body, raw });
    start = bodyEnd;
  }
}
