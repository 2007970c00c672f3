import { join } from 'node:path';
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
import { temporaryFolder } from '../storage/folder.ts';
import { version1Statements, writeVersion } from '../storage/version-1.ts';

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
