import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { batchNow, newBatch } from './auto-dispatch/batches.ts';
import { startFixture } from './fixture.ts';

test('a locked database does not count as a provider that does not quote', async () => {
  const url = await newDatabase();
  const fixture = await startFixture({
    location: `${url}?lock_timeout=20`,
  });
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  onTestFinished(async () => {
    await locker.end();
    await fixture.storage.close();
  });
  const client = fixture.client();
  const batch_id = await newBatch(client, [{}]);
  await locker.query('begin');
  await locker.query('lock table quotes, quote_declines in access exclusive mode');
  const faults: string[] = [];
  for (let second = 0; second < 40; second += 1) {
    await fixture.pass(1_000).catch((fault: Error) => faults.push(fault.name));
  }
  expect(new Set(faults)).toEqual(new Set(['StorageUnavailable']));
  await locker.query('rollback');
  // Claimed tasks are free once the lease expires, by the server's clock.
  await locker.query('update tasks set claimed_until = 0');
  for (let second = 0; second < 30; second += 1) await fixture.pass(1_000);
  expect((await batchNow(client, batch_id)).counts).toMatchObject({ dispatched: 1, unfulfilled: 0 });
  const declined = await fixture.storage.run((db) =>
    db.selectFrom('quote_declines').select('code').where('code', '=', 'no_answer').execute(),
  );
  expect(declined).toEqual([]);
});
