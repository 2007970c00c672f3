import { expect, onTestFinished, test } from 'vitest';
import { sumOf } from '../../../src/domain/charges.ts';
import { createService } from '../../../src/service/service.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { newDatabase } from '../../databases.ts';
import { insertEndpoint, numbersTo } from '../webhooks/received-events.ts';
import { dispatchScripted, historyOf, reportOf, startScripted } from './scripted-courier.ts';

const statuses = ['driver_assigned', 'pickup_complete', 'enroute_dropoff', 'delivered'] as const;
const orders = 12;

test('three processes take all reports of a courier at once, each once, with hardly a conflict', {
  timeout: 120_000,
}, async () => {
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
    const answers = await Promise.all(pushes.map((push, turn) => services[turn % 3]?.fetch(push)));
    expect(answers.map((answer) => answer?.status)).toEqual(pushes.map(() => 200));
  }
  const after = counted();
  expect(after.retries - before.retries).toBeLessThanOrEqual((after.transactions - before.transactions) / 20);

  const wanted = ['delivery_created', ...statuses];
  const rows = async <Row>(
    read: (db: Parameters<Parameters<typeof fixture.storage.run>[0]>[0]) => Promise<Row>,
  ) => fixture.storage.run(read);
  const charges = await rows((db) => db.selectFrom('charges').selectAll().execute());
  const events = await rows((db) =>
    db.selectFrom('events').selectAll().where('sequence', 'is not', null).orderBy('position').execute(),
  );
  const messages = await rows((db) =>
    db.selectFrom('webhook_messages').selectAll().orderBy('sequence').execute(),
  );
  for (const { id, payment_amount, tip } of deliveries) {
    expect(await historyOf(courier, id)).toEqual(wanted);
    const own = events.filter((event) => event.delivery_id === id);
    expect(own.map(({ sequence }) => sequence)).toEqual(numbersTo(wanted.length));
    const queued = messages.filter(({ queue }) => queue === id);
    expect(queued.map(({ event_id }) => event_id)).toEqual(own.map((event) => event.id));
    expect(queued.map(({ due_at }) => due_at !== null)).toEqual(queued.map((_, place) => place === 0));
    const paid = sumOf(charges.filter(({ delivery_id }) => delivery_id === id));
    expect(paid).toBe(payment_amount + (tip ?? 0));
  }
  const [route] = await rows((db) => db.selectFrom('routes').selectAll().execute());
  expect(route?.status).toBe('completed');
});
