/**
 * Wakes up what waits for something to happen, on every node. A signal may get lost: everything that waits also looks
 * again by itself.
 */
export type Signals = {
  /** After the commit of what happened. */
  send(topics: readonly string[]): void;
  /** Returns a function that stops listening. */
  listen(topic: string, wake: () => void): () => void;
  /** The number of listeners in this process. */
  listeners(topic: string): number;
  /** Whether this process receives signals at present. */
  isReceiving(): Promise<boolean>;
  /** True once nothing should wait any more. */
  isClosed(): boolean;
  /** Wakes up everything that waits, for good. */
  close(): Promise<void>;
};

/** `changesOf` reads the parts of those that requests wait for, separated by spaces. */
export const topics = {
  /** Something waits to be relayed. */
  outbox: 'outbox',
  /** Something was logged, and is to be published. */
  eventLog: 'event-log',
  /** Principals of the bus, or the vendors that they read, have changed. */
  busAccess: 'bus-access',
  command: (tenantId: string, commandId: string) => `command ${tenantId} ${commandId}`,
  events: (tenantId: string) => `events ${tenantId}`,
  deviceRequests: (tenantId: string) => `device-requests ${tenantId}`,
};

/** Signals within this process. */
export function localSignals(): Signals {
  let isClosed = false;
  const listeners = new Map<string, Set<() => void>>();
  const signals = {
    isClosed: () => isClosed,
    send(topics: readonly string[]) {
      for (const topic of new Set(topics)) for (const wake of [...(listeners.get(topic) ?? [])]) wake();
    },
    listen(topic: string, wake: () => void) {
      const those = listeners.get(topic) ?? new Set();
      listeners.set(topic, those.add(wake));
      return () => {
        those.delete(wake);
        if (those.size === 0) listeners.delete(topic);
      };
    },
    isReceiving: async () => true,
    listeners: (topic: string) => listeners.get(topic)?.size ?? 0,
    async close() {
      isClosed = true;
      signals.send([...listeners.keys()]);
    },
  };
  return signals;
}
