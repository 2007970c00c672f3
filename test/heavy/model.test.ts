import { describe, test } from 'vitest';
import { runAgainstModel } from '../model/runs.ts';
import { runSequences } from '../model/transition-calls.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();

describe('10,000 random lives of deliveries match the model', () => {
  for (const part of [1, 2, 3, 4]) {
    test(`2,500 of them, part ${part}`, () => runAgainstModel(2500, part));
  }

  test('500 more on PostgreSQL', async () => runAgainstModel(500, 5, await postgres().newDatabase()));

  test('1,000 sequences of calls write no illegal transition', () => runSequences(1000, 6));

  test('100 more on PostgreSQL', async () => runSequences(100, 7, await postgres().newDatabase()));
});
