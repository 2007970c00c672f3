import { setTimeout as pause } from 'node:timers/promises';
import { runBatchKills, type World } from './batch-kills.ts';
import { type BatchKind, shopOrder } from './batch-kinds.ts';
import { type CourierBooks, courierFaults } from './courier-audit.ts';
import { type CourierProcess, startCourierProcess } from './courier-process.ts';
import type { Reader } from './database-reader.ts';
import { drive } from './driver-taps.ts';
import { newServerFiles } from './server-process.ts';
import type { Totals } from './totals.ts';

/** All work must be done this long after the last kill. */
const settling_ms = 3_600_000;

/** Each is the first in every third batch. */
const preferences = [
  ['fleet', 'uber-direct', 'doordash-drive'],
  ['uber-direct', 'doordash-drive', 'fleet'],
  ['doordash-drive', 'fleet', 'uber-direct'],
];
const retries = { mechanism: 'auto', retry_window: 3_600, retry_interval: 10 } as const;

const kinds: readonly BatchKind[] = preferences.map((providers) => ({
  settings: { ...retries, quote_preference: 'preferred', providers },
  orders: (batch, count) =>
    Array.from({ length: count }, (_, index) => shopOrder('evening', batch * count + index)),
  rate: null,
}));

/** Failures that the couriers play; the pictures of their proofs are at no address. */
const disturbances =
  /doordash-static\.example |(openapi\.doordash\.com|api\.uber\.com) (has failed repeatedly|did not answer: other side closed|answered 50[02])/;

/**
 * A shop's evening: orders come in while the service is killed again and again, and each must be carried once, by its
 * own drivers or by couriers in processes of their own.
 */
export async function runCourierKills(plan: {
  kills: number;
  orders: number;
  seed: number;
}): Promise<Totals> {
  const couriers = [await startCourierProcess('uber-direct'), await startCourierProcess('doordash-drive')];
  const hosts = Object.assign({}, ...couriers.map(({ service }) => service.hosts));
  const place = newServerFiles(undefined, { WAYBILL_TEST_COURIER_HOSTS: JSON.stringify(hosts) });
  const { totals } = await runBatchKills({
    ...{ ...plan, place, kinds, world: worldOf(couriers), processes: 1, interval_ms: 2_500 },
    kills_of_batch: Math.ceil(plan.kills / kinds.length),
  });
  return totals;
}

function worldOf(couriers: readonly CourierProcess[]): World {
  /** The paths for the couriers' reports, by courier. */
  const push_paths: Record<string, string> = {};
  const driving: Promise<unknown>[] = [];
  let present: string | null = null;
  let isOver = false;
  return {
    connect: async ({ url, key }) => {
      const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
        const headers = { 'x-api-key': key, 'content-type': 'application/json' };
        const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
        const text = await response.text();
        if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
        return JSON.parse(text);
      };
      for (const { name, service } of couriers) {
        const { push_url } = await call('PUT', `/v2/couriers/${name}`, { settings: service.settings });
        push_paths[name] = new URL(String(push_url)).pathname;
      }
      await call('PATCH', '/v2/account', { fleet: { per_delivery: 450, per_mile: 35, ask_pin: false } });
      for (const [index, name] of ['Sam Lee', 'Kim Roe', 'Pat Yu'].entries()) {
        const { link } = await call('POST', '/v2/drivers', { name, phone_number: `+1312222000${index}` });
        const phone = { name: `driver-${index}`, url: () => present, isOver: () => isOver };
        driving.push(drive(new URL(String(link)).pathname, phone));
      }
      for (const courier of couriers) courier.disturb(true);
    },
    reach: (url) => {
      for (const courier of couriers) courier.reportTo(`${url}${push_paths[courier.name]}`);
      present = url;
    },
    settle: async (database) => {
      for (const courier of couriers) courier.disturb(false);
      const ends_at = performance.now() + settling_ms;
      for (;;) {
        const left = await remainingWork(database, couriers);
        if (left === null) break;
        if (performance.now() > ends_at) throw new Error(`not complete in time: ${JSON.stringify(left)}`);
        await pause(200);
      }
      isOver = true;
      await Promise.all(driving);
    },
    faultsOfBatch: async (records) => {
      const books: CourierBooks[] = [];
      for (const { name, bookings } of couriers) books.push({ name, ...(await bookings()) });
      return courierFaults(records, books);
    },
    isCaused: (fault) => disturbances.test(fault),
  };
}

/** Deliveries on their way, and reports that are not accepted; null if there are none. */
async function remainingWork(database: Reader, couriers: readonly CourierProcess[]) {
  const deliveries = await database.rows<{ service: string; status: string; count: number }>(
    `select service, status, count(*) as count from deliveries
     where status not in ('delivered', 'returned', 'failed') group by service, status`,
  );
  const reports: Record<string, number> = {};
  for (const courier of couriers) reports[courier.name] = (await courier.bookings()).open_reports;
  const isDone = Object.values(reports).every((count) => count === 0);
  if (deliveries.length === 0 && isDone) return null;
  const tasks = await database.rows(
    'select kind, count(*) as count, min(due_at) as due_at, max(attempts) as attempts from tasks group by kind',
  );
  const failed = await database.rows('select kind, subject, error from failed_tasks');
  return { deliveries, reports, tasks, failed, now: Date.now() };
}
