import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openStorage } from '../src/storage/open-storage.ts';
import { freePort } from './local-server.ts';
import { executeOn, type PostgresServer, postgresUrl, startPostgres, template } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of the PostgreSQL server that test files share. */
    postgres_port: number;
    /** A folder for the compiled code of the built program. */
    compiled: string;
  }
}

/** Starts the PostgreSQL server that test files share, while the first of them run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const memory = project.config.mode === 'heavy' ? null : memoryFolder();
  if (memory !== null) process.env.TMPDIR = memory;
  const compiled = mkdtempSync(join(tmpdir(), 'waybill-compiled-'));
  project.provide('compiled', compiled);
  const port = await freePort();
  project.provide('postgres_port', port);
  const server = startWithTemplate(port);
  // Tests report a server that does not start.
  server.catch(() => {});
  return async () => {
    await (await server).stop();
    rmSync(compiled, { recursive: true, force: true });
    if (memory !== null) rmSync(memory, { recursive: true, force: true });
  };
}

const shared_memory = '/dev/shm';
const least_bytes = 4 * 2 ** 30;

/**
 * A temporary folder in memory, as tests sync thousands of small databases to the disk. Null on a system that has too
 * little of it, or where nothing in it can be executed.
 */
function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(shared_memory);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === shared_memory);
    if (mount === undefined || mount.includes('noexec') || bavail * bsize < least_bytes) return null;
    const folder = mkdtempSync(join(shared_memory, 'waybill-tests-'));
    // PostgreSQL runs as another user if the tests run as root.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    return null;
  }
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
