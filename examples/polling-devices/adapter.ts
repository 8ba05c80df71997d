import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { isStatus, pollingDevices, type Said } from './devices.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { PORT = '8790', TOKENS = '{}', HAND_OVER_FILE = 'hand-over.json' } = process.env;
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
  const { method, url = '', headers } = request;
  if (method === 'GET' && url === '/command') {
    const task = await devices.poll(device, hungUp);
    return task ? { status: 200, body: task } : { status: 204 };
  }
  const [, commandId] = /^\/outcomes\/([\w-]+)$/.exec(url) ?? [];
  if (method !== 'POST' || !commandId) return { status: 404 };
  if (!(Number(headers['content-length']) <= MAX_BYTES)) return { status: 413 };
  const said = readSaid(Buffer.concat(await request.toArray()).toString());
  if (!said) return { status: 400 };
  return { status: devices.say(device, commandId, said) ? 204 : 404 };
}

/** The status counts. What cannot be read beside it is left out. */
function readSaid(text: string): Said | undefined {
  const { status, result, reason } = jsonOf(text) ?? { status: /^\s*\{\s*"status"\s*:\s*"(\w+)"/.exec(text)?.[1] };
  if (!isStatus(status)) return undefined;
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result);
  return { status, ...(isObject && { result }), ...(typeof reason === 'string' && { reason }) };
}

function jsonOf(text: string): { [key: string]: unknown } | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
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
