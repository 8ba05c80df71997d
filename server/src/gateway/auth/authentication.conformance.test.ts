import { randomUUID } from 'node:crypto';
import { errors } from '@tenant-open-platform/contract';
import {
  createCredential,
  createTenant,
  type Profile,
  platform,
  type RequestOptions,
  rawRequest,
  sign,
  signedRequest,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { untilServed } from '../../../test/support/until-served.js';

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const ME = '/api/v1/open/me';
const COMMANDS = '/api/v1/open/downlink/commands';

const tenant = await createTenant();

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

const ask = (caller: Profile, options?: RequestOptions) => signedRequest(caller, 'GET', ME, options);

const update = (caller: Profile, body: object) =>
  signedRequest(
    platform().admin,
    'PUT',
    `/api/v1/platform/tenants/${caller.tenant_id}/credentials/${caller.client_id}`,
    { body },
  );

describe('UNAUTHENTICATED', () => {
  test('gives the same answer for an unknown, wrong, disabled, deleted or expired credential and a disabled tenant', async () => {
    const closed = await createTenant();
    const target = `/api/v1/platform/tenants/${closed.tenant_id}`;
    await signedRequest(platform().admin, 'PUT', target, { body: { status: 'DISABLED' } });
    const { tenant_id } = tenant;
    const callers = [
      { ...tenant.operator, client_id: 'never-existed' },
      { ...tenant.operator, secret: tenant.admin.secret },
      await createCredential(tenant_id, { status: 'DISABLED' }),
      await createCredential(tenant_id, { status: 'DELETED' }),
      await createCredential(tenant_id, { expires_at: '2020-01-01T00:00:00Z' }),
      closed.operator,
    ];
    const timestamp = secondsFromNow(0);
    const nonce = randomUUID();
    for (const caller of callers) {
      const { status, body, raw } = await ask(caller, { timestamp, nonce });
      const text = ['HMAC-SHA256-V1', 'GET', ME, caller.client_id, timestamp, nonce, EMPTY_SHA256].join('\n');
      expect([status, body.metadata]).toEqual([401, { string_to_sign: text }]);
      expect(raw).toBe(
        JSON.stringify({
          code: 'UNAUTHENTICATED',
          message: `${errors.UNAUTHENTICATED.meaning} ${errors.UNAUTHENTICATED.fix}`,
          request_id: body.request_id,
          metadata: { string_to_sign: text },
        }),
      );
    }
  });

  test.each(['X-Api-Id', 'X-Api-Timestamp', 'X-Api-Nonce', 'X-Api-Signature'])(
    'refuses a missing, empty or repeated %s, without a string to sign',
    async (name) => {
      const right = sign(tenant.operator, 'GET', ME)[name] ?? '';
      for (const [value, code] of [
        [undefined, 'MISSING'],
        ['', 'MALFORMED'],
        [` ${right} x`, 'MALFORMED'],
        [[right, right], 'REPEATED'],
      ] as const) {
        const answer = await ask(tenant.operator, { headers: { [name]: value as string } });
        expectRefusal(answer, 'UNAUTHENTICATED');
        expect(answer.body).not.toHaveProperty('metadata');
        expect(answer.body.details).toEqual([{ location: `header/${name}`, code, message: expect.any(String) }]);
      }
    },
  );

  test.each([
    ['X-Api-Timestamp', String(Date.now()), 'must be the Unix time in whole seconds, not in milliseconds: 10 digits'],
    ['X-Api-Signature', '0'.repeat(64), 'must be v1= and the HMAC-SHA256 in 64 lower-case hexadecimal digits'],
  ])('describes a malformed %s in the same way for every client id', async (name, value, message) => {
    const answers = [];
    for (const client_id of [tenant.operator.client_id, 'never-existed']) {
      const headers = { [name]: value, 'X-Request-Id': 'the-same' };
      answers.push(await ask({ ...tenant.operator, client_id }, { headers }));
    }
    const [known, unknown] = answers.map(({ status, raw }) => ({ status, raw }));
    expect(known).toEqual(unknown);
    expect(answers[0]?.body).toEqual({
      code: 'UNAUTHENTICATED',
      message: `The authentication headers are not valid: header/${name} ${message}.`,
      request_id: 'the-same',
      details: [{ location: `header/${name}`, code: 'MALFORMED', message }],
    });
  });

  test('names every missing header of an unsigned request', async () => {
    const names = ['X-Api-Id', 'X-Api-Timestamp', 'X-Api-Nonce', 'X-Api-Signature'];
    const { body } = await ask(tenant.operator, {
      headers: Object.fromEntries(names.map((name) => [name, undefined])),
    });
    expect(body.details.map(({ location, code }: Record<string, string>) => [location, code])).toEqual(
      names.map((name) => [`header/${name}`, 'MISSING']),
    );
  });

  test('refuses two headers whose names differ only in case', async () => {
    const headers = Object.entries(sign(tenant.operator, 'GET', ME)).map((pair) => `${pair.join(': ')}\r\n`);
    const again = `x-api-id: ${tenant.reader.client_id}\r\n`;
    const bytes = `GET ${ME} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}${again}\r\n`;
    expectRefusal(await rawRequest(tenant.operator.base_url, bytes), 'UNAUTHENTICATED');
  });
});

describe('precedence', () => {
  const skewed = () => ({ timestamp: secondsFromNow(-1_000) });

  test('a wrong signature and a revoked credential are refused before a wrong clock', async () => {
    const wrong = { ...tenant.operator, secret: tenant.admin.secret };
    expectRefusal(await ask(wrong, skewed()), 'UNAUTHENTICATED');
    const disabled = await createCredential(tenant.tenant_id, { status: 'DISABLED' });
    expectRefusal(await ask(disabled, skewed()), 'UNAUTHENTICATED');
  });

  test('a revoked credential is refused before a used nonce', async () => {
    const caller = await createCredential(tenant.tenant_id);
    const once = { nonce: randomUUID(), timestamp: secondsFromNow(0) };
    expect((await ask(caller, once)).status).toBe(200);
    await update(caller, { status: 'DISABLED' });
    expectRefusal(await ask(caller, once), 'UNAUTHENTICATED');
  });

  test('a wrong clock is refused before a used nonce', async () => {
    const nonce = randomUUID();
    expect((await ask(tenant.operator, { nonce })).status).toBe(200);
    expectRefusal(await ask(tenant.operator, { nonce, ...skewed() }), 'CLOCK_SKEW');
  });

  test('a wrong clock and a used nonce are refused before a missing permission, an unknown path and a wrong method', async () => {
    for (const [method, target] of [
      ['GET', '/api/v1/platform/tenants'],
      ['GET', '/api/v1/open/nothing'],
      ['PATCH', ME],
    ] as const) {
      expectRefusal(await signedRequest(tenant.operator, method, target, skewed()), 'CLOCK_SKEW');
      const nonce = randomUUID();
      expect((await ask(tenant.operator, { nonce })).status).toBe(200);
      expectRefusal(await signedRequest(tenant.operator, method, target, { nonce }), 'NONCE_REUSED');
    }
  });

  test('a missing permission is refused before an invalid body or query', async () => {
    const answer = await signedRequest(tenant.reader, 'POST', `${COMMANDS}?nonsense=1`, { body: { nonsense: 1 } });
    expectRefusal(answer, 'FORBIDDEN');
  });
});

describe('nonce', () => {
  test('is consumed by every authentic request within the clock window, whatever its answer', async () => {
    const refusedRequests = [
      ['GET', '/api/v1/platform/tenants', 'FORBIDDEN'],
      ['GET', '/api/v1/open/nothing', 'NOT_FOUND'],
      ['PATCH', ME, 'METHOD_NOT_ALLOWED'],
      ['GET', `${COMMANDS}?limit=0`, 'VALIDATION_FAILED'],
      ['GET', `${COMMANDS}?cursor=forged`, 'INVALID_CURSOR'],
    ] as const;
    for (const [method, target, code] of refusedRequests) {
      const nonce = randomUUID();
      expectRefusal(await signedRequest(tenant.operator, method, target, { nonce }), code);
      expectRefusal(await ask(tenant.operator, { nonce }), 'NONCE_REUSED');
    }
  });

  test('is not consumed by a request that is not authentic or not within the clock window', async () => {
    const nonce = randomUUID();
    expectRefusal(await ask(tenant.operator, { nonce, signature: `v1=${'0'.repeat(64)}` }), 'UNAUTHENTICATED');
    expectRefusal(await ask(tenant.operator, { nonce, timestamp: secondsFromNow(-1_000) }), 'CLOCK_SKEW');
    expectRefusal(await ask(tenant.operator, { nonce, timestamp: secondsFromNow(1_000) }), 'CLOCK_SKEW');
    expect((await ask(tenant.operator, { nonce })).status).toBe(200);
  });

  test('belongs to one credential and is case-sensitive', async () => {
    const nonce = `n-${randomUUID()}`;
    expect((await ask(tenant.operator, { nonce })).status).toBe(200);
    expect((await ask(tenant.reader, { nonce })).status).toBe(200);
    expect((await ask(tenant.operator, { nonce: nonce.toUpperCase() })).status).toBe(200);
    expectRefusal(await ask(tenant.operator, { nonce, timestamp: secondsFromNow(5) }), 'NONCE_REUSED');
  });

  test('admits one of 40 identical concurrent requests', async () => {
    for (let round = 0; round < 5; round++) {
      const once = { nonce: randomUUID(), timestamp: secondsFromNow(0) };
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => untilServed(() => ask(tenant.operator, once))),
      );
      const codes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body.code));
      expect(codes.sort()).toEqual([...Array(39).fill('NONCE_REUSED'), 'ok']);
    }
  });
});

describe('clock window', () => {
  test('is the one of the credential, and a change applies at once', async () => {
    const caller = await createCredential(tenant.tenant_id, { allowed_clock_skew_seconds: 30 });
    expect((await ask(caller, { timestamp: secondsFromNow(-10) })).status).toBe(200);
    const late = await ask(caller, { timestamp: secondsFromNow(-60) });
    expectRefusal(late, 'CLOCK_SKEW');
    expect(late.body.metadata.allowed_clock_skew_seconds).toBe(30);

    await update(caller, { allowed_clock_skew_seconds: 900 });
    expect((await ask(caller, { timestamp: secondsFromNow(800) })).status).toBe(200);
    expect((await ask(caller, { timestamp: secondsFromNow(-800) })).status).toBe(200);
    expectRefusal(await ask(caller, { timestamp: secondsFromNow(960) }), 'CLOCK_SKEW');
  });
});
