/**
 * The metrics of a service for Prometheus: counters of what is observed, gauges that are measured at each scrape, and the
 * server of `/metrics`.
 */
import { createServer } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestLog } from '../../contract/operation.ts';
import { type StorageStatistics, StorageUnavailable, type UnavailableReason } from '../../storage/storage.ts';
import { countDueWork } from '../../storage/tasks.ts';
import type { CircuitBreakers } from '../runtime/circuit-breakers.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { listenOn } from '../runtime/network.ts';
import type { Observe } from '../runtime/service-ports.ts';
import { atMost } from '../runtime/time.ts';

export interface MetricsPlace {
  host: string;
  /** 0 selects a free port. */
  port: number;
}

interface ServiceMetrics {
  observe: Observe;
  observeRequest: (line: Extract<RequestLog, { type: 'request' }>) => void;
  /** Serves them until the server is closed. */
  serve: (onFault: (fault: unknown, request_id: string | null) => void) => Promise<MetricsServer>;
}

/** The state of the service at the time of a scrape. */
export interface Measured {
  /** Null if the database does not answer. */
  backlogs: readonly Backlog[] | null;
  open_streams: number;
  /** How far service time is ahead of the clock of the database; negative: behind. */
  skew_ms: number;
  /** Whether old data is kept because the clock may be wrong. */
  is_postponed: boolean;
  /** The hosts of couriers that fail. */
  circuits: ReturnType<CircuitBreakers['states']>;
  storage: StorageStatistics;
  /** The number of writes that have failed since the start, by reason. */
  failed_writes: Readonly<Record<UnavailableReason, number>>;
}

export function createServiceMetrics(place: MetricsPlace, measure: () => Promise<Measured>): ServiceMetrics {
  const metrics = createMetrics(measure);
  return {
    observe: metrics.observe,
    observeRequest: ({ operation, status, duration_ms }) => {
      const seconds = duration_ms / 1_000;
      metrics.observe({ type: 'request', operation: operation ?? 'unknown', status, seconds });
    },
    serve: (onFault) => serveMetrics(metrics, place, (fault) => onFault(fault, null)),
  };
}

interface MetricsServer {
  url: string;
  close: () => void;
}

interface Metrics {
  observe: Observe;
  /** The metrics in the text format of Prometheus. */
  text: () => Promise<string>;
  content_type: string;
}

/** Serves `/metrics` on an address of its own, so that the public one does not show it. Rejects if it cannot listen. */
async function serveMetrics(
  { text, content_type }: Pick<Metrics, 'text' | 'content_type'>,
  place: MetricsPlace,
  onFault: (fault: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isScrape =
      request.url?.split('?')[0] === '/metrics' && ['GET', 'HEAD'].includes(request.method ?? '');
    if (!isScrape) {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': content_type }).end(body),
      (fault: unknown) => {
        onFault(fault);
        response.writeHead(503).end();
      },
    );
  });
  const { url } = await listenOn(server, place);
  // A connection that cannot be accepted, because the process has too many open files, ends nothing.
  server.on('error', onFault);
  return {
    url: `${url}/metrics`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The limits of the histograms, in seconds: from a look-up in memory to a courier that takes its time. */
const call_buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The limits of the histograms of waits, in seconds: from an answer at once to the end of the retries. */
const wait_buckets = [0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400];

/** Counts what is observed, and measures the rest at each scrape. Names follow prometheus.io/docs/practices/naming. */
export function createMetrics(measure: () => Promise<Measured>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const observe = createObserver(registry);
  const readAll = measuredGauges(registry);
  return {
    observe,
    text: async () => {
      readAll(await measure());
      return registry.metrics();
    },
    content_type: registry.contentType,
  };
}

/** What makes metrics of a registry, each by its name without the prefix, its help and its labels. */
function makersFor(registry: Registry) {
  const registers = [registry];
  return {
    gauge: <const L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Gauge({ name: `waybill_${name}`, help, labelNames: [...labelNames], registers }),
    counter: <const L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Counter({ name: `waybill_${name}`, help, labelNames: [...labelNames], registers }),
    histogram: <const L extends string>(
      name: string,
      help: string,
      labelNames: readonly L[],
      buckets = call_buckets,
    ) => new Histogram({ name: `waybill_${name}`, help, labelNames: [...labelNames], buckets, registers }),
  };
}

/** The metrics that count as things happen. */
function createObserver(registry: Registry): Observe {
  const { counter, histogram } = makersFor(registry);
  const requests = histogram(
    'http_request_duration_seconds',
    'Duration of HTTP requests by operation and status',
    ['operation', 'status'],
  );
  const calls = histogram('provider_call_duration_seconds', 'Duration of calls to couriers', [
    'provider',
    'call',
    'outcome',
  ]);
  const quotes = counter(
    'quotes_total',
    'Responses to quote requests: quoted, no_answer, or the code of the decline',
    ['provider', 'outcome'],
  );
  const dispatches = counter('dispatches_total', 'Dispatches to couriers: accepted, refused or no_answer', [
    'provider',
    'outcome',
  ]);
  const webhooks = histogram('webhook_attempt_duration_seconds', 'Duration of attempts to send webhooks', [
    'outcome',
  ]);
  const geocodings = counter(
    'geocodings_total',
    'Addresses asked of the geocoder: house, street, not_found, other_state, too_far or no_answer',
    ['outcome'],
  );
  const dispatched = histogram(
    'order_dispatch_seconds',
    'Time from an order to its acceptance by a courier',
    ['mode'],
    wait_buckets,
  );
  const delivered = histogram(
    'event_delivery_seconds',
    'Time from an event to its delivery to a webhook endpoint',
    ['mode'],
    wait_buckets,
  );
  return (seen) => {
    switch (seen.type) {
      case 'request':
        return requests.observe({ operation: seen.operation, status: seen.status }, seen.seconds);
      case 'provider_call': {
        const { provider, call, outcome } = seen;
        return calls.observe({ provider, call, outcome }, seen.seconds);
      }
      case 'quote':
        return quotes.inc({ provider: seen.provider, outcome: seen.outcome });
      case 'dispatch':
        return dispatches.inc({ provider: seen.provider, outcome: seen.outcome });
      case 'order_dispatched':
        return dispatched.observe({ mode: seen.mode }, seen.seconds);
      case 'event_delivered':
        return delivered.observe({ mode: seen.mode }, seen.seconds);
      case 'geocoding':
        return geocodings.inc({ outcome: seen.outcome });
      default:
        return webhooks.observe({ outcome: seen.outcome }, seen.seconds);
    }
  };
}

const backlogNames = [
  'tasks_due',
  'tasks_oldest_seconds',
  'webhooks_pending',
  'webhooks_oldest_seconds',
  'failed',
] as const;
const countNames = ['transactions', 'commits', 'retries', 'lock_waits', 'refused_connections'] as const;

/** The gauges that are set at each scrape. */
function measuredGauges(registry: Registry): (measured: Measured) => void {
  const { gauge, counter } = makersFor(registry);
  const total = (name: string, help: string) => {
    const counted = counter(name, help, []);
    return (count: number) => {
      counted.reset();
      counted.inc(count);
    };
  };
  const byMode = {
    tasks_due: gauge('tasks_due', 'Background tasks that are due', ['mode']),
    tasks_oldest_seconds: gauge('tasks_oldest_due_seconds', 'Age of the oldest due task', ['mode']),
    webhooks_pending: gauge('webhooks_pending', 'Webhook messages neither delivered nor given up', ['mode']),
    webhooks_oldest_seconds: gauge(
      'webhooks_oldest_pending_seconds',
      'Age of the oldest event among the pending webhook messages',
      ['mode'],
    ),
    failed: gauge('failed_tasks', 'Background work that internal errors stopped', ['mode']),
  };
  const up = gauge('database_up', 'Whether the database answered this scrape', []);
  const streams = gauge('event_streams_open', 'Open event streams', []);
  const skew = gauge('clock_skew_seconds', 'Service time less the time of the database', []);
  const waiting = gauge('cleaning_postponed', 'Whether old data stays because the clock may be wrong', []);
  const circuits = {
    open: gauge(
      'courier_circuit_open',
      'Accounts and modes whose calls of a host of couriers have failed repeatedly, until one succeeds',
      ['host'],
    ),
    paused: gauge('courier_paused_seconds', 'Seconds until a host of couriers is called again', ['host']),
  };
  const connections = gauge('database_connections', 'Connections of the PostgreSQL pool', ['state']);
  const counts = {
    transactions: total('transactions_total', 'Committed transactions'),
    commits: total('commits_total', 'Commits: on SQLite several transactions share one'),
    retries: total('transaction_retries_total', 'Transactions repeated after a conflict'),
    lock_waits: total('lock_waits_total', 'Waits for a lock of another process on the database file'),
    refused_connections: total('refused_connections_total', 'Connections that PostgreSQL had not to give'),
  };
  const failedWrites = counter(
    'failed_writes_total',
    'Writes that failed: conflicts, disk_full, locked, moved, read_only or unreachable',
    ['reason'],
  );
  return ({ backlogs, open_streams, skew_ms, is_postponed, circuits: hosts, storage, failed_writes }) => {
    up.set(backlogs === null ? 0 : 1);
    for (const each of Object.values(byMode)) each.reset();
    for (const { mode, ...values } of backlogs ?? []) {
      for (const name of backlogNames) byMode[name].set({ mode }, values[name]);
    }
    streams.set(open_streams);
    skew.set(skew_ms / 1_000);
    waiting.set(is_postponed ? 1 : 0);
    for (const each of Object.values(circuits)) each.reset();
    for (const { host, open, wait_ms } of hosts) {
      circuits.open.set({ host }, open);
      circuits.paused.set({ host }, wait_ms / 1_000);
    }
    for (const name of countNames) counts[name](storage[name]);
    failedWrites.reset();
    for (const [reason, count] of Object.entries(failed_writes)) failedWrites.inc({ reason }, count);
    for (const [state, count] of Object.entries(storage.connections)) connections.set({ state }, count);
  };
}

/** The work of one mode that is not done yet. */
interface Backlog {
  mode: 'test' | 'live';
  tasks_due: number;
  /** How long the oldest due task has been due, by the clock of the mode; 0 without one. */
  tasks_oldest_seconds: number;
  /** Webhook messages that are neither delivered nor given up. */
  webhooks_pending: number;
  /** The age of the oldest event among them, by the clock of the mode; 0 without one. */
  webhooks_oldest_seconds: number;
  /** Tasks, and sending of webhook messages, that internal errors stopped. */
  failed: number;
}

/** The time limit of the database for a scrape, which itself has ten seconds by default. */
const scrape_limit_ms = 4_000;

/** The state of the service; its storage knows the figures that need no database. */
export async function measureService(
  modes: readonly [ServiceContext, ...ServiceContext[]],
  failed_writes: Measured['failed_writes'],
): Promise<Measured> {
  const [{ streams, circuits, skew_ms, storage, cleaningWarning }] = modes;
  return {
    backlogs: await measureBacklogs(modes),
    open_streams: streams.count(),
    circuits: circuits.states(),
    skew_ms: skew_ms(),
    is_postponed: cleaningWarning() !== null,
    storage: storage.statistics(),
    failed_writes,
  };
}

/** The backlog of each mode; null if the database does not answer in time. */
async function measureBacklogs(
  modes: readonly [ServiceContext, ...ServiceContext[]],
): Promise<Backlog[] | null> {
  const measured = Promise.all(modes.map(measureBacklog)).catch((fault: unknown) => {
    if (fault instanceof StorageUnavailable) return null;
    throw fault;
  });
  return atMost(modes[0].timers, scrape_limit_ms, measured, () => null);
}

async function measureBacklog({ storage, test_mode, clock }: ServiceContext): Promise<Backlog> {
  const now = clock.now();
  const work = await storage.read((db) => countDueWork(db, { test_mode, now }));
  const age = (since: number | null) => (since === null ? 0 : Math.max(0, now - since) / 1_000);
  return {
    mode: test_mode === 1 ? 'test' : 'live',
    tasks_due: work.tasks.count,
    tasks_oldest_seconds: age(work.tasks.oldest_at),
    webhooks_pending: work.webhooks.count,
    webhooks_oldest_seconds: age(work.webhooks.oldest_at),
    failed: work.failed,
  };
}
