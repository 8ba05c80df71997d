import type { IncomingMessage } from 'node:http';
import { patterns } from '@tenant-open-platform/contract';
import { newId } from '../new-id.js';
import { ApiError } from '../operation/api-error.js';

/** Keeps the caller's correlation id, or generates one. The refusal of a malformed id has a generated one. */
export function requestIdOf(req: IncomingMessage): { requestId: string; problem: ApiError | null } {
  const given = req.headersDistinct['x-request-id'] ?? [];
  const [first] = given;
  if (first === undefined) return { requestId: newId(), problem: null };
  if (given.length === 1 && patterns.requestId.test(first)) return { requestId: first, problem: null };
  return { requestId: newId(), problem: new ApiError('INVALID_REQUEST_ID') };
}
