// Sends signed requests, and keeps as many of them in flight as it is told, until it gets a message. Its argument is JSON:
// baseUrl, profile, inFlight, method, target, body.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';

const { baseUrl, profile, inFlight, method, target, body: template } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
const startedAt = performance.now();
let answers = 0;
let successes = 0;

function send() {
  const body = template?.replaceAll('{unique}', randomUUID()) ?? '';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const text = ['HMAC-SHA256-V1', method, target, profile.client_id, timestamp, nonce, bodyHash].join('\n');
  const headers = {
    'X-Api-Id': profile.client_id,
    'X-Api-Timestamp': timestamp,
    'X-Api-Nonce': nonce,
    'X-Api-Signature': `v1=${createHmac('sha256', profile.secret).update(text).digest('hex')}`,
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve) => {
    const sending = request(baseUrl + target, { method, headers, agent }, (response) => {
      response.resume();
      response.once('close', () => {
        answers += 1;
        if (response.statusCode < 300) successes += 1;
        resolve();
      });
    });
    sending.once('error', () => setTimeout(resolve, 20));
    sending.end(body);
  });
}

for (let count = 0; count < inFlight; count += 1) {
  const sendAgain = () => void send().then(sendAgain);
  sendAgain();
}
process.once('message', () => process.send({ answers, successes, seconds: (performance.now() - startedAt) / 1000 }));
setTimeout(() => process.send('busy'), 500);
