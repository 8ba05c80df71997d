import { Failed, OutcomeUnknown, Rejected, serveVendor, Unreachable } from '@tenant-open-platform/sdk/adapter';

// An adapter of the devices of recorder-process.ts, made with the kit as built, and as docs/adapters.md recommends: it
// asks a device before it sends a command again, and where it cannot ask, it says that it does not know. It writes each
// event of the kit as a line. JavaScript, so that it starts as fast as one that is deployed.

const { SERVERS = '', TENANT_ID = '', VENDOR = '', DEVICES = '' } = process.env;

/** @param {string} device_id */
const deviceOf = (device_id) => /^(asked|mute)-/.exec(device_id)?.[1];

/** @param {string} answer */
function endAs(answer) {
  if (answer === 'FAILED') throw new Failed('DEVICE_FAILED', 'The device tried and failed.');
  return { answer };
}

await serveVendor({
  servers: SERVERS,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onePerDevice: true,
  log: ({ error, ...event }) => {
    const [at, cause] = [new Date().toISOString(), error instanceof Error ? error.message : error];
    process.stdout.write(`${JSON.stringify({ at, ...event, cause })}\n`);
  },
  async onCommand({ command_id, device_id }, context) {
    const { signal, progress } = context;
    const kind = deviceOf(device_id);
    if (!kind) throw new Rejected('UNKNOWN_DEVICE', 'The tenant has no device of this id.');
    if (context.redelivered) {
      if (kind === 'mute') throw new OutcomeUnknown('SENT_TWICE', 'The device may have executed the command already.');
      const earlier = await fetch(`${DEVICES}/${command_id}`, { signal });
      const answer = earlier.status === 404 ? 'OFFLINE' : await earlier.text();
      if (answer === 'DONE' || answer === 'FAILED') return endAs(answer);
    }
    const begun = await fetch(`${DEVICES}/${device_id}/${command_id}`, { method: 'POST', signal });
    if (begun.status === 503) throw new Unreachable();
    void progress('IN_PROGRESS');
    if (begun.status === 422) throw new Rejected('DEVICE_REFUSED', 'The device refused, and did nothing.');
    return endAs(await begun.text());
  },
});
process.send?.('serving');
