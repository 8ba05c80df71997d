/** JSStreamMessageExceedsMaximumErr of NATS: larger than the max_msg_size of the stream. */
export const MESSAGE_TOO_LARGE = 10_054;

/** Header of a command that the platform may have sent before. NATS' count of deliveries does not tell it. */
export const SENT_AGAIN = 'Sent-Again';

/**
 * Header of a command that the platform sends for the first time: the id of the only server that stores it and counts its
 * deliveries. Each start of the server has another id.
 */
export const SENT_TO = 'Sent-To';

/** Header of an event: the history of the database that logged it. */
export const HISTORY = 'History';

/** How the platform and its adapters stay connected to NATS. */
export const connectionOptions = {
  // Otherwise the client builds a stack trace for every message: a third of its CPU.
  noAsyncTraces: true,
  maxReconnectAttempts: -1,
  reconnectTimeWait: 500,
  // A user that is missing while the configuration of NATS is replaced will come back.
  ignoreAuthErrorAbort: true,
  // A connection that was lost in silence is noticed within half a minute.
  pingInterval: 10_000,
};

/** What Node knows of the other side of a TLS connection. */
type Peer = { servername?: string; socket?: { remoteAddress?: string } };

/**
 * TLS options of a connection to NATS. The certificate must be for the name or the address in the URL. NATS begins TLS on
 * an open connection: if it leads to an address, Node knows no host, and would compare the certificate with `localhost`.
 * `check` is `tls.checkServerIdentity`.
 */
export const tlsOptions = <Certificate>(
  check: (host: string, certificate: Certificate) => Error | undefined,
): object => ({
  checkServerIdentity(this: Peer, host: string, certificate: Certificate): Error | undefined {
    const { servername, socket } = this;
    return check(servername || (socket ? (socket.remoteAddress ?? '') : host), certificate);
  },
});

type Received = { headers?: { get(name: string): string } };

/** Empty if it is absent. The client throws if a header's name is not valid: anyone may have published the message. */
export function headerOf(message: Received, name: string): string {
  try {
    return message.headers?.get(name) ?? '';
  } catch {
    return '';
  }
}
