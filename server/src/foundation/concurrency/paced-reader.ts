import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';

const INTERVAL_MS = 20;
const MAX_BATCH_SIZE = 256;
/** While the database answers, a read waits less than a second. */
const MAX_WAIT_MS = 10_000;

type Read<Row> = { id: string; row: Promise<Row | null>; settle: (row: Promise<Row | null>) => void };

/**
 * Reads rows by id for unauthenticated requests, whose senders choose both the ids and the networks. They cannot
 * overload the database: one statement runs at a time, at most 50 begin in a second, and each reads at most 256 ids. No
 * read is refused, because the request may have a correct signature. Networks take turns, so a flood from one network
 * delays only itself: behind a network with 10,000 waiting ids, a read of another network is in the next statement.
 * Every waiting read belongs to an open connection, and the number of connections is limited. A read fails if the
 * database has not answered it after 10 seconds.
 */
export function createPacedReader<Row>(
  readRows: (ids: string[]) => Promise<Map<string, Row>>,
  maxWaitMs = MAX_WAIT_MS,
) {
  const networks = new Map<string, Map<string, Read<Row>>>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    await nextTick();
    while (networks.size > 0) {
      const batch = nextBatch();
      const rows = readRows([...new Set(batch.map(({ id }) => id))]);
      for (const { id, settle } of batch) settle(rows.then((found) => found.get(id) ?? null));
      await Promise.allSettled([rows, delay(INTERVAL_MS)]);
    }
    isRunning = false;
  }

  /** The loop also visits networks that it inserts again at the end of the map. */
  function nextBatch(): Read<Row>[] {
    const batch: Read<Row>[] = [];
    for (const [network, reads] of networks) {
      const [read] = reads.values();
      if (read) {
        batch.push(read);
        reads.delete(read.id);
      }
      networks.delete(network);
      if (reads.size > 0) networks.set(network, reads);
      if (batch.length === MAX_BATCH_SIZE) break;
    }
    return batch;
  }

  /** The statement begins after the call, so it sees a secret that another node has just rotated. */
  return function read(network: string, id: string): Promise<Row | null> {
    const reads = networks.get(network) ?? new Map<string, Read<Row>>();
    networks.set(network, reads);
    const read = reads.get(id) ?? newRead<Row>(id, maxWaitMs);
    reads.set(id, read);
    read.row.catch(() => {
      if (reads.get(id) === read) reads.delete(id);
    });
    if (!isRunning) void run();
    return read.row;
  };
}

function newRead<Row>(id: string, maxWaitMs: number): Read<Row> {
  let settle!: Read<Row>['settle'];
  const row = new Promise<Row | null>((resolve, reject) => {
    const waitedTooLong = Object.assign(new Error('A credential was not read in time.'), { code: 'QUEUE_TIMEOUT' });
    const timer = setTimeout(() => reject(waitedTooLong), maxWaitMs);
    settle = (found) => {
      void found.then(resolve, reject).finally(() => clearTimeout(timer));
    };
  });
  return { id, row, settle };
}
