import { expect, test } from 'vitest';
import { insertReport, isKnownReport } from '../../../src/storage/delivery-records.ts';
import { reportsOfDelivery } from '../read-rows.ts';
import { noon, report } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const key = (provider: string, provider_report_id: string, delivery_id = 'dlv_1') => ({
  delivery_id,
  provider,
  provider_report_id,
});

export function reportsSuite(fresh: FreshStorage): void {
  test('a report of a delivery is known by its provider and the id that the provider gave it', async () => {
    const { db } = await fresh();
    expect(await isKnownReport(db, key('swiftly', 'report 1'))).toBe(false);
    await insertReport(db, report(1));
    expect(await isKnownReport(db, key('swiftly', 'report 1'))).toBe(true);
    expect(await isKnownReport(db, key('haulvan', 'report 1'))).toBe(false);
    expect(await isKnownReport(db, key('swiftly', 'report 1', 'dlv_2'))).toBe(false);
    expect(await isKnownReport(db, key('swiftly', 'report 2'))).toBe(false);
  });

  test('the reports of a delivery come in order of arrival, repeated and late ones too', async () => {
    const { db } = await fresh();
    const late = report(3, { status: null, occurred_at: noon - 9, effect: 'repeated' });
    for (const row of [report(2), report(1), report(1), late, report(4, { delivery_id: 'dlv_2' })]) {
      await insertReport(db, row);
    }
    const found = await reportsOfDelivery(db, 'dlv_1');
    expect(found.map(({ sequence: _, ...row }) => row)).toEqual([report(2), report(1), report(1), late]);
    expect(found.map(({ sequence }) => sequence)).toEqual(
      found.map(({ sequence }) => sequence).sort((a, b) => a - b),
    );
    expect(await reportsOfDelivery(db, 'dlv_3')).toEqual([]);
  });
}
