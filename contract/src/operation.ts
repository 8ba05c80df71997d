import type { AppRoute } from '@ts-rest/core';
import type { Scope } from './scopes.js';

/** What every operation declares beside its path and schemas. */
export type OperationMetadata = {
  /** The permission that the caller needs; null where any live credential may call. */
  scope: Scope | null;
  /** False marks an addition to the specification. */
  specified: boolean;
};

type Operation = AppRoute & {
  summary: string;
  description: string;
  metadata: OperationMetadata;
};

/** Declares the operations of a resource. A route without a scope does not compile. */
export const operations = <const T extends Record<string, Operation>>(routes: T): T => routes;
