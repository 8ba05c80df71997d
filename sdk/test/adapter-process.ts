import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { serveVendor } from '../src/adapter.js';

// An adapter in a process of its own, which kills itself when KILLED_AFTER handler runs have begun, and whose clock is
// CLOCK_AHEAD_MS ahead. It writes each run into a file: the id, and whether the command was delivered before.

const { SERVERS = '', TENANT_ID = '', VENDOR = '', RUNS = '', KILLED_AFTER, CLOCK_AHEAD_MS } = process.env;
let runs = 0;

if (CLOCK_AHEAD_MS) {
  const Right = Date;
  const now = () => Right.now() + Number(CLOCK_AHEAD_MS);
  const wrong = new Proxy(Right, {
    construct: (_, given) => new Right(...((given.length > 0 ? given : [now()]) as [number])),
    get: (_, name) => (name === 'now' ? now : Reflect.get(Right, name)),
  });
  globalThis.Date = wrong;
}

await serveVendor({
  servers: SERVERS,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  concurrency: 16,
  async onCommand({ command_id }, { redelivered }) {
    appendFileSync(RUNS, `${command_id} ${redelivered}\n`);
    runs += 1;
    if (runs === Number(KILLED_AFTER)) process.kill(process.pid, 'SIGKILL');
    await delay(20);
  },
});
