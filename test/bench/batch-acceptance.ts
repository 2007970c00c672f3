import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { openStorage } from '../../src/storage/open-storage.ts';
import { batchBody, sendBatch } from './batch-orders.ts';
import { insertion } from './output.ts';
import { environment, serve } from './program.ts';

const count = 300;
/** Not counted: they warm the process and the machine's memory of the files. */
const warming = 5;

type Row = Record<string, SQLInputValue>;

/** The inserted rows of a batch, by table. */
type Batch = { table: string; rows: Row[] }[];

/**
 * Sends batch after batch to the built program, and inserts the same rows directly into another database of the same
 * schema; returns the milliseconds of each.
 */
export async function acceptance(folder: string, requests: number) {
  const by_hand_ms: number[] = [];
  const over_http_ms: number[] = [];
  mkdirSync(folder, { recursive: true });
  const served = join(folder, 'served.db');
  const { url, key, child } = await serve(environment(folder), served);
  const reading = new DatabaseSync(served, { readOnly: true, timeout: 10_000 });
  const hand = await handOn(join(folder, 'hand.db'), reading);
  try {
    // The clock stands still, so that only the acceptance is measured.
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    await fetch(`${url}/v2/sandbox/clock`, { method: 'POST', headers, body: '{"mode":"manual"}' });
    for (let number = 0; number < requests + warming; number += 1) {
      const body = batchBody(count, `batch-${number}`);
      const { batch_id, milliseconds } = await sendBatch(url, key, body, `batch-${number}`);
      await quiet(reading);
      const took = write(hand, batchOf(reading, batch_id));
      if (number < warming) continue;
      over_http_ms.push(milliseconds);
      by_hand_ms.push(took);
    }
    return { by_hand_ms, over_http_ms };
  } finally {
    child.kill('SIGKILL');
    reading.close();
    hand.close();
  }
}

/** Opens another database of the same schema and accounts, with the service's own settings. */
async function handOn(file: string, reading: DatabaseSync): Promise<DatabaseSync> {
  await (await openStorage(file)).close();
  const hand = new DatabaseSync(file);
  hand.exec('pragma synchronous = full');
  write(hand, [{ table: 'accounts', rows: rowsOf(reading, 'select * from accounts') }]);
  return hand;
}

/** Waits until the first attempt of each order has started. */
async function quiet(reading: DatabaseSync): Promise<void> {
  const pending = reading.prepare('select count(*) as count from batch_orders where attempts = 0');
  while (Number(pending.get()?.count) > 0) await pause(20);
}

function batchOf(reading: DatabaseSync, batch_id: string): Batch {
  const of = (table: string, column: string) => ({
    table,
    rows: rowsOf(reading, `select * from ${table} where ${column} = '${batch_id}'`),
  });
  const orders = of('orders', 'batch_id');
  // The first attempt of each order has already run; the task rows are reconstructed.
  const tasks = orders.rows.map(({ id, created_at }) => ({
    ...{ id: `tsk_${id}`, kind: 'order.try', subject: id, due_at: created_at, payload: '{}' },
  }));
  const batch = of('batches', 'id');
  const entries = of('batch_orders', 'batch_id');
  return [batch, orders, entries, { table: 'tasks', rows: tasks as Row[] }];
}

function rowsOf(reading: DatabaseSync, statement: string): Row[] {
  return reading.prepare(statement).all();
}

/** In one transaction, with one prepared statement for each table. */
function write(hand: DatabaseSync, batch: Batch): number {
  const started = performance.now();
  hand.exec('begin immediate');
  for (const { table, rows } of batch) {
    const statement = insertion(hand, table, rows[0]);
    for (const row of rows) statement.run(...Object.values(row));
  }
  hand.exec('commit');
  return performance.now() - started;
}
