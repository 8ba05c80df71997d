import { pathToFileURL } from 'node:url';

// Calls a server by the SDK and by plain fetch in turns, in one process, and sends what each call costs.
const [sdkFile, baseUrl] = process.argv.slice(2);
const { TenantOpenPlatform } = await import(pathToFileURL(sdkFile).href);
const credential = { clientId: 'bench', secret: 'a-secret-without-a-checksum' };
const client = new TenantOpenPlatform({ baseUrl, ...credential });

const CALLS = 500;
const BLOCKS = 21;
const WARM_UP_BLOCKS = 6;
const ABORTS = 200;

const url = `${baseUrl}/api/v1/open/downlink/commands/c1`;
/** As many headers as a signed request has. */
const headers = {
  'X-Api-Id': 'bench',
  'X-Api-Timestamp': '1769851800',
  'X-Api-Nonce': 'd5b9a9a0-5a0f-4b3d-8a55-0b1b7e0e3f0e',
  'X-Api-Signature': `v1=${'0'.repeat(64)}`,
  'X-Request-Id': 'd5b9a9a0-5a0f-4b3d-8a55-0b1b7e0e3f0f',
  Accept: 'application/json',
  'User-Agent': 'bench',
};
const byFetch = async () => JSON.parse(await (await fetch(url, { headers })).text());
const bySdk = () => client.commands.get('c1');

/** CPU time of this process for each call, in microseconds. */
async function measure(call, atOnce) {
  const before = process.cpuUsage();
  const calling = Array.from({ length: atOnce }, async () => {
    for (let calls = 0; calls < CALLS / atOnce; calls += 1) await call();
  });
  await Promise.all(calling);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Medians of the pairs, and of their differences. */
async function measureCpu(atOnce) {
  const pairs = [];
  for (let block = 0; block < BLOCKS + WARM_UP_BLOCKS; block += 1) {
    pairs.push([await measure(byFetch, atOnce), await measure(bySdk, atOnce)]);
  }
  const measured = pairs.slice(WARM_UP_BLOCKS);
  const measures = {
    'plain fetch': measured.map(([plain]) => plain),
    SDK: measured.map(([, sdk]) => sdk),
    'SDK over plain fetch': measured.map(([plain, sdk]) => sdk - plain),
  };
  const named = Object.entries(measures).map(([name, values]) => [
    `CPU µs per call, ${atOnce} at a time, ${name}`,
    median(values),
  ]);
  return Object.fromEntries(named);
}

/** From the abort to the rejection, in milliseconds. */
async function measureAborts(start) {
  const times = [];
  for (let aborts = 0; aborts < ABORTS; aborts += 1) {
    const stopping = new AbortController();
    const begun = await start(stopping.signal);
    const abortedAt = performance.now();
    stopping.abort();
    await begun.call.catch(() => {});
    times.push(performance.now() - abortedAt);
  }
  return times;
}

/** The call of a client is in its first back-off: its fetch has failed. */
async function inBackOff(signal) {
  let fail;
  const failed = new Promise((resolve) => {
    fail = resolve;
  });
  const broken = new TenantOpenPlatform({
    baseUrl,
    ...credential,
    fetch: () => Promise.reject(new TypeError('fetch failed')),
    hooks: { onRetry: () => setImmediate(fail) },
  });
  const call = broken.commands.get('c1', {}, { signal });
  await failed;
  return { call };
}

async function inWait(signal) {
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const waiting = new TenantOpenPlatform({
    baseUrl,
    ...credential,
    hooks: { onRequest: () => void setTimeout(begin, 5) },
  });
  const call = waiting.commands.wait('silent', { signal });
  await begun;
  return { call };
}

const cpu = { ...(await measureCpu(1)), ...(await measureCpu(20)) };
const backOff = await measureAborts(inBackOff);
const wait = await measureAborts(inWait);
process.send({
  ...cpu,
  'abort in a back-off, median ms': median(backOff),
  'abort in a back-off, longest ms': Math.max(...backOff),
  'abort in a wait, median ms': median(wait),
  'abort in a wait, longest ms': Math.max(...wait),
});
process.disconnect();
