import { openStatuses } from '@tenant-open-platform/contract/facts';
import { type ErrorBody, type Operations, operations } from './api.gen.js';
import { bodies, lists, schemas } from './bodies.gen.js';
import type { Fetch, FetchResponse } from './runtime.js';
import { verify } from './sign.js';
import { problemsOf } from './validate-body.js';

type Name = keyof Operations;
type QueryOf<N extends Name> = Operations[N]['request'] extends { query?: infer Query } ? NonNullable<Query> : object;
/** A body, or the items of a list. Fields that the test does not use may be left out. */
type AnswerOf<N extends Name> = 'cursor' extends keyof QueryOf<N>
  ? readonly Partial<Operations[N]['answer']>[]
  : Partial<Operations[N]['answer']>;

/** The test has no answer for a call. No guard of the client recognises it, so that no handler takes it for a refusal. */
export class UnexpectedCallError extends Error {
  override readonly name = 'UnexpectedCallError';
}

/** A fault, created by {@link refusal}, {@link connectionLost} or {@link silence}. */
export class Fault {
  /** @internal */
  constructor(readonly respond: (request: TestRequest) => Promise<FetchResponse>) {}
}

/** A correctly signed request of the client. */
export interface TestRequest {
  operation: Name;
  /** The values of the path parameters. */
  path: readonly string[];
  query: Readonly<Record<string, string>>;
  /** The JSON of the body; undefined if there was none. */
  body: unknown;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
}

/** The platform refuses: `refusal(404, 'NOT_FOUND')`. */
export function refusal(
  status: number,
  code: ErrorBody['code'],
  {
    headers,
    ...fields
  }: { message?: string; metadata?: object; details?: object[]; headers?: Record<string, string> } = {},
): Fault {
  if (!(status >= 400 && status <= 599)) throw new TypeError(`refusal: ${status} is no status of a refusal.`);
  if (!code) throw new TypeError("refusal: the code is missing, for example refusal(404, 'NOT_FOUND').");
  return new Fault(async (request) =>
    json(
      status,
      { code, message: `Refused: ${code}.`, request_id: request.headers['x-request-id'], ...fields },
      headers,
    ),
  );
}

/** The connection is lost before an answer arrives. */
export const connectionLost = (): Fault =>
  new Fault(async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  });

/** No answer ever arrives: the client reaches its `timeoutMs`. */
export const silence = (): Fault => new Fault(() => new Promise(() => {}));

/**
 * A platform in memory, for unit tests of code that uses the client. It verifies signatures, clock and nonces as the
 * platform does, and refuses a body that its schema does not allow. It returns the answers that the test sets, each once
 * and in order. A call without an answer throws an {@link UnexpectedCallError}. `assertDone` fails after such a call, and
 * after an invalid body.
 *
 * ```ts
 * const platform = new TestPlatform();
 * const client = new TenantOpenPlatform(platform.options);
 * platform.on('commands.create', connectionLost(), { command_id: 'c1', status: 'ACCEPTED' });
 * await restartPump(client);
 * expect(platform.requests[0]?.body).toMatchObject({ command_type: 'reboot' });
 * platform.assertDone();
 * ```
 */
export class TestPlatform {
  /** Every correctly signed request, in order. */
  readonly requests: TestRequest[] = [];
  readonly #answers = new Map<Name, unknown[]>();
  readonly #problems: string[] = [];
  readonly #nonces = new Set<string>();

  /** For `new TenantOpenPlatform(platform.options)`. */
  readonly options = {
    baseUrl: 'https://platform.test',
    clientId: 'test-client',
    secret: 'secret-of-the-test-client',
    fetch: ((url, init) => this.#receive(url, init)) as Fetch,
  };

  /**
   * Sets the answers to the next calls of an operation: bodies, items of lists, or faults. A command with a final status
   * gets a `completed_at`, which ends a wait.
   */
  on<N extends Name>(operation: N, ...answers: [AnswerOf<N> | Fault, ...(AnswerOf<N> | Fault)[]]): this {
    if (!Object.hasOwn(operations, operation)) throw new TypeError(`There is no operation ${String(operation)}.`);
    if (answers.length === 0) throw new TypeError(`on('${operation}') needs an answer.`);
    for (const answer of answers) checkAnswer(operation, answer);
    this.#answers.set(operation, [...(this.#answers.get(operation) ?? []), ...answers]);
    return this;
  }

  /** Throws if a call had no answer or an invalid body, or if an answer had no call. */
  assertDone(): void {
    const left = [...this.#answers].filter(([, answers]) => answers.length > 0);
    const problems = [
      ...this.#problems,
      ...left.map(([operation, answers]) => `Not called: ${operation}, ${answers.length} answers are left.`),
    ];
    if (problems.length > 0) throw new Error(problems.join(' '));
  }

  async #receive(url: string, init: Parameters<Fetch>[1]): Promise<FetchResponse> {
    const { pathname, search, searchParams } = new URL(url);
    const headers = Object.fromEntries(
      Object.entries(init.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const refused = await this.#authenticate(`${pathname}${search}`, init, headers);
    const call = `${init.method} ${pathname}`;
    const [operation, path] = find(init.method, pathname) ?? [];
    if (refused || !operation || !path) return refuse(refused ?? [404, 'NOT_FOUND', call], headers);
    const request = {
      operation,
      path,
      query: Object.fromEntries(searchParams),
      body: init.body === undefined ? undefined : JSON.parse(init.body),
      headers,
    };
    this.requests.push(request);
    const answers = this.#answers.get(operation) ?? [];
    const [answer] = answers;
    if (answer === undefined) {
      const message = `The test has no answer for ${operation} (${call}).`;
      this.#problems.push(message);
      return throwing(new UnexpectedCallError(message));
    }
    answers.shift();
    if (answer instanceof Fault) return answer.respond(request);
    const details = invalid(operation, request.body);
    if (details.length > 0) {
      const message = `The body is invalid: ${details.map(({ location, message }) => `${location} ${message}`).join(', ')}.`;
      this.#problems.push(`${operation}: ${message}`);
      return json(400, { code: 'VALIDATION_FAILED', message, details, request_id: headers['x-request-id'] });
    }
    if (!Array.isArray(answer)) {
      return json(200, { request_id: headers['x-request-id'], ...this.#complete(operation, answer as object) });
    }
    const isBare = operation === 'credentials.list';
    const next_cursor = operation === 'events.list' ? 'next' : null;
    return json(200, isBare ? answer : { items: answer, next_cursor, request_id: headers['x-request-id'] });
  }

  /** A wait ends at `completed_at`, and sees a change at a new `updated_at`. */
  #complete(operation: Name, answer: { status?: string }): object {
    if (!operation.startsWith('commands.') || answer.status === undefined) return answer;
    const updated_at = new Date(Date.now() + this.requests.length).toISOString();
    const isFinal = !openStatuses.some((status) => status === answer.status);
    return { completed_at: isFinal ? updated_at : null, updated_at, ...answer };
  }

  /** The problem with the authentication of a request, in the words of the platform. */
  async #authenticate(target: string, { method, body }: { method: string; body?: string }, headers: HeaderMap) {
    const timestamp = headers['x-api-timestamp'] ?? '';
    const nonce = headers['x-api-nonce'] ?? '';
    const signature = headers['x-api-signature'] ?? '';
    const { clientId, secret } = this.options;
    const signed = { clientId, secret, method, target, body, timestamp, nonce, signature };
    if (headers['x-api-id'] !== clientId || !(await verify(signed))) {
      return [401, 'UNAUTHENTICATED', 'The signature does not match.'] as const;
    }
    if (Math.abs(Number(timestamp) - Date.now() / 1000) > 300) {
      return [401, 'CLOCK_SKEW', 'The clock is wrong.', { server_time: new Date().toISOString() }] as const;
    }
    if (this.#nonces.has(nonce)) return [401, 'NONCE_REUSED', 'The nonce was used before.'] as const;
    this.#nonces.add(nonce);
    return undefined;
  }
}

type HeaderMap = Readonly<Record<string, string>>;
type Refused = readonly [status: number, code: string, message: string, metadata?: object];

const refuse = ([status, code, message, metadata]: Refused, headers: HeaderMap) =>
  json(status, { code, message, metadata, request_id: headers['x-request-id'] });

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

function checkAnswer(operation: Name, answer: unknown): void {
  if (answer instanceof Fault) return;
  const isList = lists.includes(operation);
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer) !== isList) {
    throw new TypeError(`An answer of ${operation} is ${isList ? 'an array of items' : 'an object'}, or a fault.`);
  }
}

/** The details of the refusal of a body; empty if the operation accepts it. */
function invalid(operation: Name, body: unknown): { location: string; code: string; message: string }[] {
  const [schema, isRequired] = bodies[operation] ?? [];
  if (schema === undefined || (body === undefined && !isRequired)) return [];
  return problemsOf(body, schemas[schema] ?? {}).map((problem) => ({ ...problem, code: 'INVALID' }));
}

/** The client turns every failure of fetch into a ConnectionError. What reading the headers throws, it passes on. */
function throwing(error: Error): FetchResponse {
  const fail = () => {
    throw error;
  };
  return { status: 500, headers: { get: fail, forEach: fail }, body: null, text: async () => '' };
}

/** The operation of a request, and the values of its path parameters. */
function find(method: string, pathname: string): [Name, string[]] | undefined {
  for (const [name, [verb, template]] of Object.entries(operations)) {
    const match = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(pathname);
    if (verb === method && match) return [name as Name, match.slice(1)];
  }
  return undefined;
}
