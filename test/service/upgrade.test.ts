import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { schemaVersion } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { orderRequest, startFixture } from './fixture.ts';

test('a process whose database file a newer version migrates is not ready, and neither works nor writes', async () => {
  const location = join(temporaryFolder(), 'waybill.db');
  const fixture = await startFixture({ location });
  onTestFinished(() => fixture.storage.close());
  const create = () => fixture.send('POST', '/v2/orders/create', { body: { orders: [orderRequest()] } });
  const ready = () => fixture.send('GET', '/health/ready');
  expect([(await create()).status, (await ready()).status]).toEqual([200, 200]);
  const newer = new DatabaseSync(location);
  newer.exec(`pragma user_version = ${schemaVersion + 1}`);
  // The loops make the same check twice a second.
  expect([(await ready()).status, (await create()).status]).toEqual([503, 503]);
  await expect(fixture.service.tick()).rejects.toThrow(
    'the database was created by a newer version of waybill',
  );
  await expect(fixture.service.send()).rejects.toThrow(
    'the database was created by a newer version of waybill',
  );
  expect(newer.prepare('select count(*) as count from orders').get()).toEqual({ count: 1 });
  newer.close();
});
