import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { defaultRetention } from '../../../src/domain/operator-settings.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { countStatements } from '../../cost/count-statements.ts';
import { engines } from '../../databases.ts';
import { oneOf } from '../../in-part.ts';
import { temporaryFolder } from '../../storage/folder.ts';
import { runToEnd, scenarioHeader, startedDelivery } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderMade, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone as driverPhone } from '../fleet/fleet.ts';
import { dump, person, sums, tracesIn } from './person.ts';

const day = 24 * 60 * 60_000;
const kept_ms = 30 * day;

interface Keeping extends Fixture {
  /** The number of finished passes that delete old data. */
  passes: () => number;
}

/** Makes a service that keeps personal data for 30 days, and deletes old data right after each start. */
async function startKeeping(location: string, personal_data_ms: number | null = kept_ms): Promise<Keeping> {
  let passes = 0;
  const timers = {
    ...realTimers,
    after: (ms: number, wake: () => void) => {
      // The timer of one hour until the next pass is set at the end of a pass.
      if (ms === 60 * 60_000) passes += 1;
      return realTimers.after(ms === 10 * 60_000 ? 1 : ms, wake);
    },
  };
  const fixture = await startFixture({
    location,
    parts: { timers, retention: { ...defaultRetention, personal_data_ms } },
  });
  // The service has seen its clock, and that it does not jump, from here on.
  await fixture.service.cleaner.preview();
  return { ...fixture, passes: () => passes };
}

/** Passes days on the clock of the service, and as much as it has passed in all on that of the machine. */
async function passDays(fixture: Fixture, days: number): Promise<void> {
  await fixture.pass(days * day);
  fixture.passWall(fixture.now() - fixture.config.wall.now());
}

/**
 * The traces of the person. Stored responses on PostgreSQL are left out: they are deleted after a day of the server's
 * clock, which a test cannot advance.
 */
async function tracesLeft(fixture: Fixture): Promise<string[]> {
  const traces = await tracesIn(fixture);
  return fixture.storage.engine === 'sqlite'
    ? traces
    : traces.filter((each) => !each.startsWith('idempotency'));
}

const erasedCount = ({ storage }: Fixture) =>
  storage.run(async (db) => {
    const rows = await db.selectFrom('orders').select('id').where('erased_at', 'is not', null).execute();
    return rows.length;
  });

/** Deletes old data once, and expects that `expected` orders are erased in all. */
async function clean(fixture: Keeping, expected: number): Promise<void> {
  const before = fixture.passes();
  fixture.service.start();
  onTestFinished(() => fixture.service.stop());
  await expect.poll(fixture.passes).toBe(before + 1);
  await fixture.service.stop();
  expect(await erasedCount(fixture)).toBe(expected);
  expect(fixture.faults).toEqual([]);
}

/** Orders that end in each way: delivered, failed, canceled, and given up by auto dispatch. */
async function endedOrders(fixture: Fixture): Promise<string[]> {
  const client = fixture.client();
  const delivered = await startedDelivery(client, 'happy_path', { ...person, request_signature: true });
  await runToEnd(fixture, client, delivered);
  const failed = await startedDelivery(client, 'payment_declined', person);
  const made = await orderMade(client.orders.create({ body: { orders: [orderRequest(person)] } }));
  await client.orders.cancel({ params: { order_id: made.data.id } });
  const settings = { mechanism: 'auto', retry_window: 60, retry_interval: 10 } as const;
  const declined = orderRequest({ ...person, dropoff_phone_number: '+13125550124' });
  await client.orders.create({ body: { orders: [declined], settings } });
  await fixture.pass(60 * 60_000);
  const { data } = await client.orders.list({ query: { limit: 100 } });
  expect(data.data.map(({ status }) => status).sort()).toEqual([
    ...['canceled', 'dispatched', 'failed', 'unfulfilled'],
  ]);
  return [delivered.id, failed.id];
}

/** A delivery whose driver was replaced, of a courier that names its drivers in quotes too. */
async function reassigned(fixture: Fixture): Promise<Delivery> {
  const client = fixture.client();
  const headers = scenarioHeader('driver_reassigned');
  const body = { orders: [orderRequest(person)] };
  const { data: order } = await orderMade(client.orders.create({ body, headers }));
  const params = {
    route_id: (await client.routes.create({ body: { order_ids: [order.id] } })).data.id,
  };
  const quotes = await quotesOf(fixture, params.route_id);
  const quote_id = quotes.find(({ courier_name }) => courier_name !== undefined)?.id ?? '';
  const [delivery] = (await client.dispatches.create({ params, body: { quote_id } })).data.deliveries;
  if (delivery === undefined) throw new Error('no delivery');
  return runToEnd(fixture, client, delivery);
}

/** The names, pictures, phone numbers and license plates of the drivers in some records. */
function driverTexts(records: unknown): string[] {
  const fields = /"(?:courier_name|courier_img|courier_phone_number|license_plate)":"([^"]+)"/g;
  return [...new Set([...JSON.stringify(records).matchAll(fields)].map(([, text = '']) => text))];
}

const both = ['sqlite', 'postgres'] as const;

describe.each(both)('on %s', (engine) => {
  test('an order stays as it is while a dispute about it is open', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const client = fixture.client();
    const delivered = await startedDelivery(client, 'happy_path', person);
    await runToEnd(fixture, client, delivered);
    const params = { deliveryid: delivered.id };
    await client.deliveries.dispute({ params, body: { reason: 'It never came' } });
    await passDays(fixture, 40);
    await clean(fixture, 0);
    const body = { outcome: 'rejected', note: '' } as const;
    await client.disputes.resolve({ params, body });
    await passDays(fixture, 40);
    await clean(fixture, 1);
  });

  test('what a dispute or a note says after the erasure is erased, too', async () => {
    const fixture = await startKeeping(await engines[engine](), 5 * day);
    const client = fixture.client();
    const delivered = await startedDelivery(client, 'happy_path', person);
    await runToEnd(fixture, client, delivered);
    await passDays(fixture, 10);
    await clean(fixture, 1);
    const params = { deliveryid: delivered.id };
    await client.deliveries.dispute({ params, body: { reason: 'Marguerite never got it' } });
    await client.disputes.resolve({ params, body: { outcome: 'rejected', note: 'Marguerite has it' } });
    expect(await tracesLeft(fixture)).not.toEqual([]);
    await passDays(fixture, 2);
    await clean(fixture, 1);
    expect(await tracesLeft(fixture)).toEqual([]);
    await client.deliveries.note({ params, body: { text: 'Marguerite asked again' } });
    expect(await tracesLeft(fixture)).not.toEqual([]);
    await passDays(fixture, 2);
    await clean(fixture, 1);
    expect(await tracesLeft(fixture)).toEqual([]);
  });

  test('the people leave orders that ended too long ago, and the money still adds up', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const client = fixture.client();
    await client.webhooks.create({ body: { url: 'http://127.0.0.1:9/hook' } });
    const [delivered = ''] = await endedOrders(fixture);
    const before = { sums: await sums(fixture), traces: await tracesIn(fixture) };
    expect(before.traces.length).toBeGreaterThan(20);
    await passDays(fixture, 29);
    const late = { dropoff_name: 'Ottoline Fenwick', dropoff_phone_number: '+13125550100' };
    const younger = await startedDelivery(client, 'happy_path', late);
    await runToEnd(fixture, client, younger);
    // An order that is not finished stays, however old it is.
    const open = await draftRoute(client, [orderRequest({ dropoff_name: 'Open Olivia' })]);
    await passDays(fixture, 2);
    await clean(fixture, 4);
    expect(await tracesLeft(fixture)).toEqual([]);
    expect((await sums(fixture))[0]).not.toEqual(before.sums[0]);
    const { data } = await client.deliveries.get({ params: { deliveryid: delivered } });
    expect(data).toMatchObject({
      ...{ status: 'delivered', external_order_ref: 'bill 1042', signature: null, proof_of_delivery: [] },
      ...{ pickup_name: 'erased', pickup_address: 'erased', pickup_phone_number: '' },
      dropoffs: [{ dropoff_name: 'erased', dropoff_address: 'erased', dropoff_unit: '' }],
    });
    const { data: charges } = await client.charges.list({ query: { delivery_id: delivered } });
    expect(charges.data.reduce((sum, { amount }) => sum + amount, 0)).toBe(data.payment_amount);
    const kept = await client.deliveries.get({ params: { deliveryid: younger.id } });
    expect(kept.data.dropoffs[0]?.dropoff_name).toBe('Ottoline Fenwick');
    const orders = await client.orders.list({ query: { q: 'Olivia' } });
    expect(orders.data.data.map(({ route_id }) => route_id)).toEqual([open.id]);
    await fixture.storage.close();
  });

  test('an order is erased after the end of its last delivery', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const client = fixture.client();
    const failed = await startedDelivery(client, 'payment_declined', person);
    await passDays(fixture, 20);
    await client.deliveries.retry({ params: { deliveryid: failed.id }, body: {} });
    const other = await startedDelivery(client, 'payment_declined', person);
    await passDays(fixture, 11);
    expect((await client.deliveries.list({ query: { limit: 9 } })).data.data).toHaveLength(3);
    await clean(fixture, 0);
    await passDays(fixture, 20);
    await clean(fixture, 2);
    expect((await client.deliveries.get({ params: { deliveryid: other.id } })).data.pickup_name).toBe(
      'erased',
    );
    expect(await tracesLeft(fixture)).toEqual([]);
  });
});

describe.each(both.filter(oneOf(2)))('on %s', (engine) => {
  test('the drivers leave with the people, and the types of their vehicles stay', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const client = fixture.client();
    const before = await reassigned(fixture);
    const { data: log } = await client.events.list({ query: { limit: 100 } });
    const traces = driverTexts(log);
    // The name, picture, phone number and license plate of two drivers.
    expect(traces).toHaveLength(8);
    await passDays(fixture, 40);
    await clean(fixture, 1);
    // Deletes the event of the quotes, as its age would: only simulated couriers name drivers in quotes.
    await fixture.storage.run((db) =>
      db.deleteFrom('events').where('type', '=', 'route_quotes.completed').execute(),
    );
    const tables = [...(await dump(fixture))].filter(([table]) => table !== 'idempotency_keys');
    const left = tables.filter(([, text]) => traces.some((trace) => text.includes(trace)));
    expect(left.map(([table]) => table)).toEqual([]);
    const { data: after } = await client.deliveries.get({ params: { deliveryid: before.id } });
    expect(after).toMatchObject({
      ...{ courier_name: 'erased', courier_img: null, courier_phone_number: null },
      ...{ courier_vehicle_type: 'car', vehicle: { ...before.vehicle, license_plate: '' } },
    });
  });

  test('an order costs as many statements in a long log as in a short one', async () => {
    const fixture = await startKeeping(await engines[engine]());
    const client = fixture.client();
    const costs: number[] = [];
    for (const count of [1, 6]) {
      for (let number = 0; number < count; number += 1) {
        await runToEnd(fixture, client, await startedDelivery(client, 'happy_path', person));
      }
      await passDays(fixture, 31);
      const erased = await erasedCount(fixture);
      const { texts } = await countStatements(() => clean(fixture, erased + count));
      const own = [...texts].filter(([text]) => /erased_at" = |^update "events"/.test(text));
      expect(own.map(([, times]) => times)).toEqual(own.map(() => count));
      costs.push(own.length);
    }
    expect(costs[0]).toBeGreaterThan(2);
    expect(costs[1]).toBe(costs[0]);
  });
});

test('a driver of the own fleet leaves the delivery, and stays in the fleet', async () => {
  const fixture = await startKeeping(':memory:');
  const { id, tap } = await driverPhone(fixture, 'Wilhelmina Ost');
  const requests = [orderRequest(person)];
  const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: id });
  const delivery_ids = deliveries.map((delivery) => delivery.id);
  await tap({ kind: 'pick_up', delivery_ids }, { kind: 'deliver', delivery_ids });
  await passDays(fixture, 40);
  await clean(fixture, 1);
  const tables = [...(await dump(fixture))].filter(([, text]) => text.includes('Wilhelmina'));
  expect(tables.map(([table]) => table)).toEqual(['drivers']);
});

test('an order that cannot be read keeps no other from being erased', async () => {
  const fixture = await startKeeping(':memory:');
  const client = fixture.client();
  const broken = await startedDelivery(client, 'payment_declined', person);
  const other = await startedDelivery(client, 'payment_declined', person);
  await passDays(fixture, 31);
  await fixture.storage.run((db) =>
    db.updateTable('deliveries').set({ record: '{' }).where('id', '=', broken.id).execute(),
  );
  fixture.service.start();
  onTestFinished(() => fixture.service.stop());
  await expect.poll(() => erasedCount(fixture)).toBe(1);
  await fixture.service.stop();
  expect((await client.deliveries.get({ params: { deliveryid: other.id } })).data.pickup_name).toBe('erased');
  expect(fixture.faults.map(String)).toEqual([expect.stringContaining('JSON')]);
});

test('without a setting nothing is erased', async () => {
  const fixture = await startKeeping(':memory:', null);
  await endedOrders(fixture);
  await passDays(fixture, 4_000);
  const before = (await tracesIn(fixture)).filter((trace) => trace.startsWith('orders:'));
  await clean(fixture, 0);
  expect((await tracesIn(fixture)).filter((trace) => trace.startsWith('orders:'))).toEqual(before);
});

test('no byte of their names is left in a SQLite file and its log', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const fixture = await startKeeping(file);
  const delivered = await startedDelivery(fixture.client(), 'happy_path', person);
  await runToEnd(fixture, fixture.client(), delivered);
  const found = () =>
    [file, `${file}-wal`].filter((name) => readFileSync(name).includes('Marguerite Quillfeather'));
  expect(found()).not.toEqual([]);
  await passDays(fixture, 40);
  await clean(fixture, 1);
  expect(found()).toEqual([]);
  await fixture.storage.close();
});
