import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { hadNoEffect, hasUnknownEffect } from './database-error.js';

const failure = (fields: { code: string; syscall?: string; query?: string }) =>
  Object.assign(new Error('failed'), fields);

const effectOf = (error: unknown) => [hadNoEffect(error), hasUnknownEffect(error)];
const NONE = [true, false];
const UNKNOWN = [false, true];

describe('a failure', () => {
  test.each(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ETIMEDOUT', 'ECONNRESET'])(
    '%s has no effect while connecting, and an unknown effect on a connection in use',
    (code) => {
      expect(effectOf(failure({ code, syscall: 'connect' }))).toEqual(NONE);
      expect(effectOf(failure({ code, syscall: 'read' }))).toEqual(UNKNOWN);
      expect(effectOf(failure({ code, syscall: 'write' }))).toEqual(UNKNOWN);
    },
  );

  test('a failure to find the host or to connect to any of its addresses has no effect', () => {
    expect(effectOf(failure({ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }))).toEqual(NONE);
    const every = Object.assign(new AggregateError([failure({ code: 'ECONNREFUSED', syscall: 'connect' })]), {
      code: 'ECONNREFUSED',
    });
    expect(effectOf(every)).toEqual(NONE);
  });

  test.each(['57P01', '57P02'])('%s has no effect in a statement, and an unknown effect in the commit', (code) => {
    expect(effectOf(failure({ code, query: 'select 1' }))).toEqual(NONE);
    expect(effectOf(failure({ code, query: 'begin; set local synchronous_commit = off' }))).toEqual(NONE);
    expect(effectOf(failure({ code, query: 'commit' }))).toEqual(UNKNOWN);
  });

  test.each(['53000', '53100', '53200', '53300', '53400', '58030'])(
    '%s, a full disk or its like, has no effect in a statement, and an unknown effect in the commit',
    (code) => {
      expect(effectOf(failure({ code, query: 'insert into nonces' }))).toEqual(NONE);
      expect(effectOf(failure({ code, query: 'commit' }))).toEqual(UNKNOWN);
    },
  );

  test.each(['40001', '40P01'])(
    '%s has no effect, even in the commit: Postgres rolled the transaction back',
    (code) => {
      expect(effectOf(failure({ code, query: 'select 1' }))).toEqual(NONE);
      expect(effectOf(failure({ code, query: 'commit' }))).toEqual(NONE);
    },
  );

  test('a timeout waiting for a connection has no effect, a timeout waiting for an answer an unknown effect', () => {
    expect(effectOf(failure({ code: 'QUEUE_TIMEOUT' }))).toEqual(NONE);
    expect(effectOf(failure({ code: 'ANSWER_TIMEOUT', query: 'select 1' }))).toEqual(UNKNOWN);
  });

  test('looks at the cause that drizzle wraps; any other error has neither', () => {
    const lost = failure({ code: 'CONNECTION_CLOSED' });
    expect(effectOf(new DrizzleQueryError('select 1', [], lost))).toEqual(UNKNOWN);
    expect(effectOf(failure({ code: '23505' }))).toEqual([false, false]);
    expect(effectOf(new Error('no code'))).toEqual([false, false]);
  });
});
