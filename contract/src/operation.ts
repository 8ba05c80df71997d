import type { AppRoute } from '@ts-rest/core';
import type { ErrorCode } from './errors.js';
import type { Scope } from './scopes.js';

/** Headers that a successful answer may have, beside X-Request-Id. */
export type AnswerHeader = 'Idempotent-Replayed' | 'Idempotency-Mismatch' | 'Link' | 'X-Next-Cursor';

/**
 * How a request may be repeated after an unknown outcome. ALWAYS: as it is. BY_KEY: with the same idempotency_key.
 * Otherwise the caller has to check something first; `ifBodyHas` names the field without which it need not.
 */
export type Repeat = 'ALWAYS' | 'BY_KEY' | { check: string; ifBodyHas?: string };

/** What an operation is, beside its path and schemas. Server, OpenAPI, SDK, command line and tests derive from it. */
export type OperationMetadata = {
  /** The permission that the caller needs; null if any live credential may call. */
  scope: Scope | null;
  /** False marks an addition to the specification. */
  specified: boolean;
  /**
   * The tenant that the operation acts on. own: the caller's. path: the one in the path, which is the caller's own
   * unless the caller belongs to tenant `platform`. platform: none; only credentials of tenant `platform` may call.
   */
  tenant: 'own' | 'path' | 'platform';
  /** The error codes that follow from what the operation does. `errorsOf` adds those that follow from its shape. */
  errors: readonly ErrorCode[];
  /** Absent: ALWAYS. Every POST and PUT says it. */
  repeat?: Repeat;
  answerHeaders?: readonly AnswerHeader[];
  /** What a success status means, if it is not the usual meaning. */
  successes?: Readonly<Record<number, string>>;
};

type Declared = AppRoute & { summary: string; description: string; metadata: OperationMetadata };

type Writing = { method: 'POST' | 'PUT'; metadata: { repeat: Repeat } };

type Reading = { method: 'GET' | 'DELETE' };

/** Declares the operations of a resource. A route without its metadata does not compile. */
export const operations = <const T extends Record<string, Declared & (Writing | Reading)>>(routes: T): T => routes;
