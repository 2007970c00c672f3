import { expect, onTestFinished, test } from 'vitest';
import { sumAmounts } from '../../../src/domain/charges.ts';
import { createService } from '../../../src/service/service.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { newDatabase } from '../../databases.ts';
import { insertEndpoint, numbersTo } from '../webhooks/received-events.ts';
import { dispatchScripted, historyOf, reportOf, startScripted } from './scripted-courier.ts';

const statuses = ['driver_assigned', 'pickup_complete', 'enroute_dropoff', 'delivered'] as const;
const orders = 12;
/** In cents. */
const added_tip = 150;

test('three processes take all reports of a courier and edits at once, each once, with hardly a conflict', async () => {
  const location = await newDatabase();
  const courier = await startScripted({}, { location });
  const { fixture } = courier;
  const storages = [await openStorage(location), await openStorage(location), fixture.storage];
  onTestFinished(async () => {
    for (const storage of storages) await storage.close();
  });
  const services = storages.map((storage) => createService({ ...fixture.config, storage }));
  await insertEndpoint(fixture, 'https://shop.example/hooks');
  const { deliveries } = await dispatchScripted(courier, orders);
  const keys = courier.creates.map(({ key }) => key);
  const counted = () => {
    const each = storages.map((storage) => storage.statistics());
    return {
      transactions: each.reduce((sum, { transactions }) => sum + transactions, 0),
      retries: each.reduce((sum, { retries }) => sum + retries, 0),
    };
  };
  const before = counted();
  for (const [index, status] of statuses.entries()) {
    // Each report is sent twice, to two of the processes.
    const pushes = keys.flatMap((key) => {
      const body = JSON.stringify([reportOf(key, status, { occurred_at: 1_000 * (index + 1) })]);
      const push = { method: 'POST', path: '/couriers/token-1', headers: { 'x-signature': 'right' }, body };
      return [push, push];
    });
    // The merchant raises each tip at the time of the first report.
    const edits = (index === 0 ? deliveries : []).map(({ id, tip }) => ({
      ...{ method: 'PATCH', path: `/v1/delivery/${id}` },
      headers: { 'x-api-key': fixture.keys.test, 'content-type': 'application/json' },
      body: JSON.stringify({ tip: (tip ?? 0) + added_tip }),
    }));
    const requests = [...pushes, ...edits];
    const answers = await Promise.all(requests.map((request, turn) => services[turn % 3]?.fetch(request)));
    expect(answers.map((answer) => answer?.status)).toEqual(requests.map(() => 200));
  }
  const after = counted();
  expect(after.retries - before.retries).toBeLessThanOrEqual((after.transactions - before.transactions) / 20);

  const wanted = ['delivery_created', ...statuses];
  const { charges, events, messages, routes } = await fixture.storage.run(async (db) => ({
    charges: await db.selectFrom('charges').selectAll().execute(),
    events: await db
      .selectFrom('events')
      .selectAll()
      .where('sequence', 'is not', null)
      .orderBy('position')
      .execute(),
    messages: await db.selectFrom('webhook_messages').selectAll().orderBy('sequence').execute(),
    routes: await db.selectFrom('routes').select('status').execute(),
  }));
  for (const { id, payment_amount, tip } of deliveries) {
    expect(await historyOf(courier, id)).toEqual(wanted);
    const own = events.filter((event) => event.delivery_id === id);
    // An event for each status and the edit.
    expect(own.map(({ sequence }) => sequence)).toEqual(numbersTo(wanted.length + 1));
    const queued = messages.filter(({ queue }) => queue === id);
    expect(queued.map(({ event_id }) => event_id)).toEqual(own.map((event) => event.id));
    expect(queued.map(({ due_at }) => due_at !== null)).toEqual(queued.map((_, place) => place === 0));
    const paid = sumAmounts(charges.filter(({ delivery_id }) => delivery_id === id));
    expect(paid).toBe(payment_amount + (tip ?? 0) + added_tip);
  }
  expect(routes).toEqual([{ status: 'completed' }]);
});
