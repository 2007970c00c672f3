import { expect, test } from 'vitest';
import { knownReports } from '../../src/storage/delivery-records.ts';
import { planning } from './planning.ts';

// A delivery gets many reports, and each is looked up before it is recorded.
test('received reports are found by the index of their delivery', async () => {
  const { db, plan } = await planning();
  const reports = [
    { delivery_id: 'dlv_1', provider: 'simulated_one', provider_report_id: 'r1' },
    { delivery_id: 'dlv_2', provider: 'simulated_two', provider_report_id: 'r2' },
  ];
  expect(await knownReports(db, reports)).toEqual([]);
  expect(plan()).toMatch(/SEARCH reports USING INDEX reports_delivery \(delivery_id=\?\)/);
});
