import { expect, test } from 'vitest';
import { createCourierConnections } from '../../../src/service/runtime/courier-connections.ts';
import { writeCourier } from '../../../src/storage/couriers.ts';
import { startFixture } from '../fixture.ts';

test('what was read while the connections were forgotten is not used afterwards', async () => {
  const { storage, client } = await startFixture();
  const { account_id } = (await client().account.get()).data;
  const row = {
    ...({
      account_id,
      test_mode: 1,
      name: 'http',
      state: 'enabled',
      settings: '{}',
      secrets: '{"api_key":"sealed"}',
    } as const),
    ...{ push_token: 'token', created_at: 0, updated_at: 0, checked_at: null, last_push_at: null },
  };
  await storage.run((db) => writeCourier(db, row));
  const answers = ['old', 'new'];
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const connections = createCourierConnections({
    storage,
    monotonic: { now: () => 0 },
    sealing: {
      open: async () => {
        const api_key = answers.shift() ?? '';
        started.resolve();
        await gate.promise;
        return api_key;
      },
    },
  });
  const scope = { account_id, test_mode: true };
  const first = connections.settings('http', scope);
  await started.promise;
  connections.forget();
  gate.resolve();
  expect(await first).toEqual({ api_key: 'old' });
  expect(await connections.settings('http', scope)).toEqual({ api_key: 'new' });
  // Then it is kept.
  expect(await connections.settings('http', scope)).toEqual({ api_key: 'new' });
});
