import { describe, test } from 'vitest';
import { runAgainstModel } from '../model/runs.ts';

describe('10,000 random lives of deliveries are as the model says', () => {
  for (const part of [1, 2, 3, 4]) {
    test(`2,500 of them, part ${part}`, () => runAgainstModel(2500, part), 900_000);
  }
});
