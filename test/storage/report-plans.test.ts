import { expect, test } from 'vitest';
import { knownReports } from '../../src/storage/reports.ts';
import { planning } from './planning.ts';

// A delivery gets many reports, and each is looked up before it is recorded.
test('received reports are found by the index of provider and report', async () => {
  const { db, plan } = await planning();
  const reports = [
    { provider: 'simulated_one', provider_report_id: 'r1' },
    { provider: 'simulated_two', provider_report_id: 'r2' },
  ];
  expect(await knownReports(db, reports)).toEqual([]);
  expect(plan()).toMatch(
    /SEARCH reports USING (COVERING )?INDEX reports_provider \(provider=\? AND provider_report_id=\?\)/,
  );
});
