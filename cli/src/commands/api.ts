import type { Command } from 'commander';
import { addExamples } from '../input/examples.js';
import { readArgument } from '../input/read-json-object.js';
import type { Invocation } from '../invocation.js';
import { printableJson } from '../output/printable.js';

/** Longer than any operation waits before it answers. */
const TIMEOUT_SECONDS = 120;
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
const METHODS_WITH_BODY = ['POST', 'PUT'];

const examples = [
  "topctl api GET '/api/v1/open/events?limit=1'",
  'topctl api POST /api/v1/open/downlink/commands --body @command.json',
];

export function addApi(program: Command, invocation: Invocation): void {
  addExamples(program.command('api'), examples)
    .summary('Sign and send any request.')
    .description(
      'Signs one request, sends it once and prints the body of the response. Use it for operations that this version of topctl does not know.',
    )
    .argument('<method>', 'GET, POST, PUT or DELETE.')
    .argument('<target>', 'The path with its query, from /api/v1 on.')
    .option('--body <json>', 'The body exactly as it will be sent, @file, or - for stdin. Default: none.')
    .action(async (givenMethod: string, target: string, options: { body?: string }) => {
      const { context } = invocation;
      const method = givenMethod.toUpperCase();
      const body = options.body === undefined ? undefined : await readArgument(context, '--body', options.body);
      if (!METHODS.includes(method)) throw invocation.usageError('the method is GET, POST, PUT or DELETE');
      if (body && !METHODS_WITH_BODY.includes(method)) throw invocation.usageError('GET and DELETE take no --body');
      if (body && !isJson(body)) throw invocation.usageError('--body is not JSON');
      const { profile, client, fetch, clockOffsetMs } = await invocation.connect();
      const timestamp = Math.floor((Date.now() + clockOffsetMs()) / 1000);
      const { timeout = TIMEOUT_SECONDS } = invocation.flags;
      const { sign } = await import('@tenant-open-platform/sdk/sign');
      const { client_id: clientId, secret } = profile;
      const signature = await sign({ clientId, secret, method, target, body, timestamp }).catch((error: Error) => {
        throw invocation.usageError(error.message);
      });
      const response = await fetch(`${client.baseUrl}${target}`, {
        method,
        headers: { ...signature, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout * 1000),
      }).catch(async (cause: Error) => {
        const { ConnectionError, TimeoutError } = await import('@tenant-open-platform/sdk');
        throw new (cause.name === 'TimeoutError' ? TimeoutError : ConnectionError)(cause.message, { cause });
      });
      const text = await response.text();
      if (!response.ok) throw await errorOf(response.status, text);
      context.stdout.write(`${printableJson(text)}\n`);
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
