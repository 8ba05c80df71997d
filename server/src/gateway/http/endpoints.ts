import type { ErrorCode, Operation } from '@tenant-open-platform/contract';
import { validateResponse } from '@ts-rest/core';
import { createTurns, onePerTick } from '../../foundation/concurrency/turns.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { onceByKey } from '../idempotency/once.js';
import type { Call, CallOf, Handlers } from '../operation/call.js';
import { type Answer, type Incoming, parseBody, type Reply, validRequest } from './exchange.js';

type Valid = ReturnType<typeof validRequest>;
type AnyHandler = (request: Valid, call: CallOf<ErrorCode>, services: unknown) => Promise<Answer>;
/** `requireWanted`: throws if the answer could not be sent, or would add to too many that are not received. */
type Request = {
  req: Incoming;
  reply: Reply;
  params: Record<string, string>;
  body: Buffer;
  requireWanted: () => void;
};

/** So the event loop has 25 rounds for others before the longest page is sent and the next one of its tenant is read. */
const ITEMS_OF_A_PIECE = 20;

/**
 * Each handler gets a valid request, and its answer is validated against the contract. A tenant has a share of what all
 * requests need: at most `atOnce` of its requests are worked on at a time. Long pages are validated in pieces, one in each
 * round of the event loop.
 */
export function createCallHandler<Services>(
  handlers: Handlers<Services>,
  { services, keyring, atOnce }: { services: Services; keyring: Keyring; atOnce: number },
) {
  const inTurn = createTurns({ atOnce });
  const perTick = onePerTick();
  const piece = <Result>({ caller }: Call, work: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      perTick(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      }, caller.tenantId);
    });

  async function validBody(route: Operation['route'], { status, body }: Answer, call: Call): Promise<unknown> {
    const valid = (part: unknown) => validateResponse({ appRoute: route, response: { status, body: part } }).body;
    const { items } = body as { items?: unknown };
    if (!Array.isArray(items) || items.length <= ITEMS_OF_A_PIECE) return valid(body);
    const all: unknown[] = [];
    for (let from = 0; from < items.length; from += ITEMS_OF_A_PIECE) {
      const some = { ...(body as object), items: items.slice(from, from + ITEMS_OF_A_PIECE) };
      all.push(...(await piece(call, () => (valid(some) as { items: unknown[] }).items)));
    }
    return { ...(valid({ ...(body as object), items: [] }) as object), items: all };
  }

  return async ({ name, route }: Operation, given: Request, call: CallOf<ErrorCode>): Promise<Answer> => {
    const [resource, verb = ''] = name.split('.');
    const handler = (handlers[resource as keyof Handlers] as Record<string, AnyHandler>)[verb] as AnyHandler;
    const { tenantId } = call.caller;

    async function handle(request: Valid, ofTenant: CallOf<ErrorCode>): Promise<Answer> {
      const isKeyed = route.metadata.repeat === 'BY_HEADER';
      const once = isKeyed ? onceByKey(keyring, { ...given, body: request.body }, ofTenant) : undefined;
      const answered = await handler(request, once ? { ...ofTenant, once } : ofTenant, services);
      if (!(answered.status in route.responses)) throw new Error(`The contract has no answer ${answered.status} here.`);
      return answered;
    }

    const valid = async (answered: Answer): Promise<Answer> => ({
      ...answered,
      body: await validBody(route, answered, call),
    });

    function count(items: number | undefined): void {
      const overQuota = items && call.expectItems(items);
      if (overQuota) throw overQuota;
    }

    const begun = await inTurn(tenantId, async () => {
      given.requireWanted();
      const body = parseBody(given.req.headers['content-type'], given.body, route.metadata.largeBody?.depth);
      const request = validRequest(route, given.req.url, { params: given.params, body });
      const { wait_seconds: waits, limit } = (request.query ?? {}) as { wait_seconds?: number; limit?: number };
      if (waits) return { waiting: request };
      count(limit);
      return { answer: await valid(await handle(request, call)) };
    });
    if (begun.answer) return begun.answer;
    // While a request waits for a change, it leaves its place to others.
    const asTenant: Call['asTenant'] = (...work) => inTurn(tenantId, () => call.asTenant(...work));
    const answered = await handle(begun.waiting, { ...call, asTenant });
    given.requireWanted();
    count((answered.body as { items?: unknown[] }).items?.length);
    return valid(answered);
  };
}
