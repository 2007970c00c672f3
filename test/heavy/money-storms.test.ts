import { describe, test } from 'vitest';
import { expectSoundMixed, expectSoundOneByOne } from '../service/money/property.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();

describe.each(['sqlite', 'postgres'])('on %s', (engine) => {
  const location = () => (engine === 'postgres' ? postgres().newDatabase() : ':memory:');

  test('charges add up when an operation is called fifty times at once, in every state', async () => {
    await expectSoundOneByOne(await location(), { at_once: 50 });
  });

  test('charges add up over many random storms', async () => {
    await expectSoundMixed(await location(), { at_once: 50, numRuns: engine === 'postgres' ? 15 : 40 });
  });
});
