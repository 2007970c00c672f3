import { test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { runSequences } from './transition-calls.ts';

test('no sequence of calls writes an illegal transition', () => runSequences(50, 20_261_122), 60_000);

test('the same on PostgreSQL', async () => runSequences(6, 3, await newDatabase()), 60_000);
