import { expect, test } from 'vitest';
import { createFirstAccount } from '../../../src/service/accounts/create-account.ts';
import { createCallers, hashKey } from '../../../src/service/http/authentication.ts';
import { systemSecrets } from '../../../src/service/runtime/random.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';

test('a key is read once a second, so that changes by other processes apply within a second', async () => {
  const storage = await openStorage(':memory:');
  let now = 0;
  let reads = 0;
  const clock = { now: () => now };
  const keys = await createFirstAccount({ storage, clock, secrets: systemSecrets });
  const counting: typeof storage = {
    ...storage,
    first: (lookup, ...parameters) => {
      reads += 1;
      return storage.first(lookup, ...parameters);
    },
  };
  const callers = createCallers(counting, { wall: clock, monotonic: clock });
  const key_hash = hashKey(keys?.test ?? '');
  const [known] = await Promise.all([callers.find(key_hash), callers.find(key_hash)]);
  expect(known?.caller).toMatchObject({ test_mode: true, permission: 'admin' });
  expect(reads).toBe(1);
  await storage.run((db) => db.updateTable('api_keys').set({ revoked_at: 1 }).execute());
  now = 999;
  expect(await callers.find(key_hash)).toBe(known);
  now = 1_000;
  expect(await callers.find(key_hash)).toBeUndefined();
  // An unknown key is not remembered: it may be created in the meantime.
  await storage.run((db) => db.updateTable('api_keys').set({ revoked_at: null }).execute());
  expect(await callers.find(key_hash)).toEqual(known);
  await storage.run((db) => db.updateTable('api_keys').set({ revoked_at: 1 }).execute());
  callers.forget();
  expect(await callers.find(key_hash)).toBeUndefined();
  expect(reads).toBe(4);
  await storage.close();
});

test.for([
  { server: 2_000, machine: 0, is_expired: true },
  { server: 0, machine: 2_000, is_expired: false },
  { server: null, machine: 2_000, is_expired: true },
  { server: null, machine: 0, is_expired: false },
])('a key expires by the clock of the database server: $server, that of the machine $machine', async (at) => {
  const storage = await openStorage(':memory:');
  const wall = { now: () => at.machine };
  const keys = await createFirstAccount({ storage, clock: wall, secrets: systemSecrets });
  await storage.run((db) => db.updateTable('api_keys').set({ expires_at: 1_000 }).execute());
  const callers = createCallers({ ...storage, serverTime: async () => at.server }, { wall, monotonic: wall });
  expect(await callers.find(hashKey(keys?.test ?? ''))).toMatchObject({ is_expired: at.is_expired });
  await storage.close();
});
