import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { serveVendor, Unreachable } from '../src/adapter.js';

// An adapter in a process of its own, which kills itself when KILLED_AFTER handler runs have begun. It writes each run into
// a file: the id, and whether the command was delivered before. The device `held` is not reached, which is known at
// SIGUSR2.

const { SERVERS = '', TENANT_ID = '', VENDOR = '', RUNS = '', KILLED_AFTER } = process.env;
let runs = 0;

await serveVendor({
  servers: SERVERS,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  concurrency: 16,
  onePerDevice: true,
  async onCommand({ command_id, device_id }, { redelivered }) {
    appendFileSync(RUNS, `${command_id} ${redelivered}\n`);
    runs += 1;
    if (runs === Number(KILLED_AFTER)) process.kill(process.pid, 'SIGKILL');
    if (device_id === 'held') {
      await once(process, 'SIGUSR2');
      throw new Unreachable();
    }
    await delay(20);
  },
});
