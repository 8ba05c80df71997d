import type { Logger } from 'pino';
import { ApiError } from '../../foundation/api-error.js';
import { hadNoEffect, hasUnknownEffect } from '../../foundation/database/database-error.js';
import { KeyMissingError } from '../../foundation/secrets/keyring.js';
import { boundedLog, ONCE_A_MINUTE } from '../../foundation/telemetry/logger.js';
import { traceIdOf } from '../../foundation/telemetry/spans.js';
import { answerJson, type Reply } from './exchange.js';

/**
 * Answers a thrown error with a code of the error table. An unexpected error is logged and its details are not shown.
 * An intended refusal, for example for overload, is not logged here: it is in the refusal log.
 */
export function createAnswerError(logger: Logger) {
  const log = boundedLog(logger);
  /** Every request that needs the key fails until the operator has acted. */
  const logMissingKey = boundedLog(logger, ONCE_A_MINUTE);
  return function answerError(error: unknown, reply: Reply): void {
    const { requestId, traceparent, operation, mayHaveChanged = false } = reply.locals;
    const trace_id = traceIdOf(traceparent);
    const answer = toApiError(error, mayHaveChanged);
    const isDecided = error instanceof ApiError && error.cause === undefined;
    if (error instanceof KeyMissingError) logMissingKey('error', error.keyId, { key_id: error.keyId }, error.message);
    else if (answer.status >= 500 && !isDecided)
      log('error', answer.code, { err: error, request_id: requestId, trace_id, operation }, answer.code);
    if (reply.headersSent) {
      reply.destroy();
      return;
    }
    reply.locals.code = answer.code;
    answerJson(reply, { status: answer.status, body: answer.body(requestId), headers: answer.extra.headers });
  };
}

function toApiError(error: unknown, mayHaveChanged: boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof KeyMissingError) return new ApiError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '5' } });
  if (hadNoEffect(error) || (hasUnknownEffect(error) && !mayHaveChanged)) {
    return new ApiError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '1' } });
  }
  return new ApiError('INTERNAL_ERROR');
}
