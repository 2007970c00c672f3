import { describe, expect, test } from 'vitest';
import type { DeliveryStatus } from '../../src/contract/vocabulary.ts';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import { again, moneyOf, runToEnd, startedDelivery, statusesOf } from './delivery-runs.ts';
import { draftRoute, orderRequest, quotesOf, startFixture } from './fixture.ts';

/** Every row of the table of transitions, through the API. */
describe('the documented transitions', () => {
  const noted = new Set<DeliveryStatus>();
  const fixtureOf = async () => {
    const fixture = await startFixture();
    return { fixture, client: fixture.client() };
  };
  const seen = (delivery: { status: DeliveryStatus }) => noted.add(delivery.status);

  test('(new) to request: no quote is selected before initiation', async () => {
    const { fixture, client } = await fixtureOf();
    const { data } = await client.deliveries.create({ body: orderRequest({ tip: 100 }) });
    expect(data).toMatchObject({ status: 'request', status_history: [], route_id: null });
    expect(await moneyOf(client, data)).toEqual({ sum: 0, kinds: [] });
    expect((await runToEnd(fixture, client, data)).status).toBe('request');
    seen(data);
  });

  test('(new) to delivery_created: initiate is true', async () => {
    const { client } = await fixtureOf();
    const delivery = await startedDelivery(client, 'happy_path');
    expect(statusesOf(delivery)).toEqual(['delivery_created']);
    expect((await moneyOf(client, delivery)).sum).toBe(delivery.payment_amount);
    seen(delivery);
  });

  test('(new) to scheduled: the delivery is scheduled', async () => {
    const { fixture, client } = await fixtureOf();
    const pickup_at = new Date(fixture.now() + 3 * 60 * 60_000).toISOString();
    const delivery = await startedDelivery(client, 'happy_path', { pickup_at });
    expect(delivery).toMatchObject({ status: 'scheduled', delivery_type: 'scheduled', pickup_at });
    await fixture.pass(2 * 60 * 60_000);
    expect((await again(client, delivery)).status).toBe('scheduled');
    expect((await runToEnd(fixture, client, delivery)).status).toBe('delivered');
    seen(delivery);
  });

  test('request to delivery_created: the initiate operation', async () => {
    const { client } = await fixtureOf();
    const { data: stored } = await client.deliveries.create({ body: orderRequest() });
    const { data } = await client.deliveries.initiate({ params: { deliveryid: stored.id }, body: {} });
    expect(data).toMatchObject({ id: stored.id, status: 'delivery_created', quote_id: stored.quote_id });
    expect(data.route_id).toMatch(/^rte_/);
    expect((await moneyOf(client, data)).kinds).toEqual(['delivery']);
  });

  test('delivery_created to driver_assigned: courier fields are filled', async () => {
    const { fixture, client } = await fixtureOf();
    const delivery = await startedDelivery(client, 'happy_path');
    expect(delivery.courier_name).toBeNull();
    await fixture.pass(7 * 60_000);
    const assigned = await again(client, delivery);
    expect(statusesOf(assigned).slice(0, 2)).toEqual(['delivery_created', 'driver_assigned']);
    expect(assigned.courier_name).toMatch(/\w/);
    expect(assigned.courier_location_lat).toBeTypeOf('number');
  });

  test('in transit to delivered, in the documented order', async () => {
    const { fixture, client } = await fixtureOf();
    const route = await draftRoute(client);
    const swiftly = (await quotesOf(fixture, route.id)).find(({ provider }) => provider === 'swiftly');
    const body = { quote_id: swiftly?.id ?? '' };
    const { data } = await client.dispatches.create({ params: { route_id: route.id }, body });
    const [delivery] = data.deliveries;
    if (delivery === undefined) throw new Error('no delivery');
    const delivered = await runToEnd(fixture, client, delivery);
    expect(statusesOf(delivered)).toEqual([
      ...['delivery_created', 'driver_assigned', 'enroute_pickup', 'arrived_at_pickup', 'pickup_complete'],
      ...['enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete', 'delivered'],
    ]);
    expect(delivered.proof_of_delivery).not.toEqual([]);
    expect((await client.routes.get({ params: { route_id: route.id } })).data.status).toBe('completed');
    for (const { status } of delivered.status_history) noted.add(status);
  });

  test('in transit with skipped statuses', async () => {
    const { fixture, client } = await fixtureOf();
    const delivered = await runToEnd(fixture, client, await startedDelivery(client, 'sparse_statuses'));
    expect(statusesOf(delivered)).toEqual([
      ...['delivery_created', 'driver_assigned', 'pickup_complete', 'delivered'],
    ]);
  });

  test('in transit to driver_not_assigned, then to another driver', async () => {
    const { fixture, client } = await fixtureOf();
    const delivery = await startedDelivery(client, 'driver_reassigned');
    let names = new Set<string>();
    for (let minute = 0; minute < 90; minute += 1) {
      await fixture.pass(60_000);
      const now = await again(client, delivery);
      if (now.status === 'driver_not_assigned') {
        expect([now.courier_name, now.courier_phone_number, now.courier_location_lat]).toEqual([
          null,
          null,
          null,
        ]);
        seen(now);
      }
      if (now.courier_name !== null) names = names.add(now.courier_name);
    }
    expect(names.size).toBe(2);
    expect((await again(client, delivery)).status).toBe('delivered');
  });

  test('delivered to disputed: by the merchant, within 30 days', async () => {
    const { fixture, client } = await fixtureOf();
    const [first, second] = [
      await startedDelivery(client, 'happy_path'),
      await startedDelivery(client, 'happy_path'),
    ];
    await runToEnd(fixture, client, first);
    const body = { reason: 'It never came' };
    const { data } = await client.deliveries.dispute({ params: { deliveryid: first.id }, body });
    expect(data).toMatchObject({ status: 'disputed', dispute_reason: 'It never came' });
    expect((await moneyOf(client, data)).sum).toBe(data.payment_amount);
    seen(data);
    await fixture.pass(30 * 24 * 60 * 60_000);
    const late = client.deliveries.dispute({ params: { deliveryid: second.id }, body });
    await expect(late).rejects.toMatchObject({ code: 'delivery_not_disputable' });
  });

  test('any status to customer_canceled, provider_canceled, burq_canceled: final and refunded', async () => {
    const { fixture, client } = await fixtureOf();
    const own = await startedDelivery(client, 'happy_path');
    const params = { deliveryid: own.id };
    const { data: canceled } = await client.deliveries.cancel({ params, body: { reason: 'Closed early' } });
    expect(canceled).toMatchObject({ status: 'customer_canceled', cancellation_reason: 'Closed early' });
    const { data: operated } = await client.deliveries.cancel({
      params: { deliveryid: (await startedDelivery(client, 'happy_path')).id },
      body: { operator: true },
    });
    const provider = await runToEnd(fixture, client, await startedDelivery(client, 'no_driver'));
    expect([operated.status, provider.status]).toEqual(['burq_canceled', 'provider_canceled']);
    for (const each of [canceled, operated, provider]) {
      expect(await moneyOf(client, each)).toEqual({ sum: 0, kinds: ['delivery', 'refund'] });
      const after = await runToEnd(fixture, client, each);
      expect(statusesOf(after)).toEqual(statusesOf(each));
      seen(after);
    }
  });

  test('delivery_created to failed: payment declined or refused by the provider; refunded in full', async () => {
    const { client } = await fixtureOf();
    const declined = await startedDelivery(client, 'payment_declined');
    expect(declined).toMatchObject({
      status: 'failed',
      failure_reason: 'payment_declined',
      failure_message: 'the payment was declined',
      refunded_amount: 0,
    });
    expect(await moneyOf(client, declined)).toEqual({ sum: 0, kinds: [] });
    const refused = await startedDelivery(client, 'no_capacity', { tip: 250 });
    expect(refused).toMatchObject({
      status: 'failed',
      failure_reason: 'provider_refused',
      refunded_amount: refused.payment_amount + 250,
    });
    expect(await moneyOf(client, refused)).toEqual({ sum: 0, kinds: ['delivery', 'refund', 'tip'] });
    seen(refused);
  });

  test('in transit to enroute_to_return to returned', async () => {
    const { fixture, client } = await fixtureOf();
    const delivery = await startedDelivery(client, 'customer_unreachable');
    for (let minute = 0; minute < 240; minute += 1) {
      await fixture.pass(60_000);
      const now = await again(client, delivery);
      if (now.status === 'enroute_to_return') seen(now);
    }
    const returned = await again(client, delivery);
    expect(statusesOf(returned).slice(-2)).toEqual(['enroute_to_return', 'returned']);
    expect(returned).toMatchObject({
      failure_reason: 'recipient_unreachable',
      failure_message: 'the recipient could not be reached at the dropoff',
    });
    const { sum, kinds } = await moneyOf(client, returned);
    expect(kinds).toEqual(['delivery', 'return']);
    expect(sum).toBeGreaterThan(returned.payment_amount);
    seen(returned);
  });

  test('enroute_to_return to burq_canceled or provider_canceled: what was charged stays', async () => {
    const { fixture, client } = await fixtureOf();
    const sentBack = async () => {
      const { id } = await startedDelivery(client, 'return_stuck');
      for (let minute = 0; minute < 240; minute += 1) {
        await fixture.pass(60_000);
        const { data } = await client.deliveries.get({ params: { deliveryid: id } });
        if (data.status === 'enroute_to_return') return data;
      }
      throw new Error(`${id} was not sent back`);
    };
    const [first, second] = [await sentBack(), await sentBack()];
    const params = { deliveryid: first.id };
    await expect(client.deliveries.cancel({ params, body: {} })).rejects.toMatchObject({
      code: 'delivery_not_cancelable',
    });
    const { data: terms } = await client.deliveries.cancellation({ params });
    expect(terms).toMatchObject({ cancelable: false, reason: 'the delivery is enroute_to_return' });
    const body = { operator: true, reason: 'The parcel is lost' };
    const { data: operated } = await client.deliveries.cancel({ params, body });
    const step = { params: { delivery_id: second.id }, body: { status: 'provider_canceled' as const } };
    await client.sandbox.step(step);
    const provider = await again(client, second);
    expect([operated.status, provider.status]).toEqual(['burq_canceled', 'provider_canceled']);
    for (const delivery of [operated, provider]) {
      expect(delivery.refunded_amount).toBe(0);
      expect(await moneyOf(client, delivery)).toEqual({ sum: delivery.payment_amount, kinds: ['delivery'] });
    }
    expect(operated.cancellation_reason).toBe('The parcel is lost');
  });

  test('dropoff_complete to driver_not_assigned, and to another driver', async () => {
    const { fixture, client } = await fixtureOf();
    const delivery = await startedDelivery(client, 'happy_path');
    for (const status of ['dropoff_complete', 'driver_not_assigned'] as const)
      await client.sandbox.step({ params: { delivery_id: delivery.id }, body: { status } });
    const lost = await again(client, delivery);
    expect(lost).toMatchObject({ status: 'driver_not_assigned', courier_name: null });
    expect((await runToEnd(fixture, client, delivery)).status).toBe('delivered');
  });

  test('every documented status was reached above', () => {
    expect([...deliveryStatuses].filter((status) => !noted.has(status))).toEqual([]);
  });
});
