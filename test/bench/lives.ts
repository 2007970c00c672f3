/**
 * Lives of deliveries in a sandbox: advances of the clock that carry out 2,000 orders of auto dispatch, beside inserting
 * the same rows directly into another database of the same schema. `LIVES=500 npm run bench -- lives` takes fewer. The
 * processor time is that of this process: PostgreSQL takes its own.
 */
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import pg from 'pg';
import { fileOwnership } from '../../src/service/runtime/processes.ts';
import { monotonicClock, wallClock } from '../../src/service/runtime/time.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { startPostgres } from '../postgres.ts';
import { batchMade, type Fixture, orderRequest, startFixture } from '../service/fixture.ts';
import { inFolder, insertion, printer } from './output.ts';

const goals = { sqlite: 600, postgres: 150 } as const;
type Engine = keyof typeof goals;

/** The maximum number of orders of a request. */
const max_orders = 300;
const warming = 20;
/** The lives whose rows are inserted in one transaction. */
const bare_lives = 100;

/** The tables to which a life adds rows, apart from tasks, which it deletes again. */
const tables = [
  ...['routes', 'jobs', 'quotes', 'quote_declines', 'tries', 'deliveries', 'dispatches', 'charges'],
  ...['courier_entries', 'reports', 'events'],
] as const;

interface Run {
  seconds: number;
  processor_seconds: number;
}

/** Prints the table. */
export async function lives(): Promise<void> {
  const count = Number(process.env.LIVES ?? 2_000);
  const postgres = await startPostgres();
  await inFolder(async (folder) => {
    console.log(`Node ${process.version}, ${count} lives`);
    print('', 'seconds', 'processor s', 'a second', 'to bare', 'goal');
    const file = join(folder, 'lives.db');
    await printEngine('sqlite', file, () => insertedIntoFile(file, count), count);
    const url = await postgres.newDatabase();
    await printEngine('postgres', url, () => insertedIntoServer(url, postgres.newDatabase, count), count);
  }).finally(postgres.stop);
}

async function printEngine(
  engine: Engine,
  location: string,
  insert: () => Promise<Run>,
  count: number,
): Promise<void> {
  const run = await carried(engine, location, count);
  const bare = await insert();
  const rate = ({ seconds }: Run) => count / seconds;
  const times = ({ seconds, processor_seconds }: Run) => [seconds.toFixed(2), processor_seconds.toFixed(2)];
  print(`bare rows, ${engine}`, ...times(bare), rate(bare).toFixed(0), '', '');
  const ratio = (rate(run) / rate(bare)).toFixed(3);
  print(`advance --drain, ${engine}`, ...times(run), rate(run).toFixed(0), ratio, String(goals[engine]));
}

const print = printer(28, 13);

async function measured(work: () => Promise<void>): Promise<Run> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - started) / 1e3, processor_seconds: (user + system) / 1e6 };
}

/** Carries so many orders out by advances of the clock, from their first attempt until nothing is due. */
async function carried(engine: Engine, location: string, count: number): Promise<Run> {
  const ownership = engine === 'sqlite' ? fileOwnership(location, { keeps: true }) : null;
  const parts = {
    ...{ clock: wallClock, wall: wallClock, monotonic: monotonicClock },
    // Requests leave what is due to the advance.
    idle: true,
    ...(ownership === null ? {} : { ownership }),
  };
  const fixture = await startFixture({ location, parts });
  try {
    await takeOrders(fixture, warming);
    await drain(fixture);
    for (let taken = 0; taken < count; taken += max_orders)
      await takeOrders(fixture, Math.min(max_orders, count - taken));
    return await measured(() => drain(fixture));
  } finally {
    await fixture.service.stop();
    await fixture.storage.close();
    ownership?.release();
  }
}

async function takeOrders(fixture: Fixture, count: number): Promise<void> {
  const orders = Array.from({ length: count }, (_, index) =>
    orderRequest({ dropoff_address: `${100 + index} S Wacker Dr, Chicago, IL 60606` }),
  );
  await batchMade(fixture.client().orders.create({ body: { orders, settings: { mechanism: 'auto' } } }));
}

async function drain(fixture: Fixture): Promise<void> {
  for (let more = true; more; )
    more = (await fixture.client().clock.advance({ body: { drain: true } })).data.more;
}

/** The share of the rows of a run that its last lives have added. */
function rowsOfLives(rows: number, count: number): number {
  return Math.round((rows * count) / (count + warming));
}

/** Inserts the rows of a database into another one, a hundred lives a transaction. */
async function insertedIntoFile(file: string, count: number): Promise<Run> {
  const place = `${file}-bare`;
  await (await openStorage(place)).close();
  const source = new DatabaseSync(file, { readOnly: true });
  const bare = new DatabaseSync(place, { enableForeignKeyConstraints: false });
  bare.exec('pragma journal_mode = wal; pragma synchronous = full');
  const all = tables.map((table) => {
    const rows: Record<string, SQLInputValue>[] = source.prepare(`select * from ${table}`).all();
    return {
      statement: insertion(bare, table, rows[0]),
      rows: rows.slice(-rowsOfLives(rows.length, count)).map(Object.values),
    };
  });
  const run = await measured(async () => {
    for (let first = 0; first < count; first += bare_lives) {
      bare.exec('begin immediate');
      for (const { statement, rows } of all)
        for (const row of shareOf(rows, first, count)) statement.run(...row);
      bare.exec('commit');
    }
  });
  source.close();
  bare.close();
  return run;
}

/** The rows of the lives from `first` on that are inserted in one transaction. */
function shareOf<Row>(rows: readonly Row[], first: number, count: number): Row[] {
  const at = (life: number) => Math.round((rows.length * Math.min(life, count)) / count);
  return rows.slice(at(first), at(first + bare_lives));
}

/** The same on PostgreSQL, where the rows of each table are one statement of the transaction. */
async function insertedIntoServer(
  url: string,
  newDatabase: () => Promise<string>,
  count: number,
): Promise<Run> {
  const place = await newDatabase();
  await (await openStorage(place)).close();
  const [source, bare] = [new pg.Client(url), new pg.Client(place)];
  try {
    await Promise.all([source.connect(), bare.connect()]);
    const all: { table: string; rows: unknown[] }[] = [];
    for (const table of tables) {
      const { rows } = await source.query(`select row_to_json(${table}) as row from ${table}`);
      all.push({ table, rows: rows.slice(-rowsOfLives(rows.length, count)).map(({ row }) => row) });
    }
    // Without triggers no foreign key is checked: the rows that a life only changes are not there.
    await bare.query('set session_replication_role = replica');
    return await measured(async () => {
      for (let first = 0; first < count; first += bare_lives) {
        await bare.query('begin');
        for (const { table, rows } of all) {
          const statement = `insert into ${table} overriding system value
            select * from json_populate_recordset(null::${table}, $1)`;
          await bare.query(statement, [JSON.stringify(shareOf(rows, first, count))]);
        }
        await bare.query('commit');
      }
    });
  } finally {
    await Promise.all([source.end(), bare.end()]);
  }
}
