import { type ErrorBody, type ErrorCode, type ErrorDetail, errors } from '@tenant-open-platform/contract';

type Extra = {
  /** More precise than the meaning of the code. */
  message?: string;
  details?: ErrorDetail[];
  metadata?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/** A refusal of the table of errors. Thrown anywhere, answered in one place. */
export class ApiError extends Error {
  override name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    readonly extra: Extra = {},
  ) {
    super(extra.message ?? `${errors[code].meaning} ${errors[code].fix}`);
  }

  get status(): number {
    return errors[this.code].status;
  }

  body(requestId: string): ErrorBody {
    const { details, metadata } = this.extra;
    return {
      code: this.code,
      message: this.message,
      request_id: requestId,
      ...(details && { details }),
      ...(metadata && { metadata }),
    };
  }
}

/** The one answer for what does not exist and what belongs to another tenant. */
export const notFound = () => new ApiError('NOT_FOUND');

/** A body that refers to something that does not exist, or belongs to another tenant. */
export const notFoundIn = (location: string) =>
  new ApiError('NOT_FOUND', {
    details: [{ location, code: 'NOT_FOUND', message: 'There is no such resource in the tenant.' }],
  });

/** A body that the contract lets pass and a rule does not. The message goes on from the location, as in `must be https`. */
export const validationFailed = (location: string, message: string) =>
  new ApiError('VALIDATION_FAILED', {
    message: `The request is not valid: ${location} ${message}.`,
    details: [{ location, code: 'INVALID_VALUE', message }],
  });
