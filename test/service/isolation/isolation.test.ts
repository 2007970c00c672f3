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

/** These would disable others, so they run last, in this order. */
const last = [
  ...['CancelOrder', 'CancelBatch', 'DeleteRoute', 'CancelDelivery', 'RevokeApiKey', 'DeleteStore'],
  ...['DeleteWebhookEndpoint', 'UpdateAccount', 'UpdateSandboxSettings', 'UpdateSandboxProvider'],
  ...['SetClock', 'AdvanceClock', 'ResetSandbox'],
];

test('each request has its effect on records of its own mode', async () => {
  const worlds = await makeWorlds();
  const { keys, ids } = worlds.test;
  const sooner = everyOperation.map(({ id }) => id).filter((id) => !last.includes(id));
  for (const id of [...sooner, ...last]) {
    const answer = await call(worlds, keys.admin, { id, parts: validParts[id]?.(ids) ?? {}, name: id });
    expect([id, answer.status < 300 ? '' : answer.body]).toEqual([id, '']);
  }
  worlds.fixture.service.endStreams();
});

describe.each(bothSides)(
  'nothing that a $acting key does changes what a $seen key reads',
  ({ acting, seen }) => {
    test('every operation with a key of each permission, on records of both modes', { timeout: 60_000 }, () =>
      expectUnchanged(seen, (worlds) =>
        permissions.flatMap((permission) =>
          [acting, seen].flatMap((mode) =>
            keyed.map(({ id }) => ({
              key: worlds[acting].keys[permission],
              id,
              parts: validParts[id]?.(worlds[mode].ids) ?? {},
              name: `${permission} ${mode} ${id}`,
            })),
          ),
        ),
      ),
    );

    test('random calls in random order', { timeout: 60_000 }, () =>
      expectUnchangedByRandomCalls({ acting, seen }, 4),
    );
  },
);
