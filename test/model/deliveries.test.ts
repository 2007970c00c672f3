import { test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { runAgainstModel } from './runs.ts';
import { runSequences } from './transition-calls.ts';

test('75 random lives of deliveries match the model', () => runAgainstModel(75, 20_260_302));

test('no sequence of calls writes an illegal transition', () => runSequences(50, 20_261_122));

test('the same on PostgreSQL', async () => runSequences(6, 3, await newDatabase()));
