import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/contract/deliveries.ts';
import {
  isScenario,
  type Scenario,
  scenarioNames,
  scenarioScript,
  scenarios,
} from '../../src/domain/scenarios.ts';
import {
  again,
  moneyOf,
  runToEnd,
  scenarioHeader,
  startedDelivery,
  statusesOf,
  storedScenario,
} from './delivery-runs.ts';
import { dispatchRoute, draftRoute, orderRequest, quotesOf, startClient, startFixture } from './fixture.ts';

/** The final status of each scenario, and its final payment: everything charged, nothing, or more. */
const ends: Record<
  Exclude<Scenario, 'chaos'>,
  [status: Delivery['status'], paid: 'all' | 'nothing' | 'more']
> = {
  happy_path: ['delivered', 'all'],
  sparse_statuses: ['delivered', 'all'],
  shuffled_feed: ['delivered', 'all'],
  late_event: ['delivered', 'all'],
  slow_assignment: ['delivered', 'all'],
  driver_reassigned: ['delivered', 'all'],
  no_driver: ['provider_canceled', 'nothing'],
  provider_cancel_before_pickup: ['provider_canceled', 'nothing'],
  provider_cancel_after_pickup: ['provider_canceled', 'nothing'],
  customer_unreachable: ['returned', 'more'],
  customer_refused: ['returned', 'more'],
  wrong_address: ['returned', 'more'],
  age_check_failed: ['returned', 'more'],
  left_at_door: ['delivered', 'all'],
  return_stuck: ['failed', 'nothing'],
  payment_declined: ['failed', 'nothing'],
  payment_declined_once: ['failed', 'nothing'],
  no_capacity: ['failed', 'nothing'],
  provider_error: ['delivered', 'all'],
  unknown_outcome_accepted: ['delivered', 'all'],
  unknown_outcome_lost: ['delivered', 'all'],
  quote_expired: ['delivered', 'all'],
  no_quotes: ['failed', 'nothing'],
  no_quotes_then: ['failed', 'nothing'],
  slow_quotes: ['delivered', 'all'],
  operator_cancel: ['burq_canceled', 'nothing'],
  cancel_race: ['delivered', 'all'],
  no_location: ['delivered', 'all'],
  stale_location: ['delivered', 'all'],
  no_courier_details: ['delivered', 'all'],
  proof_late: ['delivered', 'all'],
  proof_missing: ['delivered', 'all'],
  customer_unreachable_on_route: ['returned', 'more'],
  rate_limited: ['delivered', 'all'],
};

const all = scenarioNames.filter(isScenario);

test.each(all)('%s ends with the status and charges of its table', async (scenario) => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, scenario, { tip: 300 });
  await fixture.pass(30 * 60 * 60_000);
  const last = await again(client, delivery);
  const drawn = await storedScenario(fixture, last);
  if (drawn === 'chaos') throw new Error('chaos is drawn when the order is made');
  const [status, paid] = ends[drawn];
  expect(last.status).toBe(status);
  const { sum } = await moneyOf(client, last);
  if (paid === 'nothing') expect(sum).toBe(0);
  else expect(sum - last.payment_amount - 300 > 0).toBe(paid === 'more');
  // Couriers that fail to respond are reported.
  if (scenarioScript(drawn).dispatch === undefined) expect(fixture.faults).toEqual([]);
});

/** Of the courier, of the payment, and of an operator. */
const chosen = ['customer_refused', 'payment_declined', 'operator_cancel'] as const;

test.each(chosen)(
  '%s has the same outcome by phone number and as the account’s default',
  async (scenario) => {
    const lives: string[][] = [];
    for (const door of ['header', 'phone', 'default']) {
      const { fixture, client } = await startClient();
      const { number } = scenarios[scenario];
      const dropoff_phone_number = door === 'phone' ? `+1312555${`01${number}`}` : '+13125550142';
      if (door === 'default') await client.sandbox.updateSettings({ body: { default_scenario: scenario } });
      const headers: Record<string, string> = door === 'header' ? scenarioHeader(scenario) : {};
      const body = { ...orderRequest({ dropoff_phone_number }), initiate: true };
      const { data } = await client.deliveries.create({ body, headers, idempotencyKey: 'same' });
      await fixture.pass(30 * 60 * 60_000);
      const last = await again(client, data);
      lives.push([...statusesOf(last), last.failure_reason ?? '', last.cancellation_reason ?? '']);
    }
    expect(lives[1]).toEqual(lives[0]);
    expect(lives[2]).toEqual(lives[0]);
  },
);

describe('the course of scenarios', () => {
  test('shuffled_feed: each report arrives twice and out of order, and the history only moves forward', async () => {
    const fixture = await startFixture();
    const delivery = await startedDelivery(fixture.client(), 'shuffled_feed');
    await runToEnd(fixture, fixture.client(), delivery);
    const rows = await fixture.storage.run((db) => db.selectFrom('reports').selectAll().execute());
    const effects = new Set(rows.map(({ effect }) => effect));
    expect([...effects].sort()).toEqual(['moved', 'older']);
    // A report that arrives again is stored once.
    const ids = rows.map(({ provider_report_id }) => provider_report_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('late_event: a report after delivered is stored and does not change the status', async () => {
    const fixture = await startFixture();
    const delivery = await startedDelivery(fixture.client(), 'late_event');
    const last = await runToEnd(fixture, fixture.client(), delivery);
    const rows = await fixture.storage.run((db) =>
      db.selectFrom('reports').selectAll().orderBy('sequence', 'desc').execute(),
    );
    expect(rows[0]?.received_at).toBe(Date.parse(last.status_history.at(-1)?.created_at ?? '') + 600_000);
    expect(rows[0]?.effect).not.toBe('moved');
  });

  test('quote_expired: manual dispatch is refused', async () => {
    const fixture = await startFixture();
    const requests = [orderRequest({ dropoff_phone_number: '+13125550122' })];
    await expect(dispatchRoute(fixture, { requests })).rejects.toMatchObject({ code: 'quote_expired' });
  });

  test('payment_declined_once: a retry is accepted and charged once', async () => {
    const { fixture, client } = await startClient();
    const failed = await startedDelivery(client, 'payment_declined_once');
    const { data } = await client.deliveries.retry({ params: { deliveryid: failed.id }, body: {} });
    expect(data).toMatchObject({ status: 'delivery_created', order_id: failed.order_id });
    expect((await runToEnd(fixture, client, data)).status).toBe('delivered');
    expect(await moneyOf(client, data)).toEqual({ sum: data.payment_amount, kinds: ['delivery'] });
  });

  test('slow_quotes: the round is PENDING for 60 seconds', async () => {
    const { fixture, client } = await startClient();
    const route = await draftRoute(client, [orderRequest({ dropoff_phone_number: '+13125550126' })]);
    const params = { route_id: route.id };
    await client.quotes.request({ params });
    await fixture.pass(59_000);
    expect((await client.quotes.list({ params })).data.status).toBe('PENDING');
    await fixture.pass(2_000);
    expect((await client.quotes.list({ params })).data.status).toBe('COMPLETE');
  });

  test('no_quotes_then: every provider declines in three rounds and quotes in the fourth', async () => {
    const fixture = await startFixture();
    const route = await draftRoute(fixture.client(), [
      orderRequest({ dropoff_phone_number: '+13125550125' }),
    ]);
    const rounds: number[] = [];
    for (let round = 1; round <= 5; round += 1) rounds.push((await quotesOf(fixture, route.id)).length);
    expect(rounds).toEqual([0, 0, 0, 4, 4]);
  });

  test('cancel_race: the cancellation is refused because the parcel is on its way', async () => {
    const { fixture, client } = await startClient();
    const delivery = await startedDelivery(client, 'cancel_race');
    const call = client.deliveries.cancel({ params: { deliveryid: delivery.id }, body: {} });
    await expect(call).rejects.toMatchObject({ code: 'delivery_not_cancelable' });
    expect((await again(client, delivery)).status).toBe('pickup_complete');
    expect((await runToEnd(fixture, client, delivery)).status).toBe('delivered');
  });

  test('proof_late, proof_missing, left_at_door, no_location, no_courier_details leave out what they name', async () => {
    const { fixture, client } = await startClient();
    const last = async (scenario: Scenario) =>
      runToEnd(fixture, client, await startedDelivery(client, scenario));
    const [late, missing, door] = [
      await last('proof_late'),
      await last('proof_missing'),
      await last('left_at_door'),
    ];
    const delivered_at = Date.parse(late.status_history.at(-1)?.created_at ?? '');
    expect(Date.parse(late.proof_of_delivery[0]?.created_at ?? '')).toBe(delivered_at + 600_000);
    expect(missing.proof_of_delivery).toEqual([]);
    expect(door.proof_of_delivery.map(({ type }) => type)).toEqual(['photo']);
    const [nowhere, nobody] = [await last('no_location'), await last('no_courier_details')];
    expect([nowhere.courier_location_lat, nowhere.courier_name === null]).toEqual([null, false]);
    expect([nobody.courier_name, nobody.courier_phone_number, nobody.vehicle]).toEqual([null, null, null]);
  });

  test('customer_unreachable_on_route: that stop fails, and the same driver delivers the others', async () => {
    const { fixture, client } = await startClient();
    const phones = ['+13125550142', '+13125550136', '+13125550143'];
    const requests = phones.map((dropoff_phone_number) => orderRequest({ dropoff_phone_number }));
    const { route, deliveries } = await dispatchRoute(fixture, { requests });
    const lives = [];
    for (const delivery of deliveries) lives.push(await runToEnd(fixture, client, delivery));
    expect(lives.map(({ status }) => status)).toEqual(['delivered', 'returned', 'delivered']);
    expect(new Set(lives.map(({ courier_name }) => courier_name)).size).toBe(1);
    expect((await client.routes.get({ params: { route_id: route.id } })).data.status).toBe('completed');
  });
});

test('with a live key scenario phone numbers have no effect', async () => {
  const fixture = await startFixture();
  const live = fixture.client(fixture.keys.live);
  const body = { ...orderRequest({ dropoff_phone_number: '+13125550116' }), initiate: true };
  expect((await live.deliveries.create({ body })).data.failure_reason).toBe('no_provider_available');
});
