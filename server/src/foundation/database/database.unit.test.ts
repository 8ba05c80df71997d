import postgres from 'postgres';
import { expect, test } from 'vitest';
import { checkDriver } from './database.js';

test('refuses, in one line, a Postgres driver without the patch that gives up half-open connections', () => {
  const options: Record<string, unknown> = { ...postgres({ answer_timeout: 15, queue_timeout: 5 }).options };
  expect(() => checkDriver(options)).not.toThrow();
  const { answer_timeout, queue_timeout, ...unpatched } = options;
  for (const driver of [unpatched, { ...unpatched, answer_timeout }, { ...unpatched, queue_timeout }]) {
    expect(() => checkDriver(driver)).toThrow(/^This build contains the Postgres driver without the patch .*$/);
  }
});
