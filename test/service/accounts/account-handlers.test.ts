import { expect, test } from 'vitest';
import { findAccount } from '../../../src/storage/accounts.ts';
import { dispatchRoute, draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';

async function change(fixture: Fixture, body: unknown, key = fixture.keys.test) {
  const answer = await fixture.send('PATCH', '/v2/account', { body, headers: { 'x-api-key': key } });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

async function read(fixture: Fixture) {
  return (await fixture.client().account.get()).data;
}

/** The stored settings. */
async function stored(fixture: Fixture): Promise<unknown> {
  const { account_id } = await read(fixture);
  const row = await fixture.storage.run((db) => findAccount(db, { account_id, test_mode: 1 }));
  return JSON.parse(row?.settings ?? '');
}

const usual = {
  public_url: 'https://shop.example',
  upsell: null,
  subsidy: null,
  payment_method: { status: 'active' },
  tip_limit: null,
};

test('an update changes only the given settings and returns the account', async () => {
  const fixture = await startFixture();
  expect(await read(fixture)).toMatchObject(usual);
  const upsell = { kind: 'fixed', value: 250 };
  const first = await change(fixture, { upsell, payment_method: { status: 'declining' } });
  expect(first.body).toMatchObject({ ...usual, upsell, payment_method: { status: 'declining' } });
  expect(first.body).toEqual(await read(fixture));
  const subsidy = { kind: 'percent', value: 100 };
  const second = await change(fixture, { subsidy, public_url: 'https://track.shop.example/x//' });
  expect(second.body).toEqual({ ...first.body, subsidy, public_url: 'https://track.shop.example/x' });
  expect(await stored(fixture)).toEqual({
    ...{ upsell, subsidy, public_url: 'https://track.shop.example/x' },
    payment_method: { status: 'declining' },
  });
});

test('null removes a setting', async () => {
  const fixture = await startFixture();
  await change(fixture, {
    upsell: { kind: 'percent', value: 0 },
    subsidy: { kind: 'fixed', value: 0 },
    payment_method: { status: 'declining' },
    public_url: 'http://127.0.0.1:8080',
  });
  const one = await change(fixture, { upsell: null });
  expect(one.body).toMatchObject({ upsell: null, subsidy: { kind: 'fixed', value: 0 } });
  const all = await change(fixture, { subsidy: null, payment_method: null, public_url: null });
  expect(all.body).toMatchObject(usual);
  expect(await stored(fixture)).toEqual({});
  // The usual value is not stored either.
  await change(fixture, { payment_method: { status: 'active' } });
  expect(await stored(fixture)).toEqual({});
});

test('a live key does not simulate a declining payment method, and nothing of its request is stored', async () => {
  const fixture = await startFixture();
  for (const status of ['declining', 'active']) {
    const body = { payment_method: { status }, tip_limit: 7 };
    expect(await change(fixture, body, fixture.keys.live)).toMatchObject({
      status: 403,
      body: {
        code: 'simulation_not_allowed',
        message: 'payment_method simulates payments: it is a setting of test mode, and this is a live key.',
      },
    });
  }
  const { data } = await fixture.client(fixture.keys.live).account.get();
  expect(data).toMatchObject(usual);
  expect((await change(fixture, { payment_method: null }, fixture.keys.live)).status).toBe(200);
});

test('each mode has its own settings: live deliveries use live fees and links', async () => {
  const fixture = await startFixture();
  const live = fixture.client(fixture.keys.live);
  const chosen = {
    upsell: { kind: 'fixed', value: 900 },
    subsidy: { kind: 'fixed', value: 5 },
    payment_method: { status: 'declining' },
    public_url: 'https://attacker.example',
  };
  const changed = await change(fixture, chosen);
  expect(changed.body).toMatchObject({ test_mode: true, ...chosen });
  expect((await live.account.get()).data).toMatchObject({ test_mode: false, ...usual });
  const { data } = await live.deliveries.create({ body: { ...orderRequest(), initiate: false } });
  expect(data).toMatchObject({ fee: 0, upsell: null, subsidized: null });
  expect(data.tracking_url).toMatch(/^https:\/\/shop\.example\//);
  await change(fixture, { upsell: { kind: 'fixed', value: 1 } }, fixture.keys.live);
  expect(await read(fixture)).toMatchObject(chosen);
  expect((await live.account.get()).data).toMatchObject({ ...usual, upsell: { kind: 'fixed', value: 1 } });
});

test('tracking links begin with the configured address', async () => {
  const fixture = await startFixture();
  await dispatchRoute(fixture);
  const link = async () => (await fixture.client().deliveries.list()).data.data[0]?.tracking_url ?? '';
  const before = await link();
  expect(before).toMatch(/^https:\/\/shop\.example\/track\/\w+$/);
  await change(fixture, { public_url: 'https://track.shop.example/' });
  expect(await link()).toBe(before.replace('shop.example', 'track.shop.example'));
});

const unknown = 'is not a field of this request';
const statuses = 'must be one of active, declining';
const address = 'must be a URL such as https://shop.example, without a query';

test.each([
  ['a percentage over 100', { upsell: { kind: 'percent', value: 101 } }, 'upsell.value must be <= 100'],
  ['a negative amount', { subsidy: { kind: 'fixed', value: -1 } }, 'subsidy.value must be >= 0'],
  ['a part of a cent', { upsell: { kind: 'fixed', value: 0.5 } }, 'upsell.value must be a whole number'],
  ['an unknown kind', { upsell: { kind: 'share', value: 1 } }, 'upsell.kind must be one of fixed, percent'],
  ['neither kind nor value', { subsidy: {} }, 'subsidy.kind is required, subsidy.value is required'],
  ['a number alone', { upsell: 5 }, 'upsell must be an object'],
  ['a field of no kind', { upsell: { kind: 'fixed', value: 1, of: 'fee' } }, `upsell.of ${unknown}`],
  ['an unknown status', { payment_method: { status: 'broke' } }, `payment_method.status ${statuses}`],
  ['an invalid address', { public_url: 'ftp://shop.example' }, `public_url ${address}`],
  ['an unknown setting', { name: 'Mine' }, `name ${unknown}`],
  ['nothing', {}, 'body must have at least one field'],
])('%s is refused with a helpful message and changes nothing', async (_what, body, expected) => {
  const fixture = await startFixture();
  const answer = await change(fixture, body);
  expect(answer.status).toBe(400);
  const faults: { path: string; message: string }[] = answer.body.details;
  expect(faults.map(({ path, message }) => `${path} ${message}`).join(', ')).toBe(expected);
  expect(await stored(fixture)).toEqual({});
});

test('an account lists its providers: simulated ones in test mode, none in live mode', async () => {
  const fixture = await startFixture();
  expect((await read(fixture)).providers).toEqual(expect.arrayContaining(['swiftly', 'metrobike']));
  expect((await change(fixture, { upsell: null }, fixture.keys.live)).body.providers).toEqual([]);
});

test('the account’s tip limit applies to orders and dispatches, whether raised or lowered', async () => {
  const fixture = await startFixture();
  const { orders, dispatches } = fixture.client();
  const create = (tip: number) => orders.create({ body: { orders: [{ ...orderRequest(), tip }] } });
  await expect(create(10_001)).rejects.toMatchObject({ code: 'invalid_request' });
  await change(fixture, { tip_limit: 20_000 });
  await create(20_000);
  const { id } = await draftRoute(fixture.client());
  const [quote] = await quotesOf(fixture, id);
  await change(fixture, { tip_limit: 500 });
  await expect(create(501)).rejects.toMatchObject({
    code: 'invalid_request',
    details: [
      { path: 'orders[0].tip', message: 'must be at most $5.00 (500 cents): the tip limit of the account' },
    ],
  });
  const dispatch = (tip: number) =>
    dispatches.create({ params: { route_id: id }, body: { quote_id: quote?.id ?? '', tip } });
  await expect(dispatch(501)).rejects.toMatchObject({ code: 'invalid_request' });
  expect((await dispatch(500)).data.deliveries[0]).toMatchObject({ tip: 500 });
});
