import proxyAddr from 'proxy-addr';
import type { Incoming } from './exchange.js';

/** The address that a request comes from, as seen by the outermost of so many trusted proxies. */
export const addressOf = (req: Incoming, trustedHops: number): string =>
  trustedHops === 0 ? (req.socket.remoteAddress ?? '') : proxyAddr(req, (_address, hop) => hop < trustedHops);
