import { expect, test } from 'vitest';
import { sign } from './signed-request.js';

const credential = {
  client_id: 'demo-client',
  secret: 'osk_3nTQ8ZkWb1xYv5RcJd0LmPf7GhUe2SaKo9BiNqXtE4w3go6Vf',
};
const moment = { timestamp: 1767225600, nonce: '6f1c2a34-98bd-4c0e-9a57-0d2f6c1b7e11' };

test.each([
  ['/api/v1/open/device-requests', 'v1=f28b9007f866c900484b0a6f0ee87497aa3958adf57670f7d57058ecdafbdc71'],
  [
    '/api/v1/platform/tenants/t1/credentials?limit=100',
    'v1=ea88088e7ff3c8d8dc790ce7472b313152e66e0177d68be0e4d34462ce0877a0',
  ],
])('signs %s as documented', (target, signature) => {
  expect(sign(credential, 'GET', target, moment)['X-Api-Signature']).toBe(signature);
});
