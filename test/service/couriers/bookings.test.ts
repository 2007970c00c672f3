import { expect, test, vi } from 'vitest';
import { ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import { dispatchRoute, draftRoute, orderRequest, start } from '../fixture.ts';
import {
  dispatchOne,
  dispatchScripted,
  historyOf,
  type ScriptedCourier,
  startScripted,
} from './scripted-courier.ts';

async function bookingsOf({ fixture }: ScriptedCourier) {
  return fixture.storage.run((db) => db.selectFrom('courier_bookings').selectAll().orderBy('key').execute());
}

async function dispatchIn({ fixture }: ScriptedCourier) {
  return fixture.storage.run((db) => db.selectFrom('dispatches').selectAll().executeTakeFirst());
}

test('a route of two orders is quoted as their sum, and booked as two deliveries with keys of their own', async () => {
  const courier = await startScripted();
  const { quote, deliveries } = await dispatchScripted(courier, 2);
  const sum = { cost_of_delivery: 1400, service_fee: 0, separate_deliveries: 2 };
  expect(quote).toMatchObject({ provider: 'scripted', ...sum });
  const bookings = await bookingsOf(courier);
  expect(bookings.map(({ state, reference }) => [state, reference])).toEqual([
    ['booked', 'del_1'],
    ['booked', 'del_2'],
  ]);
  const [first, second] = courier.creates;
  expect(first?.key).toBe(`${bookings[0]?.dispatch_id}_0`);
  expect(second?.key).toBe(`${bookings[0]?.dispatch_id}_1`);
  expect(first?.quote_reference).toMatch(/^quote job_\w+_1_0$/);
  expect(first?.order).toMatchObject({
    pickup: { name: 'Pizza & Friends', phone: '+13125550100' },
    dropoff: { name: 'Dana Whitfield', phone: '+13125550142' },
    items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
    tip: 200,
  });
  expect(deliveries.map(({ status }) => status)).toEqual(['delivery_created', 'delivery_created']);
});

test('if the second order is refused, the first is canceled at the courier and the route fails', async () => {
  const refusal = { kind: 'refused', reason: 'the parcel is too large' } as const;
  const courier = await startScripted({ create: async (_, number) => (number === 2 ? refusal : null) });
  const { deliveries } = await dispatchScripted(courier, 2);
  expect(deliveries.map(({ status }) => status)).toEqual(['failed', 'failed']);
  expect(deliveries[0]?.failure_message).toBe('the parcel is too large');
  expect([...courier.booked.values()].map(({ isCanceled }) => isCanceled)).toEqual([true]);
  expect((await bookingsOf(courier)).map(({ state }) => state)).toEqual(['canceled', 'refused']);
});

test('a lost response is looked up: nothing is booked twice', async () => {
  const courier = await startScripted({ lost: [1], isIdempotent: false });
  const { deliveries } = await dispatchScripted(courier, 2);
  await courier.fixture.pass(60_000);
  expect(courier.creates.map(({ key }) => key.slice(-2))).toEqual(['_0', '_1']);
  expect(await historyOf(courier, deliveries[0]?.id ?? '')).toEqual(['delivery_created']);
  expect((await bookingsOf(courier)).map(({ state }) => state)).toEqual(['booked', 'booked']);
});

test('a lost response of a courier that cannot be asked is sent again only if that has no further effect', async () => {
  const courier = await startScripted({ lost: [1], canFind: false });
  await dispatchScripted(courier);
  await courier.fixture.pass(60_000);
  expect(courier.creates).toHaveLength(2);
  expect(courier.booked.size).toBe(1);
  expect((await bookingsOf(courier)).map(({ state }) => state)).toEqual(['booked']);
});

test('an outcome that nobody can look up is left to a person: no second create, no failed delivery', async () => {
  const courier = await startScripted({ lost: [1], canFind: false, isIdempotent: false });
  const { deliveries } = await dispatchScripted(courier);
  for (let attempt = 0; attempt < 5; attempt++) await courier.fixture.pass(20_000);
  expect(courier.creates).toHaveLength(1);
  const [delivery] = deliveries;
  expect(await historyOf(courier, delivery?.id ?? '')).toEqual(['delivery_created']);
  const dispatch = await dispatchIn(courier);
  expect(dispatch).toMatchObject({ state: 'asking' });
  expect(dispatch?.unsettled).toMatch(/^Scripted did not answer and cannot be asked: look there for .*_0$/);
  const { data: failed } = await courier.fixture.client().failedTasks.list({});
  expect(failed.data).toMatchObject([{ kind: 'dispatch.ask', error: dispatch?.unsettled }]);
});

// The dispatch passes the first point once itself, before it calls the courier.
for (const crash of [
  { at: 'provider.before_send', passage: 2 },
  { at: 'provider.after_accept', passage: 1 },
] as const) {
  test(`a crash at ${crash.at} books every order once, whether or not the courier can be asked`, async () => {
    for (const canFind of [true, false]) {
      const courier = await startScripted({ crash, canFind });
      const { deliveries } = await dispatchScripted(courier, 2);
      for (let attempt = 0; attempt < 3; attempt++) await courier.fixture.pass(20_000);
      expect(courier.booked.size).toBe(2);
      expect((await bookingsOf(courier)).map(({ state }) => state)).toEqual(['booked', 'booked']);
      expect(await historyOf(courier, deliveries[1]?.id ?? '')).toEqual(['delivery_created']);
    }
  });

  test(`a crash at ${crash.at} of a courier that can be neither asked nor repeated is left to a person`, async () => {
    const courier = await startScripted({ crash, canFind: false, isIdempotent: false });
    await dispatchScripted(courier, 2);
    for (let attempt = 0; attempt < 5; attempt++) await courier.fixture.pass(20_000);
    expect(courier.booked.size).toBeLessThan(2);
    expect((await bookingsOf(courier)).map(({ state }) => state)).toEqual(['asking']);
    expect((await courier.fixture.client().failedTasks.list({})).data.data).toHaveLength(1);
  });
}

test('a live delivery for a test key is canceled and refused', async () => {
  const courier = await startScripted({ live: true });
  const { deliveries } = await dispatchScripted(courier);
  expect(deliveries[0]).toMatchObject({ status: 'failed' });
  expect(deliveries[0]?.failure_message).toMatch(/^Scripted booked a live delivery for a test key/);
  expect([...courier.booked.values()].map(({ isCanceled }) => isCanceled)).toEqual([true]);
});

test('a live delivery for a test key that cannot be canceled is left to a person', async () => {
  const courier = await startScripted({ live: true, cancel: 'refused' });
  await dispatchScripted(courier);
  for (let attempt = 0; attempt < 5; attempt++) await courier.fixture.pass(20_000);
  const dispatch = await dispatchIn(courier);
  expect(dispatch?.unsettled).toMatch(/^Scripted booked a live delivery for a test key/);
  expect(courier.creates).toHaveLength(1);
});

test('a cancellation reaches the courier', async () => {
  const courier = await startScripted();
  const { id } = await dispatchOne(courier);
  await courier.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  expect((await historyOf(courier, id)).at(-1)).toBe('customer_canceled');
  expect([...courier.booked.values()].map(({ isCanceled }) => isCanceled)).toEqual([true]);
});

test('a courier that is busy after it did not answer is still looked up', async () => {
  const courier: ScriptedCourier = await startScripted({
    create: async ({ key }, number) => {
      if (number === 1) throw new ProviderFault('the response was lost');
      // The first request arrives late.
      const booking = { kind: 'accepted', reference: 'del_late', cost: 700, tracking_url: null } as const;
      courier.booked.set(key, { booking: { ...booking, live: false }, isCanceled: false });
      throw new ProviderBusy('too many requests', 1);
    },
  });
  const { id } = await dispatchOne(courier);
  for (let minutes = 0; minutes < 5; minutes++) await courier.fixture.pass(60_000);
  expect(await historyOf(courier, id)).toEqual(['delivery_created']);
  expect(await bookingsOf(courier)).toMatchObject([{ state: 'booked', reference: 'del_late' }]);
  expect(courier.creates).toHaveLength(2);
});

test('an order that is canceled before its turn is not sent', async () => {
  const { promise: isAnswered, resolve } = Promise.withResolvers<null>();
  const courier = await startScripted({ create: () => isAnswered });
  const { fixture, creates } = courier;
  const dispatched = dispatchScripted(courier, 3);
  await expect.poll(() => creates.length).toBe(1);
  const { data } = (await fixture.client().deliveries.list()).data;
  const [next] = data.filter(({ order_id }) => order_id !== creates[0]?.order.order_id);
  const params = { deliveryid: next?.id ?? '' };
  await fixture.client().deliveries.cancel({ params, body: {} });
  resolve(null);
  await dispatched;
  await fixture.pass(1_000);
  expect(creates.map(({ order }) => order.order_id)).not.toContain(next?.order_id);
  const found = (await fixture.client().deliveries.list()).data.data;
  expect(found.map(({ status }) => status).toSorted()).toEqual([
    ...['customer_canceled', 'delivery_created', 'delivery_created'],
  ]);
});

test('of a route that fails each delivery is canceled there, whatever of the others', async () => {
  let cancellations = 0;
  const courier = await startScripted({
    create: async (_, number) => {
      if (number > 2) throw new ProviderFault('it is down');
      return null;
    },
    cancel: async () => (cancellations++ === 0 ? 'refused' : null),
  });
  await dispatchScripted(courier, 3);
  const { fixture, booked } = courier;
  for (let attempt = 0; attempt < 5; attempt++) await fixture.pass(20_000);
  const canceled = [...booked.values()].filter(({ isCanceled }) => isCanceled);
  expect([booked.size, canceled.length]).toEqual([2, 1]);
  const failed = (await fixture.client().failedTasks.list()).data.data;
  expect(failed.map(({ error }) => error)).toEqual([
    expect.stringMatching(/^scripted does not cancel dlv_\w+, which has ended here: a driver is on the way$/),
  ]);
});

test('what a courier may have booked and does not cancel is left to a person', async () => {
  const courier = await startScripted({ lost: [1, 2, 3, 4], canFind: false });
  const { id } = await dispatchOne(courier);
  for (let hours = 0; hours < 48; hours++) await courier.fixture.pass(3_600_000);
  expect((await historyOf(courier, id)).at(-1)).toBe('failed');
  expect((await courier.fixture.client().failedTasks.list()).data.data).toMatchObject([
    { kind: 'dispatch.recall', error: expect.stringContaining(`does not cancel ${id}`) },
  ]);
});

test('a cancellation that the courier refused is asked for again with the same key', async () => {
  const script: Parameters<typeof startScripted>[0] = { cancel: 'refused' };
  const courier = await startScripted(script);
  const { id: deliveryid } = await dispatchOne(courier);
  const cancel = () =>
    courier.fixture.client().deliveries.cancel({ params: { deliveryid }, body: {}, idempotencyKey: 'once' });
  await expect(cancel()).rejects.toMatchObject({ code: 'delivery_not_cancelable' });
  delete script.cancel;
  expect((await cancel()).data.status).toBe('customer_canceled');
});

test('of two cancellations at once the one that comes too late is taken, too, with the fee', async () => {
  const asked: ReturnType<typeof Promise.withResolvers<'refused' | null>>[] = [];
  const cancel = () => {
    asked.push(Promise.withResolvers());
    return asked.at(-1)?.promise ?? Promise.resolve(null);
  };
  const courier = await startScripted({ cancel, cancellation_fee: 300 });
  const { id: deliveryid } = await dispatchOne(courier);
  const cancelOnce = () => courier.fixture.client().deliveries.cancel({ params: { deliveryid }, body: {} });
  const first = cancelOnce();
  await expect.poll(() => asked.length).toBe(1);
  const second = cancelOnce();
  await expect.poll(() => asked.length).toBe(2);
  asked[0]?.resolve(null);
  await first;
  asked[1]?.resolve('refused');
  expect((await second).data.status).toBe('customer_canceled');
  expect(await bookingsOf(courier)).toMatchObject([{ state: 'canceled', cancellation_fee: 300 }]);
});

test('a delivery that is canceled before its booking is answered stays canceled there, with the fee', async () => {
  const { promise: isAnswered, resolve } = Promise.withResolvers<null>();
  const courier = await startScripted({ create: () => isAnswered, cancellation_fee: 300 });
  const { fixture, creates, booked } = courier;
  const dispatched = dispatchScripted(courier);
  await expect.poll(() => creates.length).toBe(1);
  const [{ key } = { key: '' }] = creates;
  const booking = {
    kind: 'accepted',
    reference: 'del_1',
    cost: 700,
    tracking_url: null,
    live: false,
  } as const;
  booked.set(key, { booking, isCanceled: false });
  const [delivery] = (await fixture.client().deliveries.list()).data.data;
  await fixture.client().deliveries.cancel({ params: { deliveryid: delivery?.id ?? '' }, body: {} });
  resolve(null);
  await dispatched;
  expect(await bookingsOf(courier)).toMatchObject([{ state: 'canceled', cancellation_fee: 300 }]);
});

test('an order that is canceled while the others of its route are booked fails none of them', async () => {
  const courier = await startScripted({
    create: async (_, number) => {
      if (number === 2) throw new ProviderFault('it is down');
      return null;
    },
  });
  const { deliveries } = await dispatchScripted(courier, 2);
  const [canceled, other] = deliveries.map(({ id }) => id);
  const params = { deliveryid: canceled ?? '' };
  await courier.fixture.client().deliveries.cancel({ params, body: {} });
  await courier.fixture.pass(60_000);
  expect(await historyOf(courier, other ?? '')).toEqual(['delivery_created']);
  expect((await bookingsOf(courier)).map(({ state }) => state)).toEqual(['canceled', 'booked']);
});

test('an order that waits for its booking is not changed past the courier', async () => {
  const { promise: isBusy, resolve } = Promise.withResolvers<null>();
  const courier = await startScripted({
    create: (_, number) => (number === 1 ? isBusy : Promise.resolve(null)),
  });
  const dispatched = dispatchScripted(courier, 2);
  const { fixture, creates } = courier;
  await expect.poll(() => creates.length).toBe(1);
  const { data } = (await fixture.client().deliveries.list()).data;
  const waiting = data.find(({ order_id }) => order_id !== creates[0]?.order.order_id);
  const params = { deliveryid: waiting?.id ?? '' };
  const change = fixture.client().deliveries.edit({ params, body: { dropoff_notes: 'Ring twice' } });
  await expect(change).rejects.toMatchObject({
    code: 'delivery_not_editable',
    message: expect.stringContaining('Scripted has not confirmed it yet'),
  });
  resolve(null);
  await dispatched;
  expect(creates).toHaveLength(2);
});

test('of two tips at once the courier keeps the higher one, whichever it has heard last', async () => {
  for (const [first, second] of [
    [500, 300],
    [300, 500],
  ] as const) {
    const waiting: (() => void)[] = [];
    let tip: number | undefined;
    const courier = await startScripted({
      update: async (_, changes) => {
        if (waiting.length < 2) await new Promise<void>((resolve) => waiting.push(resolve));
        tip = changes.tip;
      },
    });
    const params = { deliveryid: (await dispatchOne(courier)).id };
    const client = courier.fixture.client();
    const edit = (body: { tip: number }) =>
      client.deliveries.edit({ params, body }).then(
        ({ status }) => status,
        ({ status }) => status,
      );
    const edits = [edit({ tip: first })];
    await expect.poll(() => waiting.length).toBe(1);
    edits.push(edit({ tip: second }));
    await expect.poll(() => waiting.length).toBe(2);
    waiting[0]?.();
    await edits[0];
    waiting[1]?.();
    expect(await Promise.all(edits)).toEqual([200, second > first ? 200 : 400]);
    const { data } = await client.deliveries.get({ params });
    expect([tip, data.tip]).toEqual([500, 500]);
  }
});

test('only the account that has connected a courier may use it', async () => {
  const courier = await startScripted();
  const { keys, client } = courier.fixture;
  const own = (await client().account.get()).data.providers;
  expect(own).toContain('scripted');
  expect((await client(keys.live).account.get()).data.providers).toEqual([]);
});

const after = (ms: number) => new Date(start + ms).toISOString();

test('an agreed time that passed while the service was down is as soon as possible for the courier', async () => {
  const hour = 3_600_000;
  const courier = await startScripted({
    create: async (_, number) => {
      if (number === 1) throw new ProviderFault('it is down');
      return null;
    },
  });
  const { fixture, creates } = courier;
  const requests = [orderRequest({ pickup_at: after(hour) })];
  await dispatchRoute(fixture, { requests, provider: 'scripted' });
  await vi.waitFor(async () => {
    await fixture.pass(creates.length < 2 ? 2 * hour : 0);
    expect(creates).toHaveLength(2);
  }, 300_000);
  expect(creates.map(({ order }) => order.pickup_at)).toEqual([start + hour, null]);
  expect(creates[1]?.now).toBeGreaterThanOrEqual(start + 2 * hour);
});

test.each([
  ['with an agreed time that passed', { pickup_at: after(60 * 60_000) }],
  ['as soon as possible', {}],
])('a quote that was due while the service was down is asked for and valid now: %s', async (_, agreed) => {
  const { fixture } = await startScripted();
  const params = { route_id: (await draftRoute(fixture.client(), [orderRequest(agreed)])).id };
  await fixture.client().quotes.request({ params });
  await fixture.pass(2 * 60 * 60_000);
  const { data } = (await fixture.client().quotes.list({ params })).data;
  const quote = data?.find(({ provider }) => provider === 'scripted');
  const at = (minutes: number) => new Date(fixture.now() + minutes * 60_000).toISOString();
  expect(quote).toMatchObject({ pickup_eta: at(10), expires_at: at(15) });
  const body = { quote_id: quote?.id ?? '' };
  const { deliveries } = (await fixture.client().dispatches.create({ params, body })).data;
  expect(deliveries[0]?.dropoffs[0]?.dropoff_eta).toBe(at(30));
});

// The courier comes after 10 minutes, and arrives after 30.
test.each([
  ['a pickup that it can make', { pickup_at: after(20 * 60_000) }, 'scheduled'],
  ['a pickup before it comes', { pickup_at: after(4 * 60_000) }, 'too_late'],
  ['a dropoff that it can make', { dropoff_at: after(30 * 60_000) }, 'scheduled'],
  ['a dropoff before it arrives', { dropoff_at: after(29 * 60_000) }, 'too_late'],
])('a delivery that is initiated at once for %s', async (_, agreed, outcome) => {
  const courier = await startScripted();
  const client = courier.fixture.client();
  const { pickup_address: address = '', pickup_name: name = '', ...order } = orderRequest(agreed);
  const { pickup_phone_number: phone_number = '', ...parcel } = order;
  const place = { name, address, phone_number };
  const { data: store } = await client.stores.create({ body: { ...place, providers: ['scripted'] } });
  const body = { ...parcel, pickup_store_id: store.id, initiate: true, late_ok: false };
  const made = client.deliveries.create({ body }).then(
    ({ data }) => data.status,
    (problem) => problem.code,
  );
  expect(await made).toBe(outcome);
});
