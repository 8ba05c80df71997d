import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Execution } from './lies.js';

// Devices, and the record of what they did, in a process that nobody kills. The name of a device says what it does with
// each command: asked-ok-1, mute-fails-2, asked-refuses-3, mute-offline-4. It knows nothing of earlier commands: the
// same command twice is executed twice.
//
// POST /{device_id}/{command_id}: 202 when the device begins, and the answer in the body when it ends; 422 if it
// refuses, 503 if it is offline.
// GET /{command_id}: what happened to a command, once it has ended, or 404.
// GET /: everything.

const SHORTEST_MS = 50;
const LONGEST_MS = 1_500;

type Recorded = Execution & { ended: Promise<void> };
const executions: Recorded[] = [];
const now = () => new Date().toISOString();

/** A device goes on if nobody waits for its answer any more. */
function execute(command_id: string, device_id: string): Recorded {
  const answer = device_id.includes('-fails-') ? 'FAILED' : 'DONE';
  const ended = delay(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS)).then(() => {
    execution.ended_at = now();
  });
  const execution: Recorded = { command_id, device_id, begun_at: now(), ended_at: '', answer, ended };
  executions.push(execution);
  return execution;
}

function turnAway(command_id: string, device_id: string, answer: 'REFUSED' | 'OFFLINE'): void {
  const at = now();
  executions.push({ command_id, device_id, begun_at: at, ended_at: at, answer, ended: Promise.resolve() });
}

async function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [first = '', command_id = ''] = url.slice(1).split('/');
  if (method === 'POST') {
    const refusal = first.includes('-refuses-') ? 422 : first.includes('-offline-') ? 503 : undefined;
    if (refusal) {
      turnAway(command_id, first, refusal === 422 ? 'REFUSED' : 'OFFLINE');
      return void response.writeHead(refusal).end();
    }
    const { answer, ended } = execute(command_id, first);
    response.writeHead(202).flushHeaders();
    await ended;
    return void response.end(answer);
  }
  if (first === '') return void response.end(JSON.stringify(executions.map(({ ended: _, ...execution }) => execution)));
  const last = executions.findLast((execution) => execution.command_id === first);
  if (!last) return void response.writeHead(404).end();
  await last.ended;
  return void response.end(last.answer);
}

// It ends no idle connection: a request that was just sent on it would fail, as if the device had got it.
const server = createServer({ keepAliveTimeout: 600_000 }, (...exchange) => void answer(...exchange));
server.listen(0, '127.0.0.1');

await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
