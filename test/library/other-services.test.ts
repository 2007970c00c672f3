import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/library/index.ts';
import { seedService } from '../fakes/seed-service/server.ts';
import type { Switches } from '../fakes/seed-service/switches.ts';

/** A service that waybill did not make, and a client of it. */
async function otherService(switches: Partial<Switches> = {}) {
  const service = await seedService(switches);
  const client = createClient({ baseUrl: service.url, apiKey: 'key_1', mode: 'test' });
  onTestFinished(() => service.close());
  return { service, client };
}

test('a list is read to its end, its limit is kept, and a part of it says so', async () => {
  const { service, client } = await otherService({ pages: 'cursor', list: 'array' });
  for (let id = 1; id <= 23; id += 1)
    service.store.deliveries.push({ id, fields: {}, begun_at: null, quote_id: 'q', created_at: 0 });
  const ids: string[] = [];
  for await (const { id } of client.deliveries.list()) ids.push(id);
  expect(ids).toEqual(Array.from({ length: 23 }, (_, index) => `${index + 1}`));
  const { data } = await client.deliveries.list({ query: { limit: 1 } });
  expect(data).toMatchObject({ data: [{ id: '1' }], has_more: true, next_cursor: '#1' });
  Object.assign(service.switches, { pages: 'silent' });
  expect(await client.deliveries.list()).toMatchObject({ may_have_more: true, data: { has_more: false } });
  Object.assign(service.switches, { pages: 'more' });
  expect((await client.deliveries.list()).data).toMatchObject({ has_more: true, next_cursor: null });
});
