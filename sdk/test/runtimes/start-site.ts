import { readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * A page of a browser, and the platform behind the same origin. The store has an origin of its own, and allows that of the
 * page, as a bucket with CORS does.
 */
export async function startSite(folder: string, platform: string) {
  const script = readFileSync(join(folder, 'page.mjs'), 'utf8');
  const html = `<!doctype html><meta charset="utf-8"><title>SDK</title><script type="module">${script.replaceAll('</script', '<\\/script')}</script>`;
  const server = createServer((request, response) => {
    if (request.url === '/') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
    const { method, headers, url } = request;
    const forwarded = send(new URL(url ?? '/', platform), { method, headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
