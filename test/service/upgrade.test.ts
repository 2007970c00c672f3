import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Check } from 'typebox/schema';
import { expect, onTestFinished, test } from 'vitest';
import { Delivery } from '../../src/contract/deliveries.ts';
import { createTestKey } from '../../src/service/accounts/first-account.ts';
import { createSealing } from '../../src/service/runtime/sealing.ts';
import { keysInMemory } from '../../src/service/runtime/secret-keys.ts';
import { systemConfig } from '../../src/service/runtime/system.ts';
import { createService } from '../../src/service/service.ts';
import { sqliteTypes } from '../../src/storage/migrations/first-schema.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { schemaVersion } from '../../src/storage/version.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { version1Statements, writeVersion } from '../storage/version-1.ts';
import { orderRequest, startFixture } from './fixture.ts';

test('deliveries of the first schema are returned with all fields', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  writeVersion(1, file, version1Statements(sqliteTypes));
  const storage = await openStorage(file);
  onTestFinished(() => storage.close());
  const sealing = createSealing(keysInMemory());
  const config = { ...systemConfig(storage, { sealing }), sandbox: true, publicUrl: 'https://shop.example' };
  const headers = { 'x-api-key': await createTestKey(config) };
  const { fetch } = createService(config);
  for (const [id, status] of [
    ['dlv_1', 'delivery_created'],
    ['dlv_2', 'failed'],
  ]) {
    const answer = await fetch({ method: 'GET', path: `/v1/delivery/${id}`, headers, body: '' });
    const delivery: unknown = JSON.parse(answer.body);
    expect(delivery).toMatchObject({ id, status, payment_amount: 853, fee: 853, proof_of_delivery: [] });
    expect(Check(Delivery, delivery)).toBe(true);
  }
});

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
