import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIPv4, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { hasBody, type Incoming, type Reply } from './exchange.js';

/** How long a client has to read the last answer before the connection is destroyed. */
const LINGER_MS = 1_000;
/** Enough for a client that sends its whole body before it reads the refusal. */
const MAX_DISCARDED_BYTES = 4 * 1_048_576;
const MAX_PIPELINED_REQUESTS = 10;

/** Serves one request at a time, and closes so that the client can still read every answer. */
export class Connection {
  #answering: ServerResponse | null = null;
  #pipelined: Array<() => void> = [];
  /** LAST: the current answer, or else the next one, is the last. STOPPING: so is one behind which no request waits. */
  #closing: 'LAST' | 'STOPPING' | null = null;
  #clientKeepsAlive = false;
  #isLingering = false;
  #wasAdmitted = false;

  constructor(
    private readonly socket: Duplex & { destroySoon?: () => void },
    readonly network: string,
    /** A request begins, or is answered. */
    private readonly onActivity: () => void,
  ) {
    // Node removes its own error listener from the socket of a CONNECT request. An 'error' event without a listener
    // would end the process.
    socket.on('error', () => {});
    // Node calls destroySoon after the last answer. Node's version closes while bytes of the client are unread: the
    // kernel then resets the connection and the client loses the answer.
    socket.destroySoon = () => this.linger();
    // Node no longer applies the server's timeout to a socket that it has handed over.
    socket.on('timeout', () => socket.destroy());
  }

  /** Whether the next request must be refused: too many wait, or the current answer is the last. */
  get isFull(): boolean {
    const res = this.#answering;
    const isLast = this.#closing === 'LAST' || (res?.headersSent && !res.shouldKeepAlive);
    return !!res && (isLast || this.#pipelined.length === MAX_PIPELINED_REQUESTS);
  }

  /** Whether a request of the connection, the current one included, was admitted. */
  get isAdmitted(): boolean {
    return this.#wasAdmitted || (this.#answering as Reply | null)?.locals?.call !== undefined;
  }

  get isIdle(): boolean {
    return !this.#answering;
  }

  /** Serves the request after the earlier requests of the connection. */
  serve(req: IncomingMessage, res: ServerResponse, listener: RequestListener): void {
    if (this.#isLingering) return;
    if (this.isFull) this.stopReading();
    else if (this.#answering) this.#pipelined.push(() => this.#start(req, res, listener));
    else this.#start(req, res, listener);
    this.#decide();
  }

  #start(req: IncomingMessage, res: ServerResponse, listener: RequestListener): void {
    this.#answering = res;
    this.onActivity();
    res.once('close', () => {
      this.#wasAdmitted = this.isAdmitted;
      this.#answering = null;
      this.onActivity();
      if (this.#closing === 'LAST') this.linger();
      else if (!this.socket.destroyed) this.#pipelined.shift()?.();
    });
    // After a request with Upgrade, Node's parser drops the bytes that it has already read, even if the server does not
    // upgrade.
    if (req.headers.upgrade !== undefined) this.#closing = 'LAST';
    this.#clientKeepsAlive = res.shouldKeepAlive;
    this.#decide();
    if (hasBody(req)) req.once('end', () => this.#decide());
    listener(req, res);
  }

  /** Decides whether the current answer will say that the connection closes. */
  #decide(): void {
    const res = this.#answering;
    if (!res || res.headersSent) return;
    const goesOn = this.#closing === null || (this.#closing === 'STOPPING' && this.#pipelined.length > 0);
    // An answer before the end of the body is the last one: the bytes that follow are not a request.
    res.shouldKeepAlive = this.#clientKeepsAlive && goesOn && (!hasBody(res.req) || res.req.readableEnded);
  }

  /** Closes the connection after the current answer, or after the answer to a request that may be in transit. */
  closeAfterAnswer(closing: 'LAST' | 'STOPPING' = 'LAST'): void {
    this.#closing = closing;
    this.#decide();
  }

  /** The request that has no answer yet and is not completely received. */
  get incompleteRequest(): IncomingMessage | null {
    const res = this.#answering;
    return res && !res.headersSent && !res.req.complete ? res.req : null;
  }

  /** The bytes are not HTTP or came too late. The refusal answers them, unless an earlier request still waits. */
  refuse(refusal: () => string): void {
    if (this.#isLingering || this.socket.destroyed) return;
    if (this.#answering && !this.incompleteRequest) this.stopReading();
    else this.linger(this.socket.writable ? refusal() : '');
  }

  /** Serves no later request of this connection, neither one already received nor one still to come. */
  stopReading(): void {
    this.closeAfterAnswer();
    this.#pipelined = [];
    this.#discardInput();
  }

  /** Sends FIN and destroys the connection a second later. Unread bytes would make the kernel reset it at once. */
  linger(lastBytes = ''): void {
    if (this.#isLingering) return;
    this.#isLingering = true;
    this.#pipelined = [];
    this.socket.end(lastBytes);
    this.#discardInput();
    const destroy = setTimeout(() => this.socket.destroy(), LINGER_MS);
    this.socket.once('close', () => clearTimeout(destroy));
  }

  #discardInput(): void {
    let discarded = 0;
    this.socket.removeAllListeners('data').on('data', ({ length }: Buffer) => {
      discarded += length;
      if (discarded > MAX_DISCARDED_BYTES) this.socket.pause();
    });
    this.socket.resume();
  }
}

export type ConnectionLimits = { maxConnections: number; maxConnectionsPerNetwork: number };

/** A limit was reached: the new connection was refused, or another one was evicted for it. */
export type AtLimit = { outcome: 'REFUSED' | 'EVICTED'; limit: 'total' | 'address'; address: string };

/** The share of the places for connections that never carried an admitted request: verifying a first one takes time. */
const SHARE_OF_NEW = 1 / 10;

/**
 * The open connections, in total and of each network, in the order of their last activity. At a limit one makes room
 * for a new one: the oldest of those that never carried an admitted request, even while it has a request in progress,
 * because anyone can open those. If at most a tenth of the places are theirs, the admitted one that has been idle
 * longest. An admitted request is never cut.
 */
export function openConnections(limits: ConnectionLimits, reportLimit: (atLimit: AtLimit) => void) {
  const all = new Map<Duplex, Connection>();
  const networks = new Map<string, Map<Duplex, Connection>>();

  function hasRoom(open: Map<Duplex, Connection>, most: number, limit: AtLimit['limit'], address: string): boolean {
    if (open.size < most) return true;
    const evicted = firstToEvict(open, most * SHARE_OF_NEW);
    reportLimit({ outcome: evicted ? 'EVICTED' : 'REFUSED', limit, address });
    if (!evicted) return false;
    forget(evicted);
    evicted.destroy();
    return true;
  }

  function forget(socket: Duplex): void {
    const network = all.get(socket)?.network ?? '';
    all.delete(socket);
    const ofNetwork = networks.get(network);
    ofNetwork?.delete(socket);
    if (ofNetwork?.size === 0) networks.delete(network);
  }

  return {
    all: all as ReadonlyMap<Duplex, Connection>,

    /** Destroys the socket if there is no room for it. */
    add(socket: Socket): void {
      const address = peerAddress(socket);
      const network = networkOf(address);
      const ofNetwork = networks.get(network) ?? new Map<Duplex, Connection>();
      const isAdded =
        hasRoom(ofNetwork, limits.maxConnectionsPerNetwork, 'address', address) &&
        hasRoom(all, limits.maxConnections, 'total', address);
      if (!isAdded) return void socket.destroy();
      const connection = new Connection(socket, network, () => {
        for (const open of [all, ofNetwork]) if (open.delete(socket)) open.set(socket, connection);
      });
      networks.set(network, ofNetwork.set(socket, connection));
      all.set(socket, connection);
      socket.once('close', () => forget(socket));
    },
  };
}

function firstToEvict(open: Map<Duplex, Connection>, few: number): Duplex | null {
  let idle: Duplex | undefined;
  const unadmitted: Duplex[] = [];
  for (const [socket, connection] of open) {
    if (!connection.isAdmitted) unadmitted.push(socket);
    else if (connection.isIdle) idle ??= socket;
    if (unadmitted.length > few) return unadmitted[0] ?? null;
  }
  return idle ?? unadmitted[0] ?? null;
}

/** Some proxies append the port of the connection: `192.0.2.1:49152`, `[2001:db8::1]:49152`. */
const WITH_PORT = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/;

/** The client's address as the outermost trusted proxy saw it; the connection's if that is not valid. */
export function addressOf(req: Incoming, trustedHops: number): string {
  const peer = peerAddress(req.socket);
  if (trustedHops === 0) return peer;
  // Of a connection that is already lost, proxy-addr may return undefined.
  return canonical(proxyAddr(req, (_address, hop) => hop < trustedHops) ?? '') ?? peer;
}

/** The address at the other end of a connection; empty if the connection is already lost. */
export const peerAddress = ({ remoteAddress }: { remoteAddress?: string | undefined }): string =>
  canonical(remoteAddress ?? '') ?? '';

/** The zone of a link-local address, such as `%eth0.100`, is local to one machine and not part of the address. */
const ZONE = /%.*$/;

/** An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`) becomes the IPv4 address. */
function canonical(text: string): string | null {
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const address = (ipv6 ?? ipv4 ?? text).replace(ZONE, '');
  if (isIPv4(address)) return address;
  return isIPv6(address) ? ipaddr.process(address).toString() : null;
}

/** Failures and connections are counted by IPv4 address, or by the /64 of an IPv6 address, which one customer has. */
export const networkOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;
