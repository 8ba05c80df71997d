import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test, vi } from 'vitest';
import { verifyWebhook } from './webhooks.js';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const body = JSON.stringify({ event_id: 'e1', event_type: 'command.completed', data: { device_id: 'Küche 設備' } });

/** Signed like a sender of the reference implementation. */
function delivery({ by = [secret], at = new Date(), text = body } = {}) {
  const signature = by.map((one) => new Webhook(one).sign('msg_1', at, text)).join(' ');
  return {
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    },
    body: text,
  };
}

test('verifying a signed delivery returns its event', async () => {
  expect(await verifyWebhook(delivery(), { secret })).toEqual(JSON.parse(body));
});

test('headers of fetch and a body of bytes work too', async () => {
  const { headers } = delivery();
  const request = { headers: new Headers(headers), body: new TextEncoder().encode(body) };
  expect(await verifyWebhook(request, { secret })).toEqual(JSON.parse(body));
});

test('headers in any spelling of their names work too', async () => {
  const { headers } = delivery();
  for (const spelt of [(name: string) => name.toUpperCase(), (name: string) => name.replace('webhook-', 'Webhook-')]) {
    const spelling = Object.fromEntries(Object.entries(headers).map(([name, value]) => [spelt(name), value]));
    expect(await verifyWebhook({ headers: spelling, body }, { secret })).toMatchObject({ event_id: 'e1' });
  }
});

test('during a rotation either side may know only one of the secrets', async () => {
  const [previous, next] = [newSecret(), newSecret()];
  const both = delivery({ by: [previous, next] });
  for (const known of [previous, next, [previous, next]]) {
    expect(await verifyWebhook(both, { secret: known })).toMatchObject({ event_id: 'e1' });
  }
  expect(await verifyWebhook(delivery({ by: [previous] }), { secret: [next, previous] })).toBeTruthy();
});

const aged = (seconds: number) => delivery({ at: new Date(Date.now() - seconds * 1000) });
const withHeaders = (headers: object) => ({ ...delivery(), headers: { ...delivery().headers, ...headers } });

test.each([
  ['with another secret', delivery({ by: [newSecret()] }), 'SIGNATURE_MISMATCH'],
  ['with a changed body', { ...delivery(), body: `${body} ` }, 'SIGNATURE_MISMATCH'],
  ['with a changed id', withHeaders({ 'webhook-id': 'msg_2' }), 'SIGNATURE_MISMATCH'],
  ['with a signature of another version', withHeaders({ 'webhook-signature': 'v2,AAAA' }), 'SIGNATURE_MISMATCH'],
  ['with a signature that is no base64', withHeaders({ 'webhook-signature': 'v1,* v1,' }), 'SIGNATURE_MISMATCH'],
  ['with an old time', aged(400), 'TIMESTAMP_OUTSIDE_TOLERANCE'],
  ['with a future time', aged(-400), 'TIMESTAMP_OUTSIDE_TOLERANCE'],
  ['with a malformed time', withHeaders({ 'webhook-timestamp': 'soon' }), 'TIMESTAMP_OUTSIDE_TOLERANCE'],
  ['without a signature', withHeaders({ 'webhook-signature': undefined }), 'HEADER_MISSING'],
  ['with a body that is not JSON', delivery({ text: 'hello' }), 'BODY_IS_NOT_JSON'],
])('a delivery %s is refused', async (_, request, code) => {
  await expect(verifyWebhook(request, { secret })).rejects.toMatchObject({ name: 'WebhookVerificationError', code });
});

test('a header full of signatures costs few hashes of the body', async () => {
  const verify = vi.spyOn(crypto.subtle, 'verify');
  const mac = `v1,${Buffer.alloc(32).toString('base64')}`;
  const request = withHeaders({
    'webhook-signature': [...Array(500).fill('v1,AA'), ...Array(500).fill(mac)].join(' '),
  });
  await expect(verifyWebhook(request, { secret })).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' });
  expect(verify).toHaveBeenCalledTimes(10);
});

test('the tolerance can be set', async () => {
  expect(await verifyWebhook(aged(400), { secret, toleranceSeconds: 600 })).toBeTruthy();
});

test.each([
  ['no base64', 'whsec_***'],
  ['one byte', 'whsec_QQ=='],
  ['23 bytes', `whsec_${randomBytes(23).toString('base64')}`],
  ['65 bytes', `whsec_${randomBytes(65).toString('base64')}`],
])('a secret that is %s is refused without quoting it', async (_, wrong) => {
  const refused = verifyWebhook(delivery(), { secret: wrong });
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.not.toThrow(wrong);
});

test.each([24, 64])('a secret of %i bytes is taken', async (length) => {
  const own = `whsec_${randomBytes(length).toString('base64')}`;
  expect(await verifyWebhook(delivery({ by: [own] }), { secret: own })).toMatchObject({ event_id: 'e1' });
});
