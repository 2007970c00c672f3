import { expect, onTestFinished, test } from 'vitest';
import { createClient, OutcomeUnknown } from '../../src/library/index.ts';
import { seedService } from '../fakes/seed-service/server.ts';
import type { Switches } from '../fakes/seed-service/switches.ts';

const order = {
  ...{ pickup_address: '43 E Ohio St, Chicago, IL 60611', pickup_name: 'Grill' },
  ...{ pickup_phone_number: '+13125550101', dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' },
  ...{ dropoff_name: 'Joe Diner', dropoff_phone_number: '+13125550142', items_description: 'Lunch' },
};

/** A service that waybill did not make, and a client of it. */
async function otherService(switches: Partial<Switches> = {}) {
  const service = await seedService(switches);
  const client = createClient({ baseUrl: service.url, apiKey: 'key_1', mode: 'test' });
  onTestFinished(async () => {
    await client.close();
    await service.close();
  });
  return { service, client };
}

test('a POST whose response is lost is sent once and ends with OutcomeUnknown', async () => {
  const { service, client } = await otherService({
    faults: [{ method: 'POST', path: /^\/orders\/create$/, kind: 'lost' }],
  });
  const made = client.orders.create({ body: { orders: [order] }, idempotencyKey: 'order-1042' });
  const error = await made.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error).toMatchObject({ operation: 'CreateOrders', cause: { name: 'Unreachable' } });
  expect(service.store.orders).toHaveLength(1);
  expect(service.requests).toEqual(['POST /orders/create', 'GET /v2/account']);
});
