import { pathToFileURL } from 'node:url';

// Creates commands by the SDK, so many at once, and sends what that took.
const [sdkFile, baseUrl, clientId, secret, withinMs] = process.argv.slice(2);
const { TenantOpenPlatform } = await import(pathToFileURL(sdkFile).href);

const COMMANDS = 5_000;
const AT_ONCE = 200;
const WARM_UP = 1_000;

let requests = 0;
const client = new TenantOpenPlatform({
  baseUrl,
  clientId,
  secret,
  hooks: {
    onRequest: () => {
      requests += 1;
    },
  },
  ...(withinMs && { batch: { withinMs: Number(withinMs) } }),
});
const command = {
  vendor: 'vendor_a',
  device_id: 'offline-1',
  command_type: 'reboot',
  payload: {},
  timeout_seconds: 300,
};

async function create(count) {
  let left = count;
  const durationsMs = [];
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const startedAt = performance.now();
      await client.commands.create(command);
      durationsMs.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return durationsMs.sort((a, b) => a - b);
}

await create(WARM_UP);
// The platform is asked for its CPU time now.
process.send('warm');
await new Promise((resolve) => process.once('message', resolve));
requests = 0;
const startedAt = performance.now();
const before = process.cpuUsage();
const durationsMs = await create(COMMANDS);
const { user, system } = process.cpuUsage(before);
process.send({
  commands: COMMANDS,
  requests,
  seconds: (performance.now() - startedAt) / 1000,
  cpuMs: (user + system) / 1000,
  p50Ms: durationsMs[COMMANDS / 2],
  p99Ms: durationsMs[COMMANDS * 0.99],
});
process.disconnect();
