import { afterAll, beforeAll } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';

/** Starts a PostgreSQL server for the tests of a file; the function returns it once they run. */
export function postgresForTests(): () => PostgresServer {
  let server: PostgresServer | null = null;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === null) throw new Error('PostgreSQL is not started before the tests');
    return server;
  };
}
