/** Wakes up whoever waits for something to happen, on every node. A signal may get lost: a slow look is the safety net. */
export type Signals = {
  /** After the commit of what happened. */
  send(topics: readonly string[]): void;
  /** Answers how to stop listening. */
  listen(topic: string, wake: () => void): () => void;
  /** How many listen, in this process. */
  listeners(topic: string): number;
  /** True once nobody should wait any more. */
  isClosed(): boolean;
  /** Wakes up all that wait, for good. */
  close(): Promise<void>;
};

export const topics = {
  outbox: 'outbox',
  /** Who may read the bus, or what there is to read, has changed. */
  busAccess: 'bus-access',
  command: (tenantId: string, commandId: string) => `command ${tenantId} ${commandId}`,
  events: (tenantId: string) => `events ${tenantId}`,
  deviceRequests: (tenantId: string) => `device-requests ${tenantId}`,
};

/** The listeners of this process: all there is to signals where there is one process. */
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
    listeners: (topic: string) => listeners.get(topic)?.size ?? 0,
    async close() {
      isClosed = true;
      signals.send([...listeners.keys()]);
    },
  };
  return signals;
}
