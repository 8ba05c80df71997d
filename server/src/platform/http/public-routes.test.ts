import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

test.each(['openapi.json', 'asyncapi.json'])(
  '%s is served without a signature, exactly as in the contract',
  async (name) => {
    const answer = await fetch(`${platform().nodes[0]}/${name}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const file = createRequire(import.meta.url).resolve(`@tenant-open-platform/contract/${name}`);
    expect(await answer.text()).toBe(readFileSync(file, 'utf8'));
  },
);
