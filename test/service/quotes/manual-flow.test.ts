import { describe, expect, test } from 'vitest';
import {
  dispatchRoute,
  draftRoute,
  orderMade,
  orderRequest,
  quotesOf,
  startClient,
  startFixture,
} from '../fixture.ts';

describe('the manual flow', () => {
  test('takes an order from creation to delivery, step by step', async () => {
    const { fixture, client } = await startClient();
    const order = (
      await orderMade(
        client.orders.create({ body: { orders: [orderRequest({ external_order_ref: 'A-1' })] } }),
      )
    ).data;
    expect(order).toMatchObject({
      object: 'order',
      status: 'open',
      pickup_address: '43 E Ohio St, Chicago, IL 60611, USA',
      pickup_phone_number: '13125550100',
      external_order_ref: 'A-1',
      pickup_notes: '',
      order_value: 0,
      tip: 0,
      vehicle: '',
      route_id: null,
      test_mode: true,
      created_at: '2026-03-02T12:00:00.000Z',
    });

    const route = (await client.routes.create({ body: { order_ids: [order.id] } })).data;
    expect(route).toMatchObject({ object: 'route', status: 'draft', distance_miles: 1.9 });
    expect(route.stops.map(({ sequence, kind, leg_miles }) => [sequence, kind, leg_miles])).toEqual([
      [1, 'pickup', 0],
      [2, 'dropoff', 1.9],
    ]);
    expect((await client.orders.get({ params: { order_id: order.id } })).data.status).toBe('routed');

    const params = { route_id: route.id };
    const pending = { object: 'route_quotes', status: 'PENDING', data: null };
    expect((await client.quotes.list({ params })).data).toEqual({ ...pending, requested: false });
    const job = (await client.quotes.request({ params })).data;
    expect(job).toEqual({ job_id: expect.stringMatching(/^job_/), object: 'job' });
    expect((await client.quotes.list({ params })).data).toEqual(pending);

    await fixture.pass(3_000);
    expect((await client.quotes.list({ params })).data).toEqual(pending);
    await fixture.pass(1_000);
    const quotes = (await client.quotes.list({ params })).data;
    expect(quotes.status).toBe('COMPLETE');
    const costs = quotes.data?.map(({ provider, cost_of_delivery, service_fee }) => [
      provider,
      cost_of_delivery,
      service_fee,
    ]);
    expect(costs?.sort()).toEqual([
      ['haulvan', 2499, 103],
      ['metrobike', 659, 50],
      ['poolride', 599, 48],
      ['swiftly', 799, 54],
    ]);
    expect(quotes.reasons?.map(({ provider, code }) => [provider, code])).toEqual([
      ['nightowl', 'scheduled_only'],
    ]);

    const chosen = quotes.data?.find(({ provider }) => provider === 'poolride');
    const dispatched = (
      await client.dispatches.create({ params, body: { quote_id: chosen?.id ?? '', tip: 300 } })
    ).data;
    expect(dispatched).toMatchObject({ id: route.id, status: 'dispatched' });
    const [delivery] = dispatched.deliveries;
    expect(delivery).toMatchObject({
      status: 'delivery_created',
      delivery_type: 'asap',
      service: 'poolride',
      payment_amount: 647,
      fee: 647,
      tip: 300,
      upsell: null,
      subsidized: null,
      quote_id: chosen?.id,
      order_id: order.id,
      external_order_ref: 'A-1',
      courier_name: null,
      signature: null,
      vehicle: null,
      proof_of_delivery: [],
      status_history: [{ status: 'delivery_created', created_at: '2026-03-02T12:00:04.000Z' }],
    });
    expect(delivery?.tracking_url).toMatch(/^https:\/\/shop\.example\/track\/[0-9A-Za-z]{23,}$/);
    expect((await client.deliveries.get({ params: { deliveryid: delivery?.id ?? '' } })).data).toEqual(
      delivery,
    );
    const after = await client.orders.get({ params: { order_id: order.id }, query: { expand: 'delivery' } });
    expect(after.data).toMatchObject({ status: 'dispatched', delivery_id: delivery?.id, delivery });
    expect(fixture.faults).toEqual([]);
  });

  test('splits the price of three orders to the cent and keeps the arrival time of each', async () => {
    const { fixture, client } = await startClient();
    const zips = ['60606', '60614', '60657'];
    const route = await draftRoute(
      client,
      zips.map((zip, index) => orderRequest({ dropoff_address: `${index + 1} Main St, Chicago, IL ${zip}` })),
    );
    expect(route.stops).toHaveLength(4);
    expect(route.distance_miles).toBe(7.2);
    const quotes = await quotesOf(fixture, route.id);
    const costs = Object.fromEntries(quotes.map((quote) => [quote.provider, quote.cost_of_delivery]));
    expect(costs).toEqual({ swiftly: 1874, poolride: 1361, haulvan: 4567 });
    const quote = quotes.find(({ provider }) => provider === 'swiftly');
    const { data } = await client.dispatches.create({
      params: { route_id: route.id },
      body: { quote_id: quote?.id ?? '', tip: 100 },
    });
    expect(data.deliveries).toHaveLength(3);
    const sum = (values: (number | null)[]) =>
      values.reduce<number>((total, value) => total + (value ?? 0), 0);
    expect(sum(data.deliveries.map(({ payment_amount }) => payment_amount))).toBe(
      (quote?.cost_of_delivery ?? 0) + (quote?.service_fee ?? 0),
    );
    expect(sum(data.deliveries.map(({ tip }) => tip))).toBe(100);
    expect(data.deliveries.map(({ order_id }) => order_id)).toEqual(route.order_ids);
    const byStop = route.stops.flatMap(({ kind, order_ids }) => (kind === 'dropoff' ? order_ids : []));
    const arrivals = byStop.map((id) => {
      const delivery = data.deliveries.find(({ order_id }) => order_id === id);
      return Date.parse(delivery?.dropoffs[0]?.dropoff_eta ?? '');
    });
    expect(arrivals).toEqual([...arrivals].sort((left, right) => left - right));
    expect(new Set(arrivals).size).toBe(3);
    const tokens = data.deliveries.map(({ tracking_url }) => tracking_url.split('/').at(-1) ?? '');
    expect(new Set(tokens.map((token) => token.slice(0, 8))).size).toBe(3);
  });

  test('a second request starts a new round and no longer lists the old quotes', async () => {
    const { fixture, client } = await startClient();
    const route = await draftRoute(client);
    const params = { route_id: route.id };
    const [old] = await quotesOf(fixture, route.id);
    await client.quotes.request({ params });
    expect((await client.quotes.list({ params })).data).toMatchObject({ status: 'PENDING', data: null });
    await fixture.pass(5_000);
    const fresh = (await client.quotes.list({ params })).data.data ?? [];
    expect(fresh).toHaveLength(4);
    expect(fresh.map(({ id }) => id)).not.toContain(old?.id);
    const stale = client.dispatches.create({ params, body: { quote_id: old?.id ?? '' } });
    await expect(stale).rejects.toMatchObject({ code: 'quote_outdated' });
  });

  test('a route that every provider declines completes without quotes and with a reason for each provider', async () => {
    const fixture = await startFixture();
    const far = orderRequest({ dropoff_address: '1 Main St, Los Angeles, CA 90001' });
    const route = await draftRoute(fixture.client(), [far]);
    await quotesOf(fixture, route.id);
    const { data } = await fixture.client().quotes.list({ params: { route_id: route.id } });
    expect(data).toMatchObject({ status: 'COMPLETE', data: [] });
    expect(data.reasons?.map(({ provider }) => provider).sort()).toEqual([
      'haulvan',
      'metrobike',
      'nightowl',
      'poolride',
      'swiftly',
    ]);
  });

  test('a scheduled order is quoted for its time, and its delivery is scheduled', async () => {
    const fixture = await startFixture();
    const pickup_at = '2026-03-02T18:00:00.000Z';
    const requests = [orderRequest({ pickup_at })];
    const { quote, deliveries } = await dispatchRoute(fixture, { requests, provider: 'nightowl' });
    expect(quote).toMatchObject({ expires_at: null, pickup_eta: pickup_at });
    const scheduled = { delivery_type: 'scheduled', status: 'scheduled' };
    expect(deliveries[0]).toMatchObject({ ...scheduled, pickup_at, pickup_eta: pickup_at });
  });

  test('deleting a draft route reopens its orders', async () => {
    const { fixture, client } = await startClient();
    const route = await draftRoute(client);
    const params = { route_id: route.id };
    await client.quotes.request({ params });
    expect((await client.routes.delete({ params })).data).toEqual({
      id: route.id,
      object: 'route',
      deleted: true,
    });
    await fixture.pass(5_000);
    await expect(client.routes.get({ params })).rejects.toMatchObject({ code: 'record_not_found' });
    const [order_id = ''] = route.order_ids;
    expect((await client.orders.get({ params: { order_id } })).data).toMatchObject({
      status: 'open',
      route_id: null,
    });
    expect(fixture.faults).toEqual([]);
  });

  test('a canceled order cannot join a route', async () => {
    const { client } = await startClient();
    const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
    const params = { order_id: data.id };
    expect((await client.orders.cancel({ params })).data.status).toBe('canceled');
    await expect(client.orders.cancel({ params })).rejects.toMatchObject({ code: 'order_not_open' });
    const route = client.routes.create({ body: { order_ids: [data.id] } });
    await expect(route).rejects.toMatchObject({ code: 'order_not_open' });
  });
});
