import { type Answer, type Profile, rawRequest, sign } from '@tenant-open-platform/testing';

export type Parts = { method: string; target: string; headers?: string[]; body?: Buffer };

/** Sends exactly these headers and bytes. A body gets a Content-Length unless a header frames it otherwise. */
export function sendBytes(
  { base_url }: Profile,
  { method, target, headers = [], body = Buffer.alloc(0) }: Parts,
): Promise<Answer> {
  const isFramed = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line));
  const framing = body.length === 0 || isFramed ? [] : [`Content-Length: ${body.length}`];
  const head = [`${method} ${target} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...framing, ...headers];
  return rawRequest(base_url, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]));
}

/** The same with a correct signature of `signedBody`, by default of the sent bytes. */
export function sendSignedBytes(
  caller: Profile,
  { headers = [], signedBody, ...parts }: Parts & { signedBody?: Buffer },
): Promise<Answer> {
  const signature = sign(caller, parts.method, parts.target, { body: signedBody ?? parts.body });
  return sendBytes(caller, {
    ...parts,
    headers: [...Object.entries(signature).map((pair) => pair.join(': ')), ...headers],
  });
}
