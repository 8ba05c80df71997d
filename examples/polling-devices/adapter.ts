import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { isStatus, pollingDevices, type Said } from './devices.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { PORT = '8790', TOKENS = '{}', HAND_OVER_FILE = 'hand-over.json' } = process.env;
/** Of an outcome. The platform takes results of 32 KiB. */
const MAX_BYTES = 65_536;

const digest = (token: string) => createHash('sha256').update(token).digest('hex');
/** Whose token it is. A digest tells nothing by the time that its comparison takes. */
const deviceOf = new Map(Object.entries<string>(JSON.parse(TOKENS)).map(([device, token]) => [digest(token), device]));

const devices = pollingDevices();
const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onePerDevice: true,
  handOverFile: HAND_OVER_FILE,
  onCommand: devices.onCommand,
});

type Answer = { status: number; body?: object };

/** `GET /command` waits for a command. `POST /outcomes/{command_id}` says what became of it. */
async function answer(request: IncomingMessage, hungUp: AbortSignal): Promise<Answer> {
  const device = deviceOf.get(digest(request.headers.authorization?.replace(/^Bearer /, '') ?? ''));
  if (!device) return { status: 401 };
  const { method, url = '' } = request;
  if (method === 'GET' && url === '/command') {
    const task = await devices.poll(device, hungUp);
    return task ? { status: 200, body: task } : { status: 204 };
  }
  const [, commandId] = /^\/outcomes\/([\w-]+)$/.exec(url) ?? [];
  if (method !== 'POST' || !commandId) return { status: 404 };
  const said = readSaid(await firstBytes(request));
  if (!said) return { status: 400 };
  return { status: devices.say(device, commandId, said) ? 204 : 404 };
}

/** The rest is read too, so that the device gets its answer. */
async function firstBytes(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (bytes < MAX_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).toString();
}

/** The status counts, whatever stands beside it. The kit leaves out a result that is no object, and says so. */
function readSaid(text: string): Said | undefined {
  const { status, result, reason } = fieldsOf(text);
  if (!isStatus(status)) return undefined;
  return { status, result, ...(typeof reason === 'string' && { reason }) };
}

/** In what is not JSON, or was cut off, a status that stands first can be read. */
function fieldsOf(text: string): { [key: string]: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return { status: /^\s*\{\s*"status"\s*:\s*"(\w+)"/.exec(text)?.[1], result: 'not JSON' };
  }
}

const server = createServer((request, response) => {
  const hungUp = new AbortController();
  response.on('close', () => hungUp.abort());
  void answer(request, hungUp.signal)
    .catch(() => ({ status: 400 }) as Answer)
    .then(({ status, body }) => {
      response.writeHead(status, body && { 'Content-Type': 'application/json' });
      response.end(body && JSON.stringify(body));
    });
});
server.listen(Number(PORT), '127.0.0.1', () => console.error(`Devices poll http://127.0.0.1:${PORT}/command.`));

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void adapter.stop().then(() => process.exit()));
