import { describe, expect, test } from 'vitest';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { permissions } from '../../../src/contract/vocabulary.ts';
import { bothSides, expectUnchanged, expectUnchangedByRandomCalls } from './property.ts';
import { permittedByLink, validParts } from './requests.ts';
import { call, makeWorlds } from './world.ts';

test('every operation has a valid request', () => {
  expect(Object.keys(validParts)).toEqual(everyOperation.map(({ id }) => id));
});

const keyed = everyOperation.filter(({ id }) => !permittedByLink.includes(id));

test('a key with less permission than an operation needs is refused', async () => {
  const worlds = await makeWorlds();
  const { keys, ids } = worlds.test;
  for (const { id, permission } of keyed) {
    if (permission === null) continue;
    for (const less of permissions.slice(0, permissions.indexOf(permission))) {
      const answer = await call(worlds, keys[less], { id, parts: validParts[id]?.(ids) ?? {}, name: id });
      expect([id, less, answer.status]).toEqual([id, less, 401]);
    }
  }
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
  const worlds = await makeWorlds();
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

describe.each(bothSides)(
  'nothing that a $acting key does changes what a $seen key reads',
  ({ acting, seen }) => {
    // Another key is refused, or does the same.
    test('every operation with an admin key, on records of both modes', () =>
      expectUnchanged(seen, (worlds) =>
        [acting, seen].flatMap((mode) =>
          keyed.map(({ id }) => ({
            key: worlds[acting].keys.admin,
            id,
            parts: validParts[id]?.(worlds[mode].ids) ?? {},
            name: `${mode} ${id}`,
          })),
        ),
      ));

    // test/heavy/isolation.test.ts has many of them.
    test('random calls in random order', () => expectUnchangedByRandomCalls({ acting, seen }, 1));
  },
);
