import { expect, test } from 'vitest';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { permissions } from '../../../src/contract/vocabulary.ts';
import { oneOf } from '../../in-part.ts';
import { addAccount } from '../accounts/second-account.ts';
import { batchNow, farAway, newBatch } from '../auto-dispatch/batches.ts';
import { startFixture } from '../fixture.ts';
import { bothSides, expectUnchanged } from './property.ts';
import { permittedByLink, validParts } from './requests.ts';
import { call, makeWorlds, type Worlds } from './world.ts';

test('every operation has a valid request', () => {
  expect(Object.keys(validParts)).toEqual(everyOperation.map(({ id }) => id));
});

const keyed = everyOperation.filter(({ id }) => !permittedByLink.includes(id));

/** Of the tests that only read or are refused. */
let unchanged: Promise<Worlds> | null = null;
const unchangedWorlds = () => (unchanged ??= makeWorlds());

test('a key with less permission than an operation needs is refused', async () => {
  const worlds = await unchangedWorlds();
  const { keys, ids } = worlds.test;
  for (const { id, permission } of keyed) {
    if (permission === null) continue;
    for (const less of permissions.slice(0, permissions.indexOf(permission))) {
      const answer = await call(worlds, keys[less], { id, parts: validParts[id]?.(ids) ?? {}, name: id });
      expect([id, less, answer.status]).toEqual([id, less, 401]);
    }
  }
});

test('an order of another key is not known, also while auto dispatch tries it', async () => {
  const fixture = await startFixture();
  const batch = await newBatch(fixture.client(), [farAway]);
  const order_ids = (await batchNow(fixture.client(), batch)).orders.map(({ order_id }) => order_id);
  for (const key of [await addAccount(fixture), fixture.keys.live])
    await expect(fixture.client(key).routes.create({ body: { order_ids } })).rejects.toMatchObject({
      ...{ code: 'record_not_found', message: `There is no order ${order_ids[0]}.` },
    });
});

test('only admin keys change the account, keys, webhook endpoints, couriers and the clock', () => {
  const ids = everyOperation.flatMap(({ id, permission }) => (permission === 'admin' ? [id] : []));
  expect(ids).toEqual([
    ...['UpdateAccount', 'CreateApiKey', 'ListApiKeys', 'RevokeApiKey'],
    ...['CreateWebhookEndpoint', 'UpdateWebhookEndpoint', 'DeleteWebhookEndpoint', 'RotateWebhookSecret'],
    ...['TestWebhookEndpoint', 'ConnectCourier', 'CheckCourier', 'EnableCourier', 'DisableCourier'],
    ...['RemoveCourier', 'SetClock', 'AdvanceClock', 'ResetSandbox', 'RetryFailedTask', 'DismissFailedTask'],
  ]);
});

test.each(bothSides)('a $acting key reads no record of a $seen key', async ({ acting, seen }) => {
  const worlds = await unchangedWorlds();
  const { ids } = worlds[seen];
  const own: readonly string[] = Object.values(worlds[acting].ids);
  const foreign = Object.values(ids).filter((id) => !own.includes(id));
  for (const { id, method, permission } of keyed) {
    if (method !== 'GET' || permission === null || id === 'StreamEvents') continue;
    const parts = validParts[id]?.(ids) ?? {};
    const { status, body } = await call(worlds, worlds[acting].keys.admin, { id, parts, name: id });
    // A refusal repeats the id of the request.
    const shown = status < 300 ? foreign.filter((each) => body.includes(each)) : [];
    expect([id, shown]).toEqual([id, []]);
  }
});

// Another key is refused, or does the same. test/heavy/isolation.test.ts has random calls in random order.
test.each(bothSides.filter(oneOf(2)))(
  'no operation with a $acting admin key, on records of both modes, changes what a $seen key reads',
  ({ acting, seen }) =>
    expectUnchanged(seen, (worlds) =>
      [acting, seen].flatMap((mode) =>
        keyed.map(({ id }) => ({
          key: worlds[acting].keys.admin,
          id,
          parts: validParts[id]?.(worlds[mode].ids) ?? {},
          name: `${mode} ${id}`,
        })),
      ),
    ),
);
