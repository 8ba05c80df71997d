import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import type { Config } from './config.js';
import { StartupError } from './foundation/startup-error.js';
import { supervise } from './supervise.js';

test('a process that the system cannot create is a failed start that may succeed later', async () => {
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = '/does/not/exist';
  const starting = supervise({ WORKERS: 2, ROLE: 'all' } as Config, pino({ enabled: false }));
  const error = await starting.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  expect(error).toMatchObject({
    isTemporary: true,
    message: 'The process api-1 could not be created: spawn /does/not/exist ENOENT',
  });
});
