import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal, type Step } from '../test/fake-fetch.js';
import type { TenantOpenPlatform } from './client.js';

const reboot = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };
const emptyPage = () => answer(200, { items: [], next_cursor: 'c', request_id: 'r' });
const failures = (count: number): Step[] => Array.from({ length: count }, () => networkFailure('ECONNRESET'));
/** A fetch that never answers and does not notice that it is aborted. */
const deaf: Step = () => new Promise(() => {});
const grant = () =>
  answer(200, { method: 'PUT', url: 'https://store.test/', headers: {}, presign_id: 'p', request_id: 'r' });

type Run = (client: TenantOpenPlatform, signal: AbortSignal) => Promise<unknown>;
const call: Run = ({ me }, signal) => me.get({ signal });
const wait: Run = ({ commands }, signal) => commands.wait('c1', { signal });
const createAndWait: Run = ({ commands }, signal) => commands.createAndWait(reboot, { signal });
const follow: Run = ({ events }, signal) => events.follow({ from: 'now', signal }).next();
const iterate: Run = ({ commands }, signal) => commands.list({}, { signal }).toArray();
const upload: Run = ({ objects }, signal) => objects.upload('r', 'k', 'x', { contentType: 'text/plain', signal });

/** Each waits after these requests. */
const waits: [string, Run, Step[]][] = [
  ['a call that waits for its answer', call, [deaf]],
  ['a call in its first back-off', call, failures(1)],
  ['a call in its second back-off', call, failures(2)],
  ['a call that Retry-After holds back', call, [refusal(429, 'RATE_LIMITED', {}, { 'Retry-After': '30' })]],
  ['a wait for an outcome', wait, [deaf]],
  ['a wait in an outage', wait, failures(3)],
  ['createAndWait in an outage', createAndWait, failures(3)],
  ['follow that waits for an event', follow, [emptyPage(), deaf]],
  ['follow in an outage', follow, failures(3)],
  ['follow of a platform that does not wait', follow, [emptyPage(), emptyPage()]],
  ['an iteration in an outage', iterate, [emptyPage(), ...failures(3)]],
  ['an upload whose presigning is in an outage', upload, failures(3)],
  ['an upload in the back-off of its transfer', upload, [grant(), new Response('', { status: 503 })]],
];

/** Ends what the event loop has begun, timers not included. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.each(waits)('an abort ends %s before anything else happens, and leaves no timer', async (_, run, script) => {
  const stopping = new AbortController();
  const reason = new Error('No longer needed');
  // Back-offs pass at once until the last request of the script, and then take as long as they may.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  const last = script.at(-1);
  const lastly: Step = async (sent, init) => {
    random.mockReturnValue(1);
    if (last instanceof Error) throw last;
    return typeof last === 'function' ? last(sent, init) : (last as Response);
  };
  const { client, fetch } = fakeClient([...script.slice(0, -1), lastly]);
  let outcome: unknown;
  const ended = run(client, stopping.signal).catch((error) => {
    outcome = error;
  });
  while (fetch.sent.length < script.length) {
    vi.advanceTimersByTime(0);
    await turn();
  }
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(outcome).toBeUndefined();

  stopping.abort(reason);
  await turn();
  expect(outcome).toSatisfy((error: Error) => error === reason || error.cause === reason);
  expect(vi.getTimerCount()).toBe(0);
  await ended;
  expect(fetch.sent).toHaveLength(script.length);
});
