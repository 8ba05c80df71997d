import type { Command } from 'commander';
import { readArgument } from '../input/read-json-object.js';
import type { Invocation } from '../invocation.js';

/** Longer than any operation waits before it answers. */
const TIMEOUT_MS = 120_000;
const METHOD = /^(GET|POST|PUT|DELETE)$/i;

export function addApi(program: Command, invocation: Invocation): void {
  program
    .command('api')
    .summary('Sign and send any request.')
    .description(
      'Signs one request, sends it once and prints the body of the answer as it came. For operations that this version of topctl does not know.',
    )
    .argument('<method>', 'GET, POST, PUT or DELETE.')
    .argument('<target>', 'The path with its query, from /api/v1 on.')
    .option('--body <json>', 'The body exactly as it will be sent, @file, or - for stdin. Default: none.')
    .action(async (method: string, target: string, options: { body?: string }) => {
      const { context } = invocation;
      const body = options.body === undefined ? undefined : await readArgument(context, '--body', options.body);
      if (!METHOD.test(method)) throw invocation.usageError('the method is GET, POST, PUT or DELETE');
      if (body && !/^P/i.test(method)) throw invocation.usageError('GET and DELETE take no --body');
      if (body && !isJson(body)) throw invocation.usageError('--body is not JSON');
      const { profile, fetch } = await invocation.connect();
      const { sign } = await import('@tenant-open-platform/sdk/sign');
      const request = {
        clientId: profile.client_id,
        secret: profile.secret,
        method: method.toUpperCase(),
        target,
        body,
      };
      const signature = await sign(request).catch((error: Error) => {
        throw invocation.usageError(error.message);
      });
      const response = await fetch(`${profile.base_url.replace(/\/+$/, '')}${target}`, {
        method: request.method,
        headers: { ...signature, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch(({ message, cause }: Error) => {
        const reason = cause instanceof Error ? cause.message : message;
        throw new Error(`no answer from ${profile.base_url}: ${reason}. "topctl doctor" finds out why.`);
      });
      const text = await response.text();
      if (!response.ok) throw await errorOf(response.status, text);
      context.stdout.write(`${text}\n`);
    });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The error that the SDK would throw, so that it is explained and has the exit code as everywhere. */
async function errorOf(status: number, text: string): Promise<Error> {
  const { ApiError } = await import('@tenant-open-platform/sdk');
  const body = isJson(text) ? JSON.parse(text) : undefined;
  if (typeof body?.code === 'string' && typeof body.request_id === 'string') {
    return new ApiError(status, body, { requestId: body.request_id });
  }
  const message = `an answer of status ${status} that is not the platform's: check the base URL.`;
  return new ApiError(status, { code: 'UNEXPECTED_ANSWER', message, metadata: { text: text.slice(0, 500) } });
}
