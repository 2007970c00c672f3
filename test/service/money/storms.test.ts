import { expect, test } from 'vitest';
import { validParts } from '../isolation/requests.ts';
import { call, makeWorlds } from '../isolation/world.ts';
import { expectSoundMixed, expectSoundOneByOne } from './property.ts';
import { withoutMoney } from './storms.ts';

// test/heavy/money-storms.test.ts has more calls, every state, many random storms, and PostgreSQL.
test('charges add up to their deliveries when an operation is called many times at once', () =>
  expectSoundOneByOne(':memory:', { at_once: 20, max_kinds: 1 }));

test('charges add up when different operations are called at once', () =>
  expectSoundMixed(':memory:', { at_once: 20, numRuns: 1 }));

test('the operations that are listed without a charge write none', async () => {
  const worlds = await makeWorlds();
  const { keys, ids } = worlds.test;
  const charges = () => worlds.fixture.storage.run((db) => db.selectFrom('charges').selectAll().execute());
  const before = await charges();
  for (const id of withoutMoney.filter((each) => each !== 'ResetSandbox')) {
    await call(worlds, keys.admin, { id, parts: validParts[id]?.(ids) ?? {}, name: id });
    expect([id, await charges()]).toEqual([id, before]);
  }
});
