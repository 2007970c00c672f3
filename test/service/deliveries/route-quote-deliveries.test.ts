import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { deliveryQuotes, moneyOf, runToEnd, scenarioHeader } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startClient, startFixture } from '../fixture.ts';

const minute = 60_000;

/** A route, and the quote of swiftly for it, which is valid for 15 minutes. */
async function quoted(fixture: Fixture) {
  const route = await draftRoute(fixture.client());
  const quote = (await quotesOf(fixture, route.id)).find(({ provider }) => provider === 'swiftly');
  if (quote === undefined) throw new Error('swiftly gave no quote');
  return { route, quote };
}

describe.each([true, false])('a route’s quote creates a delivery, initiate %s', (initiate) => {
  const status = initiate ? 'delivery_created' : 'request';
  const created = async ({ client }: Fixture, quote_id: string, headers = {}) =>
    (await client().deliveries.create({ body: { ...orderRequest(), initiate, quote_id }, headers })).data;

  test('a valid quote is used unchanged', async () => {
    const fixture = await startFixture();
    const { quote } = await quoted(fixture);
    const payment_amount = quote.cost_of_delivery + quote.service_fee;
    expect(await created(fixture, quote.id)).toMatchObject({
      ...{ status, quote_id: quote.id, service: 'swiftly', payment_amount },
    });
  });

  test('an expired quote is replaced by a new one of the same provider', async () => {
    const fixture = await startFixture();
    const { quote } = await quoted(fixture);
    await fixture.pass(16 * minute);
    const { quote_id, ...delivery } = await created(fixture, quote.id);
    expect(delivery).toMatchObject({ status, service: 'swiftly' });
    expect(quote_id).toMatch(/^quo_/);
    const again = created(fixture, quote_id);
    if (initiate) await expect(again).rejects.toMatchObject({ code: 'quote_used' });
    else expect((await again).quote_id).toBe(quote_id);
  });

  test('a quote of an earlier round is replaced like an expired one', async () => {
    const fixture = await startFixture();
    const { route, quote } = await quoted(fixture);
    await quotesOf(fixture, route.id);
    const { quote_id, ...delivery } = await created(fixture, quote.id);
    expect(delivery).toMatchObject({ status, service: 'swiftly' });
    expect(quote_id).toMatch(/^quo_/);
  });

  test('a quote that its scenario expires is replaced at another fee', async () => {
    const fixture = await startFixture();
    const { quote } = await quoted(fixture);
    const delivery = await created(fixture, quote.id, scenarioHeader('quote_expired'));
    expect(delivery).toMatchObject({ status, service: 'swiftly' });
    expect(delivery.quote_id).not.toBe(quote.id);
    expect(delivery.fee).toBeGreaterThan(quote.cost_of_delivery + quote.service_fee);
  });

  test('the draft route and its order are unchanged and not dispatched', async () => {
    const { fixture, client } = await startClient();
    const { route, quote } = await quoted(fixture);
    const delivery = await created(fixture, quote.id);
    await runToEnd(fixture, client, delivery);
    expect((await client.routes.get({ params: { route_id: route.id } })).data.status).toBe('draft');
    const [order_id = ''] = route.order_ids;
    const { data: kept } = await client.orders.get({ params: { order_id } });
    expect(kept).toMatchObject({ status: 'routed', route_id: route.id, delivery_id: null });
    expect((await client.deliveries.list()).data.data.map(({ id }) => id)).toEqual([delivery.id]);
    expect((await moneyOf(client, delivery)).kinds).toEqual(initiate ? ['delivery'] : []);
  });
});

test('a stored delivery is initiated with a route’s quote, valid or expired', async () => {
  const { fixture, client } = await startClient();
  const [{ quote }, { quote: other }] = [await quoted(fixture), await quoted(fixture)];
  const [first, second] = [
    (await client.deliveries.create({ body: orderRequest() })).data,
    (await client.deliveries.create({ body: orderRequest() })).data,
  ];
  const initiated = async ({ id }: Delivery, quote_id: string) =>
    (await client.deliveries.initiate({ params: { deliveryid: id }, body: { quote_id } })).data;
  expect(await initiated(first, quote.id)).toMatchObject({ status: 'delivery_created', quote_id: quote.id });
  await fixture.pass(16 * minute);
  const late = await initiated(second, other.id);
  expect(late).toMatchObject({ status: 'delivery_created', service: 'swiftly' });
  expect(late.quote_id).not.toBe(other.id);
});

describe('a route’s quote is refused', () => {
  const refused = async (
    fixture: Fixture,
    quote_id: string,
    says: RegExp,
    {
      changes = {},
      key,
      code = 'quote_not_found',
    }: { changes?: object; key?: string; code?: ErrorCode } = {},
  ) => {
    const body = { ...orderRequest(changes), initiate: true, quote_id };
    const call = fixture.client(key).deliveries.create({ body });
    await expect(call).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
  };

  test('for other stops or another time', async () => {
    const fixture = await startFixture();
    const { quote } = await quoted(fixture);
    await refused(fixture, quote.id, /different stops/, {
      changes: { dropoff_address: '1 N State St, Chicago, IL 60602' },
    });
    const pickup_at = new Date(fixture.now() + 120 * minute).toISOString();
    await refused(fixture, quote.id, /different time/, { changes: { pickup_at } });
  });

  test('when it is the total of several orders', async () => {
    const { fixture, client } = await startClient();
    const route = await draftRoute(client, [orderRequest(), orderRequest()]);
    const [quote] = await quotesOf(fixture, route.id);
    await refused(fixture, quote?.id ?? '', /2 orders of route/);
  });

  test('after its route is dispatched or deleted', async () => {
    const { fixture, client } = await startClient();
    const [sent, dropped] = [await quoted(fixture), await quoted(fixture)];
    const params = { route_id: sent.route.id };
    await client.dispatches.create({ params, body: { quote_id: sent.quote.id } });
    await client.routes.delete({ params: { route_id: dropped.route.id } });
    await refused(fixture, sent.quote.id, /has initiated a delivery/, { code: 'quote_used' });
    await fixture.pass(16 * minute);
    await refused(fixture, sent.quote.id, /has initiated a delivery/, { code: 'quote_used' });
    await refused(fixture, dropped.quote.id, /no delivery quote/);
  });

  test('while auto dispatch handles its order', async () => {
    const { fixture, client } = await startClient();
    const body = { orders: [orderRequest()], settings: { mechanism: 'auto' as const, max_cost: 1 } };
    await client.orders.create({ body });
    await fixture.pass(5_000);
    const { data: events } = await client.events.list({ query: { type: 'route_quotes.completed' } });
    const [quote] = await fixture.storage.run((db) =>
      db.selectFrom('quotes').select('id').where('provider', '=', 'swiftly').execute(),
    );
    expect(events.data).toHaveLength(1);
    await refused(fixture, quote?.id ?? '', /in auto dispatch/, { code: 'order_not_open' });
  });
});

test.each([
  ['by its header', {}, scenarioHeader('quote_expired')],
  ['by the dropoff phone', { dropoff_phone_number: '+13125550122' }, {}],
])(
  'the quote of version 1 expires if only the create request names the scenario %s',
  async (_, changes, headers) => {
    const { fixture, client } = await startClient();
    const quote = (await deliveryQuotes(client)).find(({ service }) => service === 'swiftly');
    const body = { ...orderRequest(changes), quote_id: quote?.id ?? '', initiate: true };
    const { data } = await client.deliveries.create({ body, headers });
    expect(data).toMatchObject({ status: 'delivery_created', service: 'swiftly' });
    expect(data.quote_id).not.toBe(quote?.id);
    expect(data.fee).toBeGreaterThan(quote?.fee ?? 0);
    const used = await fixture.storage.run((db) =>
      db.selectFrom('quotes').select('cost_of_delivery').where('id', '=', data.quote_id).executeTakeFirst(),
    );
    // swiftly charges 799 from 60611 to 60606, and 8% more for a quote that replaces an expired one.
    expect(used?.cost_of_delivery).toBe(863);
  },
);
