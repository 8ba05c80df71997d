import { createHash, createHmac, randomUUID } from 'node:crypto';

const TARGET = '/api/v1/open/downlink/commands';

/** Makes `commands.create` requests as they go over the wire, each with a nonce, a key and a signature of its own. */
export function signedCommands(credential: { client_id: string; secret: string }): () => string {
  const run = randomUUID();
  let count = 0;
  return () => {
    const body = JSON.stringify({
      vendor: 'vendor_a',
      device_id: `ok-${count % 1000}`,
      command_type: 'reboot',
      payload: {},
      idempotency_key: `${run}-${count++}`,
      timeout_seconds: 30,
    });
    const timestamp = Math.floor(Date.now() / 1000);
    const nonce = randomUUID();
    const bodyHash = createHash('sha256').update(body).digest('hex');
    const text = ['HMAC-SHA256-V1', 'POST', TARGET, credential.client_id, timestamp, nonce, bodyHash].join('\n');
    const signature = createHmac('sha256', credential.secret).update(text).digest('hex');
    return [
      `POST ${TARGET} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `X-Api-Id: ${credential.client_id}`,
      `X-Api-Timestamp: ${timestamp}`,
      `X-Api-Nonce: ${nonce}`,
      `X-Api-Signature: v1=${signature}`,
      '',
      body,
    ].join('\r\n');
  };
}
