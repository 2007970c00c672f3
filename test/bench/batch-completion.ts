import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'rolldown';
import { batchBody, sendBatch } from './batch-orders.ts';

const root = join(import.meta.dirname, '..', '..');
const count = 300;
const patience_ms = 60_000;

/** A process with slow couriers. */
export interface SlowService {
  url: string;
  keys: { test: string } | null;
  child: ChildProcess;
}

/** Bundles the script like the program, so that it starts as quickly; returns its path. */
export async function builtScript(folder: string): Promise<string> {
  const dir = join(folder, 'slow-couriers');
  await build({
    input: join(root, 'test/bench/slow-couriers.ts'),
    platform: 'node',
    external: ['pg-native'],
    resolve: { alias: { ulid: join(root, 'node_modules/ulid/dist/browser/index.js') } },
    output: { dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs', minify: true },
    logLevel: 'warn',
  });
  for (const table of ['zips.bin', 'cities.bin', 'zip-states.bin'])
    copyFileSync(join(root, 'src/service/runtime', table), join(dir, table));
  return join(dir, 'slow-couriers.mjs');
}

/** Starts a process on a database, with the couriers' records in another. */
export async function begin(script: string, database: string, books: string): Promise<SlowService> {
  const child = spawn(process.execPath, [script, database, books], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: Omit<SlowService, 'child'> = JSON.parse(line);
    return { ...ready, child };
  }
  throw new Error('the service ended before it was ready');
}

/**
 * Milliseconds from the request for a batch until it is complete, on a new database; the service is killed after
 * these delays and restarted.
 */
export async function carrying(script: string, folder: string, kills_ms: readonly number[]): Promise<number> {
  mkdirSync(folder);
  const database = join(folder, 'served.db');
  const books = join(folder, 'couriers.db');
  let service = await begin(script, database, books);
  const reading = new DatabaseSync(database, { readOnly: true, timeout: 10_000 });
  try {
    const key = service.keys?.test ?? '';
    const started = performance.now();
    const { batch_id } = await sendBatch(service.url, key, batchBody(count, 'batch'), 'batch');
    const left = [...kills_ms];
    const row = reading.prepare('select status from batches where id = ?');
    while (row.get(batch_id)?.status !== 'complete') {
      const passed = performance.now() - started;
      if (passed > patience_ms) throw new Error('the batch is not complete');
      const [next] = left;
      if (next !== undefined && passed >= next) {
        left.shift();
        service.child.kill('SIGKILL');
        service = await begin(script, database, books);
      }
      await pause(5);
    }
    if (left.length > 0) throw new Error(`the batch was complete before ${left.length} of the kills`);
    return performance.now() - started;
  } finally {
    service.child.kill('SIGKILL');
    reading.close();
  }
}
