/**
 * How several workers share one PostgreSQL database: 300 orders, after as many that are not counted, carried out by 1, 2
 * and 4 processes with couriers that take 50 ms for each answer. Prints the time, the processor time of the processes and
 * of PostgreSQL for each order, the transactions that were rolled back after a conflict, and whether every order was
 * dispatched exactly once. `ROUNDS=5 npm run bench -- workers` takes more rounds than 3.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../postgres.ts';
import { batchBody, sendBatch } from './batch-orders.ts';
import { inFolder } from './output.ts';
import { median } from './pairs.ts';
import { parentOf, processorTime } from './processor-time.ts';
import { begin, builtScript, type SlowService } from './slow-service.ts';

const orders = 300;
const patience_ms = 180_000;

interface Carried {
  ms: number;
  /** Processor time in seconds, of the processes and of the PostgreSQL server. */
  processor: { processes: number; postgres: number };
  commits: number;
  rollbacks: number;
  /** Orders without a dispatch, or with more than one acceptance at the couriers. */
  wrong: number;
}

/** Prints the table. */
export async function workers(): Promise<void> {
  const rounds = Number(process.env.ROUNDS ?? 3);
  const postgres = await startPostgres();
  const numbers = [1, 2, 4];
  const runs = new Map<number, Carried[]>(numbers.map((number) => [number, []]));
  await inFolder(async (folder) => {
    const script = await builtScript(folder);
    for (let round = 0; round < rounds; round += 1)
      for (const [number, done] of runs) done.push(await carry(script, number, postgres.newDatabase));
  }).finally(postgres.stop);
  console.log(
    '| Workers | Median s | To one | Processor ms an order | To one | of it PostgreSQL | Transactions | Conflicts | Lost or doubled |\n|---|---|---|---|---|---|---|---|---|',
  );
  const [alone = []] = runs.values();
  for (const [number, done] of runs) {
    const ms = median(done.map((each) => each.ms));
    const sum = (of: (each: Carried) => number) => done.reduce((total, each) => total + of(each), 0);
    const commits = sum((each) => each.commits);
    const rollbacks = sum((each) => each.rollbacks);
    const share = ((100 * rollbacks) / (commits + rollbacks)).toFixed(2);
    const ratio = (ms / median(alone.map((each) => each.ms))).toFixed(2);
    const whole = (each: Carried) => each.processor.processes + each.processor.postgres;
    const anOrder = (seconds: number) => ((1000 * seconds) / orders).toFixed(1);
    const processor = median(done.map(whole));
    const processorRatio = (processor / median(alone.map(whole))).toFixed(2);
    const postgres = median(done.map((each) => each.processor.postgres));
    const times = [(ms / 1000).toFixed(1), ratio, anOrder(processor), processorRatio, anOrder(postgres)];
    const counts = [Math.round(commits / done.length), `${share} %`, sum(({ wrong }) => wrong)];
    console.log(`| ${[number, ...times, ...counts].join(' | ')} |`);
  }
}

/** Carries a batch out on new databases. */
async function carry(script: string, number: number, newDatabase: () => Promise<string>): Promise<Carried> {
  const database = await newDatabase();
  const books = await newDatabase();
  const processes: SlowService[] = [];
  const client = new pg.Client({ connectionString: database });
  const courier = new pg.Client({ connectionString: books });
  await client.connect();
  await courier.connect();
  try {
    for (let count = 0; count < number; count += 1) processes.push(await begin(script, database, books));
    const [first] = processes;
    const key = first?.keys?.test ?? '';
    const dispatchAll = async (name: string) => {
      const started = performance.now();
      const { batch_id } = await sendBatch(first?.url ?? '', key, batchBody(orders, name), name);
      while (!(await isComplete(client, batch_id))) {
        if (performance.now() - started > patience_ms) throw new Error('the batch is not complete');
        await pause(20);
      }
      return performance.now() - started;
    };
    // Each process compiles its code, and each connection fills its caches, once.
    await dispatchAll('first');
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const processorNow = () => ({
      processes: processes.reduce((sum, { child }) => sum + processorTime(child.pid), 0),
      postgres: processorTime(parentOf(rows[0].pid)),
    });
    const processorBefore = processorNow();
    const before = await transactionsOf(client);
    const ms = await dispatchAll('batch');
    const processorAfter = processorNow();
    // PostgreSQL reports the counts of a connection within a second after it has become idle.
    await pause(1_500);
    const after = await transactionsOf(client);
    return {
      ms,
      processor: {
        processes: processorAfter.processes - processorBefore.processes,
        postgres: processorAfter.postgres - processorBefore.postgres,
      },
      commits: after.commits - before.commits,
      rollbacks: after.rollbacks - before.rollbacks,
      wrong: await countWrong(client, courier),
    };
  } finally {
    for (const { child } of processes) child.kill('SIGKILL');
    await client.end();
    await courier.end();
  }
}

async function isComplete(client: pg.Client, batch_id: string): Promise<boolean> {
  const { rows } = await client.query('select status from batches where id = $1', [batch_id]);
  return rows[0]?.status === 'complete';
}

async function transactionsOf(client: pg.Client): Promise<{ commits: number; rollbacks: number }> {
  const { rows } = await client.query(
    `select xact_commit::int as commits, xact_rollback::int as rollbacks
     from pg_stat_database where datname = current_database()`,
  );
  return rows[0];
}

async function countWrong(client: pg.Client, courier: pg.Client): Promise<number> {
  const { rows: dispatched } = await client.query(
    `select o.id, array_agg(s.id) as dispatches from orders o
     left join deliveries d on d.order_id = o.id left join dispatches s on s.route_id = d.route_id group by o.id`,
  );
  const { rows: created } = await courier.query(
    "select reference from courier_entries where kind = 'created'",
  );
  const accepted: string[] = created.map(({ reference }) => reference);
  const times = (ids: string[]) => accepted.filter((reference) => ids.includes(reference)).length;
  return (
    dispatched.filter(({ dispatches }) => times(dispatches) !== 1).length +
    Math.abs(2 * orders - dispatched.length)
  );
}
