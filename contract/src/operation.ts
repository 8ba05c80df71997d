import type { AppRoute } from '@ts-rest/core';
import type { ErrorCode } from './errors.js';
import type { Scope } from './scopes.js';

/** Headers that an answer may have. OpenAPI describes each, and pages of other origins may read them. */
export const answerHeaders = [
  'X-Request-Id',
  'Idempotent-Replayed',
  'Idempotency-Mismatch',
  'Link',
  'X-Next-Cursor',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
] as const;
export type AnswerHeader = (typeof answerHeaders)[number];

/** Headers that a request may have in addition to those of the signature. */
export const requestHeaders = ['X-Request-Id', 'Idempotency-Key'] as const;

/**
 * How a request may be repeated after an unknown outcome. ALWAYS: unchanged. BY_KEY: with the same idempotency_key in the
 * body. BY_HEADER: with the same header Idempotency-Key.
 */
export type Repeat = 'ALWAYS' | 'BY_KEY' | 'BY_HEADER';

/**
 * The facts about an operation besides its path and schemas. Server, OpenAPI, SDK, command line and tests derive from
 * it.
 */
export type OperationMetadata = {
  /** The scope that the caller needs; null if any live credential may call. */
  scope: Scope | null;
  /** False marks an addition to the specification. */
  specified: boolean;
  /**
   * The tenant that the operation acts on. own: the caller's. path: the one in the path, which must be the caller's own
   * unless the caller belongs to tenant `platform`. platform: only credentials of tenant `platform` may call; it acts on
   * the platform, or on the tenant in the path.
   */
  tenant: 'own' | 'path' | 'platform';
  /** The error codes that depend on the operation itself. `errorsOf` adds the codes that depend on its shape. */
  errors: readonly ErrorCode[];
  /** Absent: ALWAYS. Required for every POST and PUT. */
  repeat?: Repeat;
  /** Of a success, in addition to X-Request-Id. */
  answerHeaders?: readonly AnswerHeader[];
  /** The limits of its body, if they are higher than those of other operations. */
  largeBody?: LargeBody;
  /** The meaning of a success status, if it is not the usual one. */
  successes?: Readonly<Record<number, string>>;
  /** The example of a success, if it is not the one of its schema. */
  examples?: Readonly<Record<number, object>>;
};

/** `depth`: the levels of objects and arrays. `items`: the most items of a field. */
export type LargeBody = { bytes: number; depth: number; items: Readonly<Record<string, number>> };

type Declared = AppRoute & { summary: string; description: string; metadata: OperationMetadata };

type Writing = { method: 'POST' | 'PUT'; metadata: { repeat: Repeat } };

type Reading = { method: 'GET' | 'DELETE' };

/** Declares the operations of a resource. A route without its metadata does not compile. */
export const operations = <const T extends Record<string, Declared & (Writing | Reading)>>(routes: T): T => routes;
