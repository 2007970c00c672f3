import { expect, test } from 'vitest';
import type { DeliveryRow } from '../../../src/storage/database.ts';
import { insertCharges, insertDeliveries } from '../../../src/storage/deliveries.ts';
import { type ReportQuery, reportSums } from '../../../src/storage/report.ts';
import { charge, delivery, noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const minute = 60_000;
const ended_at = noon + 30 * minute;

/** Promised in an hour. */
const rows: DeliveryRow[] = [
  delivery(1, { status: 'delivered', ended_at, store_id: 'str_1' }),
  delivery(2, { status: 'delivered', ended_at: noon + 66 * minute, dropoff_at: noon + 60 * minute }),
  delivery(3, { status: 'enroute_dropoff', dropoff_eta: noon + 66 * minute }),
  delivery(4, { status: 'request', promised_at: null }),
  delivery(5, { status: 'delivered', ended_at, ...otherMode }),
  delivery(6, { status: 'delivered', ended_at, ...otherAccount }),
  delivery(7, { status: 'delivered', ended_at, created_at: noon - minute }),
];

const query: ReportQuery = { ...scope, created_after: noon - 1, created_before: noon + 1, by: [], now: noon };

export function reportSuite(fresh: FreshStorage): void {
  test('a report sums up the dispatched deliveries of a period, an account and a mode', async () => {
    const { db } = await fresh();
    await insertDeliveries(db, rows);
    const delivery_id = rows[0]?.id ?? '';
    const refund = charge(2, { delivery_id, amount: -150, kind: 'refund' });
    await insertCharges(db, [charge(1, { delivery_id, amount: 700 }), refund]);
    const none = { courier: null, store_id: null, driver_id: null };
    const sums = await reportSums(db, query);
    expect(sums).toHaveLength(2);
    expect(sums).toContainEqual({
      ...{ ...none, status: 'delivered', deliveries: 2, late: 1, cost: 550 },
      ...{ timed: 1, passed_ms: 30 * minute, newest_id: expect.stringMatching(/^dlv_/) },
    });
    expect(sums).toContainEqual({
      ...{ ...none, status: 'enroute_dropoff', deliveries: 1, late: 1, cost: 0, timed: 0, passed_ms: 0 },
      newest_id: expect.stringMatching(/^dlv_/),
    });
    const later = await reportSums(db, { ...query, now: noon + 65 * minute });
    expect(later.map(({ late }) => late)).toEqual([1, 1]);
  });

  test('a report is divided by courier, store and own driver', async () => {
    const { db } = await fresh();
    await insertDeliveries(db, [
      delivery(1, { service: 'fleet', record: '{"driver":{"id":"drv_1"}}' }),
      delivery(4, { service: 'fleet', record: '{"driver":{"id":"drv_2"}}' }),
      delivery(2, { route_id: 'rte_2', service: 'swiftly', store_id: 'str_1' }),
      delivery(3, { route_id: 'rte_3', service: 'swiftly', store_id: 'str_1' }),
    ]);
    const sums = await reportSums(db, { ...query, by: ['courier', 'store_id', 'driver_id'] });
    const groups = sums.map(({ courier, store_id, driver_id, deliveries }) => [
      ...[courier, store_id, driver_id, deliveries],
    ]);
    expect(groups.sort()).toEqual([
      ['fleet', null, 'drv_1', 1],
      ['fleet', null, 'drv_2', 1],
      ['swiftly', 'str_1', null, 2],
    ]);
  });
}
