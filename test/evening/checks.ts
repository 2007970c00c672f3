import { expect } from 'vitest';
import { faultsOf } from '../kills/server-process.ts';
import { waybill } from '../program/run.ts';
import { type Evening, finish, metricOf } from './evening.ts';
import { sendQuietly } from './merchants.ts';
import { arrivalFaults } from './webhook-log.ts';

/** Each account lists exactly what it has sent. */
export async function expectOwnRecords({ merchants }: Evening): Promise<void> {
  for (const { name, caller, sent } of merchants) {
    const orders = await caller.all('/v2/orders');
    expect(orders.map((order) => order.external_order_ref).sort(), name).toEqual([...sent].sort());
    const deliveries = await caller.all('/v1/deliveries');
    const kitchens = new Set(deliveries.map((delivery) => String(delivery.pickup_name)));
    expect([...kitchens], name).toEqual([`${name}-kitchen`]);
  }
}

/** The endpoint of each account has got every event of the account, in order, and none of another. */
export async function expectEvents({ merchants, log }: Evening): Promise<void> {
  for (const { name, caller } of merchants) {
    const events = await caller.all('/v2/events');
    // Positions are sent only to endpoints that subscribe to them.
    const wanted = events.filter(({ type }) => type !== 'delivery.location_updated');
    const ids = wanted.map(({ id }) => String(id));
    expect(arrivalFaults(log.arrivals(name), ids), name).toEqual([]);
  }
  expect(log.strays).toEqual([]);
}

/** Nothing was given up: the list of each account is empty. */
export async function expectNothingFailed({ place, merchants, url }: Evening): Promise<void> {
  for (const { name, key } of merchants) {
    const env = { ...place.home.env, WAYBILL_BASE_URL: url(), WAYBILL_API_KEY: key };
    const { stdout, stderr } = await waybill({ ...place.home, env }, 'admin', 'failed', 'list', '--json');
    expect([stderr, JSON.parse(stdout)], name).toEqual(['', []]);
  }
}

/**
 * The log of the workers has no errors but those of slowness: requests that are refused, and tasks that reach their
 * deadline. Both are repeated.
 */
export function expectExplainedFaults({ place }: Evening): void {
  expect(faultsOf(place).filter((fault) => !isOfSlowness(fault))).toEqual([]);
}

/** An error of an unavailable, locked or slow database, or of one without free connections, or of a task that reaches its deadline. */
export function isOfSlowness(fault: string): boolean {
  return /^StorageUnavailable: |^Error: it hung for|^the database server refuses connections/.test(fault);
}

type Counts = Record<'requests' | 'dispatches' | 'webhooks', number>;

const storedCounts = `select
  (select count(*) from batches) as requests,
  (select count(*) from dispatches where state = 'accepted') as dispatches,
  (select count(*) from webhook_attempts where status = 'succeeded') as webhooks`;

async function countedBy(evening: Evening): Promise<{ metrics: Counts; records: Counts }> {
  const [records] = await evening.database.rows<Counts>(storedCounts);
  if (records === undefined) throw new Error('a count has one row');
  const created = ['operation="CreateOrders"', 'status="202"'];
  const metrics = {
    requests: await metricOf(evening, 'waybill_http_request_duration_seconds_count', created),
    dispatches: await metricOf(evening, 'waybill_dispatches_total', ['outcome="accepted"']),
    webhooks: await metricOf(evening, 'waybill_webhook_attempt_duration_seconds_count', [
      'outcome="delivered"',
    ]),
  };
  return { metrics, records };
}

function growth(from: Counts, to: Counts): Counts {
  return {
    requests: to.requests - from.requests,
    dispatches: to.dispatches - from.dispatches,
    webhooks: to.webhooks - from.webhooks,
  };
}

/** The metrics of workers that live grow as the records do, and show that nothing is left to do. */
export async function expectMetrics(evening: Evening): Promise<void> {
  const before = await countedBy(evening);
  for (const merchant of evening.merchants) await sendQuietly(merchant);
  await finish(evening);
  const after = await countedBy(evening);
  const grown = growth(before.records, after.records);
  expect(Math.min(...Object.values(grown))).toBeGreaterThanOrEqual(evening.merchants.length);
  expect(growth(before.metrics, after.metrics)).toEqual(grown);
  for (const name of ['waybill_tasks_due', 'waybill_webhooks_due', 'waybill_failed_tasks'])
    expect(await metricOf(evening, name), name).toBe(0);
}
