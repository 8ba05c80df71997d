/**
 * The guarantees of every runtime with a real platform and a real store. It uses Web APIs only, so it also runs in
 * browsers and Workers.
 */
export async function runSuite(sdk, { baseUrl, clientId, secret, resourceId, dangerouslyAllowBrowser }) {
  const client = new sdk.TenantOpenPlatform({ baseUrl, clientId, secret, dangerouslyAllowBrowser });
  const reboot = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
  const results = {};
  const check = async (name, run) => {
    try {
      results[name] = (await run()) === true ? 'ok' : 'wrong';
    } catch (error) {
      results[name] = `${error.name}: ${error.message}`;
    }
  };
  const bytes = new Uint8Array(300_000).map((_, index) => index % 251);
  const isSame = (other) => other.length === bytes.length && other.every((byte, index) => byte === bytes[index]);

  await check('command and wait', async () => (await client.commands.createAndWait(reboot)).status === 'SUCCEEDED');
  await check('list', async () => (await client.commands.list({ limit: 1 }).toArray({ max: 3 })).length > 0);
  await check('follow', async () => {
    for await (const event of client.events.follow({ from: 'beginning' })) return event.cursor.length > 0;
  });
  await check('upload and download', async () => {
    const options = { contentType: 'application/octet-stream' };
    await client.objects.upload(resourceId, `of ${crypto.randomUUID()}`, new Blob([bytes]), options);
    await client.objects.upload(resourceId, 'a.bin', bytes, options);
    return isSame(await (await client.objects.download(resourceId, 'a.bin')).bytes());
  });
  await check('clock', async () => {
    const { now } = Date;
    Date.now = () => now() + 600_000;
    try {
      const late = new sdk.TenantOpenPlatform({ baseUrl, clientId, secret, dangerouslyAllowBrowser });
      const answers = await Promise.all(Array.from({ length: 10 }, () => late.me.get()));
      return answers.every((me) => me.client_id === clientId);
    } finally {
      Date.now = now;
    }
  });
  await check('abort', async () => {
    const stopping = new AbortController();
    const waiting = client.events.follow({ from: 'now', signal: stopping.signal });
    const next = waiting.next().catch((reason) => reason);
    setTimeout(() => stopping.abort('done'), 100);
    return (await next) === 'done';
  });
  return results;
}
