import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { faultsOfBatch } from './audit.ts';
import { batch_kinds } from './batch-kinds.ts';
import { readBatchRecords, unknownRecords } from './batch-records.ts';
import { type ClientTask, newClientTask, remainingWork, runClientTask } from './client-task.ts';
import {
  advance_points,
  type Crash,
  crashText,
  creation_points,
  killTime,
  nextCrash,
  numbersFrom,
  order_points,
} from './crash-plan.ts';
import { type Reader, sqliteReader } from './database-reader.ts';
import { firstCall } from './recovery.ts';
import { faultsOf, type ServerFiles, startServerProcess } from './server-process.ts';
import { newTotals, type Totals } from './totals.ts';

export interface Plan {
  place: ServerFiles;
  kills: number;
  /** In each batch. */
  orders: number;
  seed: number;
}

interface SequentialRun extends Plan {
  key: string;
  database: Reader;
  books: Reader;
  chance: () => number;
  totals: Totals;
}

/** The maximum number of processes for one batch; more means that it is stuck. */
const max_processes = 200;
/** A process without a kill must finish the rest within this time. */
const final_timeout_ms = 90_000;

/** Sends batches in turn to a service that is killed repeatedly, and checks each when it is complete. */
export async function runSequentialKills(plan: Plan): Promise<Totals> {
  const { place } = plan;
  const run: SequentialRun = {
    ...plan,
    key: await firstKey(place),
    database: sqliteReader(place.database),
    books: sqliteReader(place.books),
    chance: numbersFrom(plan.seed),
    totals: newTotals(),
  };
  const { totals } = run;
  const batch_ids: string[] = [];
  while (totals.kills < plan.kills) {
    const number = batch_ids.length;
    const batch_kind = batch_kinds[number % batch_kinds.length];
    if (batch_kind === undefined) throw new Error('there is no batch_kind');
    const clientTask = newClientTask(batch_kind, `batch-${number}`, plan.orders);
    await completeBatch(run, clientTask);
    batch_ids.push(clientTask.batch_id ?? '');
    await check(run, clientTask, batch_ids);
  }
  expect(faultsOf(place)).toEqual([]);
  return totals;
}

async function firstKey(place: ServerFiles): Promise<string> {
  const server = startServerProcess(place, null);
  const ready = await server.ready;
  await server.kill();
  if (ready?.keys == null) throw new Error('the first process printed no keys');
  return ready.keys.test;
}

/** Kills are limited per batch, so that every kind of batch gets some at least twice. */
function killsOfBatch({ kills }: Plan): number {
  return Math.max(6, Math.min(25, Math.ceil(kills / batch_kinds.length / 2)));
}

async function completeBatch(run: SequentialRun, clientTask: ClientTask): Promise<void> {
  const { totals } = run;
  const ends_at = Math.min(run.kills, totals.kills + killsOfBatch(run));
  for (let before = 0; !clientTask.isComplete; before++) {
    if (before > max_processes)
      throw new Error(`${clientTask.batch_id} is not complete after ${before} lives`);
    const isCalm = totals.kills >= ends_at;
    const death = isCalm ? null : chooseCrash(run, clientTask, before);
    await runProcess(run, clientTask, death);
    expect(clientTask.unexpected).toEqual([]);
    if (isCalm && !clientTask.isComplete) throw new Error(await remainingWork(run.database, clientTask));
  }
}

/** A batch that is not accepted yet gets the crash points of its creation first. */
function chooseCrash(
  { totals, chance }: SequentialRun,
  { batch_id, sent }: ClientTask,
  before: number,
): Crash {
  const at = batch_id === null ? creation_points[before] : undefined;
  if (at !== undefined) return { at, passage: 1 };
  const points = sent.batch_kind.rate === 0 ? advance_points : order_points;
  return nextCrash(totals.kills, { points, most: 25 }, chance);
}

/** One process from its start to its death, or until the batch is complete. */
async function runProcess(run: SequentialRun, clientTask: ClientTask, death: Crash | null): Promise<void> {
  const { place, key, database, books, totals } = run;
  const watch = await firstCall(database, books);
  const server = startServerProcess(place, death === null ? null : crashText(death));
  const over = new AbortController();
  const moment = pause(death === null ? final_timeout_ms : killTime(death), undefined, {
    signal: over.signal,
  });
  const measuring = watch(server);
  const ready = await Promise.race([server.ready, moment.then(() => null)]);
  const url = () => ready?.url ?? null;
  const pursuing =
    ready === null ? undefined : runClientTask(clientTask, { url, key, isOver: server.isOver }, database);
  await Promise.race([server.death, moment, ...(pursuing === undefined ? [] : [pursuing])]);
  const isEarly = clientTask.isComplete || clientTask.unexpected.length > 0;
  await server.kill();
  over.abort();
  await moment.catch(() => {});
  await pursuing;
  totals.note({ death, isOurs: (await server.death).isOurs, isEarly, first: await measuring });
}

/** The service is stopped while the records are read, so that nothing changes. */
async function check(
  run: SequentialRun,
  clientTask: ClientTask,
  batch_ids: readonly string[],
): Promise<void> {
  const { database, books, totals } = run;
  const records = await readBatchRecords(database, books, clientTask.batch_id ?? '');
  expect(faultsOfBatch(records, clientTask.sent)).toEqual([]);
  expect(await unknownRecords(database, books, batch_ids)).toEqual([]);
  totals.add(records);
}
