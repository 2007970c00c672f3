import { test } from 'vitest';
import { runAgainstModel } from './runs.ts';
import { runSequences } from './transition-calls.ts';

// test/heavy/model.test.ts has 10,000 lives and 1,000 sequences, and some of each on PostgreSQL.
test('15 random lives of deliveries match the model', () => runAgainstModel(15, 20_260_302));

test('no sequence of calls writes an illegal transition', () => runSequences(10, 20_261_122));
