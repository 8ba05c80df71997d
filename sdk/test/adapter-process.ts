import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { serveVendor } from '../src/adapter.js';

// An adapter in a process of its own, to be killed. It writes each handler run into a file: the id, and whether the
// command was delivered before.

const { SERVERS = '', TENANT_ID = '', VENDOR = '', RUNS = '' } = process.env;

await serveVendor({
  servers: SERVERS,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  async onCommand({ command_id }, { redelivered }) {
    appendFileSync(RUNS, `${command_id} ${redelivered}\n`);
    await delay(20);
  },
});
