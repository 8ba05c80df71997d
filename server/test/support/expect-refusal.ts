import { type ErrorCode, errors } from '@tenant-open-platform/contract';
import type { Answer } from '@tenant-open-platform/testing';
import { expect } from 'vitest';

/** Expects a refusal with this code, the status of the table and its own request id, marked no-store. */
export function expectRefusal({ status, headers, body }: Answer, code: ErrorCode): void {
  expect(body).toMatchObject({ code, request_id: headers['x-request-id'] });
  expect(status).toBe(errors[code].status);
  expect(headers['cache-control']).toBe('no-store');
}
