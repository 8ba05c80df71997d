import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createPeers, type Peers } from '../peers.js';
import type { Watchdog } from './watchdog.js';

/** A scrape is answered even if the database or the bus is down. All gauges are read at once. */
const WITHIN_MS = 1_000;
const within = <Result>(reading: Promise<Result>) =>
  Promise.race([reading.catch(() => null), delay(WITHIN_MS, null, { ref: false })]);

/** `metadata.quota` of RATE_LIMITED. */
const QUOTAS = ['credential', 'tenant', 'address', 'waiting', 'change_bytes', 'unread'];

/** What the parts of the platform count. */
function countersOf(registry: Registry) {
  const duration = new Histogram({
    name: 'top_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const messages = counter(
    'top_bus_messages_total',
    'Messages received over the bus, by kind and by result (taken or refused).',
    ['kind', 'outcome'],
  );
  const reports = counter('top_command_reports_total', 'Reports of adapters on commands, by result.', ['outcome']);
  const commandsCompleted = counter(
    'top_commands_completed_total',
    'Commands that ended, by final status and vendor.',
    ['status', 'vendor'],
  );
  const publishFailures = counter(
    'top_bus_publish_failures_total',
    'Batches that were published to the bus again, and messages that the bus refused for good.',
    ['outcome'],
  );
  const overloads = counter(
    'top_commands_refused_for_overload_total',
    'Commands refused for backpressure: they would have waited too long.',
  );
  const connections = counter(
    'top_connections_at_limit_total',
    'New connections that met a limit, total or address: refused, or another connection was evicted for them.',
    ['outcome', 'limit'],
  );
  const overQuota = counter(
    'top_requests_over_quota_total',
    'Requests refused with RATE_LIMITED, by the quota that was used up.',
    ['quota'],
  );
  const ofMovingTenants = counter(
    'top_requests_of_moving_tenants_total',
    'Requests refused with TENANT_MOVING. The histogram of requests does not have them.',
  );
  const lostCursors = counter(
    'top_cursors_of_lost_history_total',
    'Cursors of events that lead beyond the end of the log: the database was restored, and nothing showed it.',
  );
  const removed = counter(
    'top_rows_removed_total',
    'Rows deleted because their retention time was over or their tenant was deleted, by table.',
    ['table'],
  );
  // Prometheus sees no increase in a series that begins above 0.
  for (const kind of ['command-updates', 'device-requests']) messages.inc({ kind, outcome: 'REFUSED' }, 0);
  for (const outcome of ['REPEATED', 'PARKED']) publishFailures.inc({ outcome }, 0);
  for (const quota of QUOTAS) overQuota.inc({ quota }, 0);
  for (const limit of ['total', 'address']) connections.inc({ outcome: 'REFUSED', limit }, 0);
  return {
    countPublishFailure: (outcome: 'REPEATED' | 'PARKED'): void => publishFailures.inc({ outcome }),
    countMessage: (kind: string, outcome: 'TAKEN' | 'REFUSED'): void => messages.inc({ kind, outcome }),
    countReport: (outcome: string): void => reports.inc({ outcome }),
    countCompleted: (status: string, vendor: string): void => commandsCompleted.inc({ status, vendor }),
    countRemoved: (table: string, rows: number): void => removed.inc({ table }, rows),
    countConnection: (outcome: 'REFUSED' | 'EVICTED', limit: string): void => connections.inc({ outcome, limit }),
    countOverQuota: (quota: string): void => overQuota.inc({ quota }),
    countOverload: (): void => overloads.inc(),
    countLostCursor: (): void => lostCursors.inc(),
    countOfMovingTenant: (): void => ofMovingTenants.inc(),
    countRequest: (operation: string, status: number, seconds: number): void =>
      duration.observe({ operation, status }, seconds),
  };
}

type Options = { watchdog: Watchdog; peers?: Peers; version?: string };

/** Metrics of one process, in the Prometheus exposition format. Operations are labelled with their names. */
export function createMetrics({ watchdog, peers = createPeers(), version = '' }: Options) {
  const registry = new Registry();
  if (peers.name) registry.setDefaultLabels({ process: peers.name });
  // The default of 10 ms wakes an idle process 100 times a second. The metric contains the interval: 0.1 s when idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  /** `collect` runs at each scrape. */
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    collect: (gauge: Gauge<Label>) => Promise<void> | void,
    labelNames: Label[] = [],
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return collect(this);
      },
    });
  gauge(
    'top_loop_last_round_seconds',
    'Seconds since the last round of each loop of this process; 0 for a consumer without messages, and for a loop that rests.',
    (rounds) => {
      for (const [loop, seconds] of watchdog.secondsSinceLastRound()) rounds.set({ loop }, seconds);
    },
    ['loop'],
  );
  gauge('top_build_info', 'Always 1. The version of the platform is a label.', (info) => info.set({ version }, 1), [
    'version',
  ]);
  peers.answer('metrics', () => registry.getMetricsAsJSON());
  return {
    contentType: registry.contentType,
    /** A value that is read at each scrape. A failed or slow read shows NaN. */
    addGauge: (name: string, help: string, read: () => Promise<number | null | undefined>) =>
      gauge(name, help, async (one) => one.set((await within(read())) ?? Number.NaN)),
    /** The same for a value of each stream, read at once. */
    addGaugeOfStreams(name: string, help: string, read: Record<string, () => Promise<number>>): void {
      const show = async (streams: Gauge<'stream'>) => {
        const setOne = async ([stream, readOne]: [string, () => Promise<number>]) =>
          streams.set({ stream }, (await within(readOne())) ?? Number.NaN);
        await Promise.all(Object.entries(read).map(setOne));
      };
      gauge(name, help, show, ['stream']);
    },
    /** The same for the tenants that have a value. After a failed or slow read they keep it. */
    addGaugeOfTenants(name: string, help: string, read: () => Promise<Record<string, number>>): void {
      const show = async (tenants: Gauge<'tenant_id'>) => {
        const values = await within(read());
        if (values) tenants.reset();
        for (const [tenant_id, value] of Object.entries(values ?? {})) tenants.set({ tenant_id }, value);
      };
      gauge(name, help, show, ['tenant_id']);
    },
    /** The state of the pool of database connections, which this process knows without asking. */
    addPool(pool: () => { size: number; inUse: number; waiting: number }): void {
      const add = (name: string, help: string, value: keyof ReturnType<typeof pool>) =>
        gauge(name, help, (one) => one.set(pool()[value]));
      add('top_database_pool_size', 'Database connections that this process may open.', 'size');
      add('top_database_pool_in_use', 'Database connections that a statement or a transaction uses.', 'inUse');
      add('top_database_pool_waiting', 'Statements and transactions that wait for a database connection.', 'waiting');
    },
    /** What `/readyz` knows: 1 with the reason while this process is unready, otherwise 0 with an empty one. */
    addReadiness(ownReason: () => Promise<string | null>): void {
      // While a check waits for what does not answer, the one before it counts.
      let known = 'the first check takes too long';
      const look = async () => {
        known = (await ownReason().catch(() => 'the checks fail')) ?? '';
        return known;
      };
      gauge(
        'top_unready',
        'Whether this process is unready, by the reason; 0 with an empty reason if it is ready.',
        async (unready) => {
          const reason = (await within(look())) ?? known;
          unready.reset();
          // A number would make a series of each scrape, and an alert waits for one series.
          unready.set({ reason: reason.replace(/\b\d+\b/g, 'n') }, reason === '' ? 0 : 1);
        },
        ['reason'],
      );
    },
    /** The metrics of all processes, each labelled with its process. A silent process is left out. */
    async render(): Promise<string> {
      if (!peers.name) return registry.metrics();
      const all = await peers.ask('metrics', 2 * WITHIN_MS);
      return AggregatorRegistry.aggregate([...all.values()].filter((one) => one !== undefined) as object[]).metrics();
    },
    ...countersOf(registry),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
