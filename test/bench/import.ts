/**
 * What an import costs beside bare inserts of the same rows in one transaction, and the memory that it takes at a tenth
 * of the rows and at all of them. Orders of manual dispatch, on an embedded file with nothing else in it, and against
 * `serve` on this machine.
 * `ROWS=20000 npm run bench -- import` takes fewer than a hundred thousand; `AUTO=1` adds a tenth of them with --auto,
 * where the embedded service dispatches what it took before it takes more.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { orderAt } from '../cli/commands/orders/import/made-up-orders.ts';
import { inFolder, insertion, printer } from './output.ts';
import { bin, environment, peakFlags, peakMegabytes, serve, waybill } from './program.ts';

const target = 1.5;

/** Written piece by piece: the file may be larger than what this process has room for. */
function writeFile(path: string, count: number): void {
  const file = openSync(path, 'w');
  for (let first = 0; first < count; first += 1_000) {
    const numbers = Array.from({ length: Math.min(1_000, count - first) }, (_, index) => first + index);
    writeSync(file, numbers.map((number) => `${JSON.stringify(orderAt(number))}\n`).join(''));
  }
  closeSync(file);
}

interface Run {
  seconds: number;
  megabytes: number;
}

/** Imports so many rows into a new service on an embedded file; `flags` say how. */
function imported(folder: string, count: number, flags: readonly string[] = []): Run & { database: string } {
  mkdirSync(folder);
  const env = environment(folder);
  waybill(env, 'orders', 'list');
  return { ...measured(env, folder, count, flags), database: join(folder, 'data', 'waybill.db') };
}

/** Imports so many rows into a new `serve`. */
async function importedRemotely(folder: string, count: number): Promise<Run> {
  mkdirSync(folder);
  const env = environment(folder);
  const { url, key, child } = await serve(env, join(folder, 'served.db'));
  const exit = once(child, 'exit');
  try {
    return measured({ ...env, WAYBILL_BASE_URL: url, WAYBILL_API_KEY: key }, folder, count, []);
  } finally {
    child.kill();
    await exit;
  }
}

function measured(env: Record<string, string>, folder: string, count: number, flags: readonly string[]): Run {
  const file = join(folder, 'orders.ndjson');
  writeFile(file, count);
  const args = [...peakFlags, bin, 'orders', 'import', file, ...flags];
  const started = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (status !== 0) throw new Error(`waybill orders import: ${stderr}`);
  return { seconds, megabytes: peakMegabytes(stderr) };
}

/** Inserts the rows that the import made, in one transaction, into a copy of their table with its indexes. */
function inserted(database: string, count: number): number {
  const source = new DatabaseSync(database, { readOnly: true });
  const rows = source.prepare('SELECT * FROM orders').all();
  const schema = source
    .prepare("SELECT sql FROM sqlite_master WHERE tbl_name = 'orders' AND sql IS NOT NULL")
    .all();
  source.close();
  if (rows.length !== count) throw new Error(`${rows.length} orders were made of ${count} rows`);
  const bare = new DatabaseSync(`${database}.bare`, { enableForeignKeyConstraints: false });
  bare.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  for (const { sql } of schema) bare.exec(String(sql));
  const statement = insertion(bare, 'orders', rows[0]);
  const started = process.hrtime.bigint();
  bare.exec('BEGIN');
  for (const row of rows) statement.run(...Object.values(row));
  bare.exec('COMMIT');
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  bare.close();
  return seconds;
}

const print = printer(28, 14);

function printRun(name: string, rows: number, { seconds, megabytes }: Run, ratio = ''): void {
  print(name, `${rows}`, seconds.toFixed(1), (rows / seconds).toFixed(0), ratio, megabytes.toFixed(1));
}

/** Prints the table. */
export async function importing(): Promise<void> {
  const count = Number(process.env.ROWS ?? 100_000);
  await inFolder(async (folder) => {
    console.log(`Node ${process.version}`);
    print('', 'rows', 'seconds', 'rows a second', 'to bare', 'MB at most');
    const runs = [count / 10, count].map((rows) => ({ rows, ...imported(join(folder, `${rows}`), rows) }));
    for (const { rows, database, ...run } of runs) {
      const bare = inserted(database, rows);
      print('bare inserts', `${rows}`, bare.toFixed(2), (rows / bare).toFixed(0), '', '');
      printRun('orders import', rows, run, (bare / run.seconds).toFixed(3));
    }
    const [small, large] = runs.map(({ megabytes }) => megabytes);
    const growth = (large ?? Number.NaN) / (small ?? Number.NaN);
    print('memory, large to small', '', '', '', growth.toFixed(2), growth > target ? 'over' : '');
    printRun('the same against serve', count, await importedRemotely(join(folder, 'remote'), count));
    if (process.env.AUTO === '1')
      printRun('orders import --auto', count / 10, imported(join(folder, 'auto'), count / 10, ['--auto']));
  });
}
