import { type ErrorContext, isTenantOpenPlatformError, TenantOpenPlatformError } from '@tenant-open-platform/sdk';

/** The store refused a transfer, not the platform. The presigned URL, which is a secret while it works, is not in it. */
export class ObjectStoreError extends TenantOpenPlatformError {
  declare name: 'ObjectStoreError';
  static {
    this.prototype.name = 'ObjectStoreError';
  }
  /** The HTTP status. */
  readonly status: number;
  /** The code of the store, for example `NoSuchKey`; null where it gives none. */
  readonly code: string | null;
  /** Whether the same transfer may succeed later. The client has already repeated it where that was possible. */
  readonly retryable: boolean;

  constructor(
    { status, code, message }: { status: number; code?: string | undefined; message?: string | undefined },
    context?: ErrorContext,
  ) {
    super(`The store answered ${[status, code, message].filter(Boolean).join(' ')}`, context);
    this.status = status;
    this.code = code ?? null;
    this.retryable = status >= 500 || status === 408 || status === 429;
  }
}

/** True for an {@link ObjectStoreError}, also of another copy of the package. */
export function isObjectStoreError(error: unknown): error is ObjectStoreError {
  return isTenantOpenPlatformError(error) && error.name === 'ObjectStoreError';
}
