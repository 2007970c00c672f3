import { afterAll, beforeAll, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { runSequences } from './transition-calls.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

test('no sequence of calls writes an illegal transition', () => runSequences(50, 20_261_122), 60_000);

test('the same on PostgreSQL', async () => runSequences(6, 3, await postgres.newDatabase()), 60_000);
