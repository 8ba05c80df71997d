import type { AdapterLog } from './events.js';
import { FairPlaces } from './fair-places.js';

/** Among whom the places are shared: the device, and in an adapter of every tenant its tenant. */
export type Keys = readonly [device: string, ...tenant: string[]];

export const keysOf = (tenantId: string, deviceId: string, isShared: boolean): Keys => {
  const device = `${tenantId} ${deviceId}`;
  return isShared ? [device, tenantId] : [device];
};

/** How much of busy devices and tenants waits here. Each costs its message, and a sign of life every 2 seconds. */
const MAX_WAITING = 4_096;
const WARN_EVERY_MS = 30_000;

/**
 * The places of what runs, and the queues of what waits for its device or tenant: in order for each device. Devices and
 * tenants take turns, and share both kinds of places.
 */
export class FairQueues<Item extends { readonly keys: Keys }> {
  readonly places: FairPlaces;
  readonly held = new FairPlaces(MAX_WAITING);
  /** By tenant and device. */
  readonly #queues = new Map<string, Map<string, Item[]>>();
  #warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    size: number,
    private readonly onePerDevice: boolean,
  ) {
    this.places = new FairPlaces(size);
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const queues of this.#queues.values()) for (const queue of queues.values()) yield* queue;
  }

  /** Takes one of the held places too. */
  join(item: Item): void {
    const [device, tenant = ''] = item.keys;
    const queues = this.#queues.get(tenant) ?? new Map<string, Item[]>();
    const queue = queues.get(device) ?? [];
    this.#queues.set(tenant, queues.set(device, queue));
    queue.push(item);
    this.held.take(item.keys);
  }

  /** Its held place stays taken. */
  leave(item: Item): void {
    const [device, tenant = ''] = item.keys;
    const queues = this.#queues.get(tenant);
    const queue = queues?.get(device) ?? [];
    queue.splice(queue.indexOf(item), 1);
    if (queue.length === 0) queues?.delete(device);
    if (queues?.size === 0) this.#queues.delete(tenant);
  }

  mayStart(item: Item): boolean {
    const [device, tenant = ''] = item.keys;
    return this.#queues.get(tenant)?.get(device)?.[0] === item && this.#hasPlace(item.keys);
  }

  #hasPlace(keys: Keys): boolean {
    return this.places.mayTake(keys) && !(this.onePerDevice && this.places.usedBy(keys[0]) > 0);
  }

  /** Starts what may start now. `start` takes the item out of its queue. */
  startWaiting(start: (item: Item) => void): void {
    for (const [tenant, queues] of this.#queues) {
      for (const [device, queue] of queues) {
        if (this.places.free < 1) return;
        if (tenant && !this.places.mayTake([tenant])) break;
        const [first] = queue;
        if (!first || !this.#hasPlace(first.keys)) continue;
        start(first);
        // The other devices of the tenant come before its next one.
        if (queue.length > 0 && queues.delete(device)) queues.set(device, queue);
      }
    }
  }

  /** Says who has the most of them. Once in a while: a busy adapter must not fill its log. */
  warn(log: AdapterLog, what: string, key: string, things: 'commands' | 'replies'): void {
    const now = performance.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    const [tenant_id = '', ...words] = key.split(' ');
    const device_id = words.join(' ');
    const who = device_id ? `device ${device_id} of tenant ${tenant_id}` : `tenant ${tenant_id}`;
    const [running, waiting] = [this.places.usedBy(key), this.held.usedBy(key)];
    const message = `${what}. The most busy is ${who}: ${running} of its ${things} run, ${waiting} wait.`;
    log({ level: 'warn', event: 'busy', message, tenant_id, ...(device_id && { device_id }) });
  }
}
