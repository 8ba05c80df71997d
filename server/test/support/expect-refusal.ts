import { type ErrorCode, errors } from '@tenant-open-platform/contract';
import type { Answer } from '@tenant-open-platform/testing';
import { expect } from 'vitest';

/** The answer is a refusal of this code, with the status of the table, under its own request id, and not to be stored. */
export function expectRefusal({ status, headers, body }: Answer, code: ErrorCode): void {
  expect(body).toMatchObject({ code, request_id: headers['x-request-id'] });
  expect(status).toBe(errors[code].status);
  expect(headers['cache-control']).toBe('no-store');
}
