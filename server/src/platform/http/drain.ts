import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Prepares a server for a stop that loses no request. Closing it waits for every connection, and one that is kept
 * alive under load never falls idle: so each gets the answer under way with `Connection: close`.
 */
export function drainable(server: Server): { drain(limitMs: number): Promise<void> } {
  const answering = new Set<ServerResponse>();
  let isDraining = false;
  const closeAfter = (res: ServerResponse) => {
    if (!res.headersSent) res.setHeader('Connection', 'close');
  };
  server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    answering.add(res);
    res.once('close', () => answering.delete(res));
    if (isDraining) closeAfter(res);
  });

  return {
    /** Answers what is under way, and cuts off what takes longer than the limit. */
    async drain(limitMs) {
      isDraining = true;
      for (const res of answering) closeAfter(res);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const cutOff = setTimeout(() => server.closeAllConnections(), limitMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}
