import { expect, test } from 'vitest';
import type { CancelRequest, Provider } from '../../../src/providers/port.ts';
import { createSealing, keysInMemory } from '../../../src/service/runtime/sealing.ts';
import { systemConfig } from '../../../src/service/runtime/system.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';

interface Courier {
  fixture: Fixture;
  /** The cancellations sent to the courier. */
  recalled: CancelRequest[];
}

/** A service with partly replaced couriers that record cancellations. */
async function withCouriers(changes: Partial<Provider>): Promise<Courier> {
  const recalled: CancelRequest[] = [];
  const cancel: Provider['cancel'] = async (request) => {
    recalled.push(request);
    return { kind: 'taken', fee: 0 };
  };
  const { providers } = systemConfig(await openStorage(':memory:'), {
    sealing: createSealing(keysInMemory()),
  });
  const changed = providers.map((provider) => ({ ...provider, cancel, ...changes }));
  return { fixture: await startFixture({ parts: { providers: changed } }), recalled };
}

const initiated = { ...orderRequest(), initiate: true };

test('a delivery canceled during the call to its courier is canceled there after the courier accepts', async () => {
  const asked = Promise.withResolvers<void>();
  const { fixture, recalled } = await withCouriers({
    create: async ({ reference }) => {
      await asked.promise;
      return { kind: 'accepted', reference };
    },
  });
  const client = fixture.client();
  const creating = client.deliveries.create({ body: initiated });
  await expect.poll(async () => (await client.deliveries.list()).data.data.length).toBe(1);
  const [delivery] = (await client.deliveries.list()).data.data;
  await client.deliveries.cancel({ params: { deliveryid: delivery?.id ?? '' }, body: {} });
  recalled.length = 0;
  asked.resolve();
  await creating;
  await fixture.service.tick();
  expect(recalled).toHaveLength(1);
  expect(recalled[0]).toMatchObject({ order_id: delivery?.order_id, status: 'customer_canceled' });
  expect(fixture.faults).toEqual([]);
});

test('a courier that never responded gets a cancellation, in case it received the dispatch', async () => {
  const silent = () => Promise.reject(new Error('gateway timeout'));
  const { fixture, recalled } = await withCouriers({ create: silent, find: silent });
  const { data } = await fixture.client().deliveries.create({ body: initiated });
  for (let second = 0; second < 30; second += 1) await fixture.pass(1000);
  const failed = await fixture.client().deliveries.get({ params: { deliveryid: data.id } });
  expect(failed.data).toMatchObject({ status: 'failed', failure_reason: 'provider_unreachable' });
  expect(recalled).toHaveLength(1);
});

test('a courier that refused gets no cancellation', async () => {
  const { fixture, recalled } = await withCouriers({
    create: async () => ({ kind: 'refused', reason: 'no courier is free' }),
  });
  await fixture.client().deliveries.create({ body: initiated });
  await fixture.pass(60_000);
  expect(recalled).toEqual([]);
});
