import { createHash, createHmac, randomUUID } from 'node:crypto';

/** The content of `platform-admin.json` and `demo.json`. */
export type Profile = { tenant_id: string; client_id: string; secret: string };

/** The four headers of a signed request, written from the documentation alone. */
export function sign(
  { client_id, secret }: Profile,
  method: string,
  target: string,
  body = '',
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const text = ['HMAC-SHA256-V1', method, target, client_id, timestamp, nonce, bodyHash].join('\n');
  return {
    'X-Api-Id': client_id,
    'X-Api-Timestamp': timestamp,
    'X-Api-Nonce': nonce,
    'X-Api-Signature': `v1=${createHmac('sha256', secret).update(text).digest('hex')}`,
  };
}

/** Sends one signed request and resolves to the body of an answer with the expected status. */
export async function call(
  baseUrl: string,
  profile: Profile,
  [method, target]: readonly [string, string],
  value?: object,
  wanted = 200,
): Promise<Record<string, string>> {
  const body = value && JSON.stringify(value);
  const headers = { ...(body && { 'Content-Type': 'application/json' }), ...sign(profile, method, target, body) };
  const answer = await fetch(baseUrl + target, { method, headers, ...(body && { body }) });
  if (answer.status !== wanted)
    throw new Error(`${method} ${target} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

export const post = (baseUrl: string, profile: Profile, target: string, value: object, wanted = 201) =>
  call(baseUrl, profile, ['POST', target], value, wanted);
