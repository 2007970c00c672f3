import type { TestProject } from 'vitest/node';
import { openStorage } from '../src/storage/open-storage.ts';
import { freePort } from './local-server.ts';
import { executeOn, type PostgresServer, postgresUrl, startPostgres, template } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of the PostgreSQL server that test files share. */
    postgres_port: number;
  }
}

/** Starts the PostgreSQL server that test files share, while the first of them run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const port = await freePort();
  project.provide('postgres_port', port);
  const server = startWithTemplate(port);
  // Tests report a server that does not start.
  server.catch(() => {});
  return async () => (await server).stop();
}

/** The template gets its name when it is complete, so that nobody copies a part of it. */
async function startWithTemplate(port: number): Promise<PostgresServer> {
  const server = await startPostgres(port);
  const unfinished = 'waybill_unfinished';
  await executeOn(server.url, `create database ${unfinished}`);
  const storage = await openStorage(postgresUrl(port, unfinished));
  await storage.close();
  await executeOn(server.url, `alter database ${unfinished} rename to ${template}`);
  return server;
}
