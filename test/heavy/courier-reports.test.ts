import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isOfSlowness } from '../evening/checks.ts';
import { life, type ReportLoad, report, startReportLoad } from '../evening/report-load.ts';
import { arrivalFaults } from '../evening/webhook-log.ts';
import { differing, eventFaults } from '../kills/audit.ts';
import { readBatchRecords } from '../kills/batch-records.ts';
import { recordFaults } from '../kills/record-rules.ts';
import { faultsOf } from '../kills/server-process.ts';
import { percentile } from '../kills/totals.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();

/** Of all accounts together. */
const reports_per_second = 25;
/** `REPORT_ORDERS=1000 npm run test:heavy` sends more. */
const orders = Number(process.env.REPORT_ORDERS ?? 120);

test.each([1, 4])(
  `three workers take ${reports_per_second} reports a second from the couriers of %i accounts`,
  async (accounts) => {
    const names = ['ada', 'bea', 'cleo', 'dora'].slice(0, accounts);
    const load = await startReportLoad(postgres(), { names, orders_each: orders / accounts });
    const { statuses, durations_ms, commits, conflicts } = await report(load, reports_per_second);
    const [median_ms = 0, p95_ms = 0] = [50, 95].map((percent) => percentile(durations_ms, percent));
    console.log({ accounts, statuses, median_ms, p95_ms, commits, conflicts });
    expect.soft(await unsentWebhooks(load)).toEqual([]);
    expect.soft(await shopFaults(load)).toEqual([]);
    const except = ['no work is left'];
    expect.soft(await recordFaults(load.database, { couriers: null, except })).toEqual({});
    expect.soft(faultsOf(load.place).filter((fault) => !isOfSlowness(fault))).toEqual([]);
    const { 200: taken, 503: _refused, 0: _unanswered, ...others } = statuses;
    expect.soft([taken, others]).toEqual([orders * life.length, {}]);
    expect.soft(conflicts / commits).toBeLessThanOrEqual(0.05);
  },
);

/** Waits for the webhooks; returns those that are left after half an hour: one that is refused twice waits for five minutes. */
async function unsentWebhooks({ database }: ReportLoad): Promise<string[]> {
  for (let waited = 0; ; waited += 1) {
    const left = await database.rows<{ event_id: string; attempts: number }>(
      'select event_id, attempts from webhook_messages',
    );
    if (left.length === 0 || waited === 9_000) {
      return left.map(({ event_id, attempts }) => `${event_id} is waiting after ${attempts} attempts`);
    }
    await pause(200);
  }
}

/** Faults in the outcomes of the orders and in the webhooks received. */
async function shopFaults({ shops, database, log }: ReportLoad): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, caller, batch_id } of shops) {
    const records = await readBatchRecords(database, database, batch_id);
    const { entries, deliveries } = records;
    const events = (await caller.all('/v2/events')).map(({ id }) => String(id));
    faults.push(
      ...differing('deliveries', deliveries.length, orders / shops.length),
      ...deliveries.flatMap(({ id, status }) => differing(id, status, 'delivered')),
      ...entries.flatMap((entry) => eventFaults(records, entry)),
      ...arrivalFaults(log.arrivals(name), events),
    );
  }
  return faults;
}
