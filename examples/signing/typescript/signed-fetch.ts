import { sign } from '@tenant-open-platform/sdk/sign';

/**
 * A fetch that signs, and throws if the key of a command belongs to another one. Generated clients of TypeScript take it
 * as their own: openapi-fetch and hey-api as `fetch`.
 */
export const signedFetch =
  ({ clientId, secret }: { clientId: string; secret: string }): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(await request.clone().arrayBuffer());
    const signature = await sign({ clientId, secret, method: request.method, target: pathname + search, body });
    for (const [name, value] of Object.entries(signature)) request.headers.set(name, value);
    const response = await fetch(request);
    const mismatch = response.headers.get('Idempotency-Mismatch');
    if (mismatch) throw new Error(`The key belongs to another command: ${mismatch} differ.`);
    return response;
  };
