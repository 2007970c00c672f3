import { expect, test } from 'vitest';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import type { CreateRequest, Provider } from '../../../src/providers/port.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { type Storage, StorageUnavailable } from '../../../src/storage/storage.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { batchMade, orderRequest, startFixture } from '../fixture.ts';

const count = 20;

/** Dispatches a batch. Before each attempt to accept the third dispatch the courier calls `disturb`. */
async function dispatchBatch(disturb: (storage: Storage, request: CreateRequest) => Promise<unknown>) {
  const calls: string[] = [];
  const lookups = new Set<string>();
  const providers = simulatedProviders(memoryRecords()).map(
    (provider): Provider => ({
      ...provider,
      create: async (request) => {
        calls.push(request.reference);
        if (request.reference === calls[2]) await disturb(fixture.storage, request);
        return provider.create(request);
      },
      find: async (request) => {
        lookups.add(request.reference);
        return provider.find(request);
      },
    }),
  );
  const fixture = await startFixture({ parts: { providers } });
  await batchMade(fixture.client().orders.create({ body: autoBatch() }));
  await fixture.pass(120_000);
  return { storage: fixture.storage, calls, lookups, disturbed: calls[2] ?? '' };
}

function autoBatch() {
  const orders = Array.from({ length: count }, (_, index) =>
    orderRequest({ external_order_ref: `order-${index}` }),
  );
  return { orders, settings: { mechanism: 'auto' as const } };
}

async function accepted(storage: Storage): Promise<string[]> {
  const rows = await storage.read((db) =>
    db.selectFrom('dispatches').select('id').where('state', '=', 'accepted').execute(),
  );
  return rows.map(({ id }) => id);
}

test('a courier that is slow does not hold up the answers of others', async () => {
  let before = 0;
  const { storage, calls } = await dispatchBatch(async (storage) => {
    for (let turns = 0; turns < 10_000 && before < count - 1; turns += 1) {
      await realTimers.turn();
      before = (await accepted(storage)).length;
    }
  });
  expect(before).toBe(count - 1);
  expect(await accepted(storage)).toHaveLength(count);
  expect(calls).toHaveLength(count);
});

test('calls beside one that finds the storage unavailable are awaited', async () => {
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const providers = simulatedProviders(memoryRecords()).map(
    (provider): Provider => ({
      ...provider,
      create: async (request) => {
        calls += 1;
        if (calls === 1) await gate.promise;
        else if (calls === 3) throw new StorageUnavailable('away');
        return provider.create(request);
      },
    }),
  );
  const { client, pass, storage } = await startFixture({ parts: { providers } });
  await batchMade(client().orders.create({ body: autoBatch() }));
  let hasEnded = false;
  const working = pass(120_000).finally(() => {
    hasEnded = true;
  });
  working.catch(() => {});
  await expect.poll(() => accepted(storage), { interval: 5 }).toHaveLength(count - 2);
  await realTimers.turn();
  expect(hasEnded).toBe(false);
  gate.resolve();
  await expect(working).rejects.toThrow(StorageUnavailable);
  expect(await accepted(storage)).toHaveLength(count - 1);
});

test('a dispatch that another worker has taken over is left to it, and the others are recorded', async () => {
  const { storage, calls, disturbed } = await dispatchBatch((storage, { route_id }) =>
    storage.run((db) =>
      db
        .updateTable('tasks')
        .set(({ eb }) => ({ claim: eb('claim', '+', 1), due_at: Number.MAX_SAFE_INTEGER }))
        .where('subject', '=', route_id)
        .execute(),
    ),
  );
  expect(calls).toHaveLength(count);
  const found = await accepted(storage);
  expect(found).toHaveLength(count - 1);
  expect(found).not.toContain(disturbed);
});

test('an answer that cannot be recorded fails alone, and the others are recorded at once', async () => {
  const broken: string[] = [];
  const { storage, calls, lookups, disturbed } = await dispatchBatch(async (storage, { route_id }) => {
    broken.push(route_id);
    await storage.run((db) =>
      db.updateTable('routes').set({ order_ids: '[' }).where('id', '=', route_id).execute(),
    );
  });
  expect(calls).toHaveLength(count);
  const found = await accepted(storage);
  expect(found).toHaveLength(count - 1);
  expect(found).not.toContain(disturbed);
  expect([...lookups]).toEqual([]);
  const waiting = await storage.run((db) =>
    db.selectFrom('failed_tasks').select(['subject', 'kind']).execute(),
  );
  expect(waiting).toEqual(broken.map((subject) => ({ subject, kind: 'dispatch.ask' })));
});
