import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { CrashPoint } from '../../src/service/runtime/crash-points.ts';
import { faultsOfBatch } from './audit.ts';
import { type BatchKind, batch_kinds } from './batch-kinds.ts';
import { type BatchRecords, readBatchRecords, unknownRecords } from './batch-records.ts';
import { timeUntilTakeover } from './claims.ts';
import { type ClientTask, newClientTask, remainingWork, runClientTask } from './client-task.ts';
import {
  advance_points,
  type Crash,
  crashText,
  creation_points,
  nextCrash,
  numbersFrom,
  order_points,
} from './crash-plan.ts';
import { postgresReader, type Reader, sqliteReader } from './database-reader.ts';
import { recordFaults } from './record-rules.ts';
import { faultsOf, type ServerFiles, type ServerProcess, startServerProcess } from './server-process.ts';
import { newTotals, type Totals } from './totals.ts';

export interface KillsPlan {
  place: ServerFiles;
  /** The number of concurrent processes: one on SQLite, any number on PostgreSQL. */
  processes: number;
  kills: number;
  /** In each batch. */
  orders: number;
  /** Average time between two kills from outside. */
  interval_ms: number;
  seed: number;
  /** Sent in turn. */
  kinds?: readonly BatchKind[];
  /** At most, so that every kind of batch gets some. */
  kills_of_batch?: number;
  world?: World;
}

/** The couriers and drivers around the processes, beside simulated couriers. */
export interface World {
  /** Called with the first process. */
  connect: (ready: { url: string; key: string }) => Promise<void>;
  /** Called with each process that is ready. */
  reach: (url: string) => void;
  /** Waits after the last kill until no work is left. */
  settle: (database: Reader) => Promise<void>;
  /** Every inconsistency of a batch. */
  faultsOfBatch: (records: BatchRecords) => Promise<string[]>;
  /** The errors in the log that the couriers cause. */
  isCaused: (fault: string) => boolean;
}

/** A process of the run, with its replacements. */
interface TeamProcess {
  server: ServerProcess;
  url: string | null;
  death: Crash | null;
}

interface KillsRun extends KillsPlan {
  kinds: readonly BatchKind[];
  kills_of_batch: number;
  database: Reader;
  totals: Totals;
  chance: () => number;
  running_processes: TeamProcess[];
  takeovers: Promise<number>[];
  client_tasks: ClientTask[];
  /** The crash points of the creation of a batch that the next processes get. */
  creation_points: CrashPoint[];
  /** No process is killed after so many kills until the next batch, so that this one completes. */
  limit: number;
  isOver: boolean;
}

/** The time limit of a batch, including all crashes. */
const batch_timeout_ms = 3_600_000;

/** Processes on one database execute batches, while they are killed and restarted one after another. */
export async function runBatchKills(plan: KillsPlan): Promise<{ totals: Totals; takeovers_ms: number[] }> {
  const { place } = plan;
  const first = startServerProcess(place, null);
  const ready = await first.ready;
  if (ready?.keys == null) throw new Error('the first process printed no keys');
  const run: KillsRun = {
    ...{ kinds: batch_kinds, kills_of_batch: 25 },
    ...plan,
    database: place.database.includes('://') ? postgresReader(place.database) : sqliteReader(place.database),
    totals: newTotals(),
    chance: numbersFrom(plan.seed),
    running_processes: [{ server: first, url: ready.url, death: null }],
    takeovers: [],
    client_tasks: [],
    creation_points: [],
    limit: 0,
    isOver: false,
  };
  await plan.world?.connect({ url: ready.url, key: ready.keys.test });
  plan.world?.reach(ready.url);
  // At the end of the test, processes are not replaced anymore.
  onTestFinished(() => {
    run.isOver = true;
  });
  while (run.running_processes.length < plan.processes) run.running_processes.push(begin(run, null));
  const watches = run.running_processes.map((_, place) => replace(run, place));
  const killing = kill(run);
  await sendAll(run, ready.keys.test);
  await plan.world?.settle(run.database);
  run.isOver = true;
  await Promise.all([killing, ...run.running_processes.map(({ server }) => server.kill())]);
  await Promise.all(watches);
  await checkAll(run);
  return { totals: run.totals, takeovers_ms: await Promise.all(run.takeovers) };
}

function begin({ place, world }: KillsRun, death: Crash | null): TeamProcess {
  const member: TeamProcess = {
    server: startServerProcess(place, death === null ? null : crashText(death)),
    url: null,
    death,
  };
  void member.server.ready.then((ready) => {
    member.url = ready?.url ?? null;
    if (ready !== null) world?.reach(ready.url);
  });
  return member;
}

/** A dead process is replaced immediately; every second one kills itself. */
async function replace(run: KillsRun, place: number): Promise<void> {
  for (;;) {
    const member = run.running_processes[place];
    if (member === undefined) throw new Error('the run has no such place');
    const { isOurs } = await member.server.death;
    member.url = null;
    if (run.isOver) return;
    run.totals.note(isOurs || member.death === null || !('at' in member.death) ? 'moment' : member.death.at);
    run.takeovers.push(timeUntilTakeover(run.database));
    run.running_processes[place] = begin(run, chooseCrash(run));
  }
}

/** None for the last processes, which complete the batches; the first ones of a batch crash at its creation. */
function chooseCrash({ totals, limit, processes, chance, client_tasks, ...run }: KillsRun): Crash | null {
  if (totals.kills + processes >= limit) return null;
  const at = run.creation_points.shift();
  if (at !== undefined) return { at, passage: 1 };
  const isAdvanced = client_tasks.at(-1)?.sent.batch_kind.rate === 0;
  // An advance is short, so that later passages are rare.
  const plan = isAdvanced ? { points: advance_points, most: 4 } : { points: order_points, most: 12 };
  return nextCrash(totals.kills, plan, chance);
}

/**
 * Kills a process now and then, until there were enough deaths; not before there is a batch. If a request was
 * interrupted before anything was written, its process is not known to be dead, so its key stays in use for long.
 */
async function kill(run: KillsRun): Promise<void> {
  const { interval_ms, kills, totals, chance, client_tasks } = run;
  while (!run.isOver && client_tasks.every(({ batch_id }) => batch_id === null)) await pause(10);
  while (!run.isOver && totals.kills < kills) {
    await pause(interval_ms * (0.5 + chance()));
    const member = run.running_processes[Math.floor(chance() * run.processes)];
    if (run.isOver || totals.kills >= run.limit || (isSpared(member) && chance() < 0.8)) continue;
    await member?.server.kill();
  }
}

/** A busy machine needs longer than an interval for its start, and for the work before the crash that is planned for it. */
function isSpared(member: TeamProcess | undefined): boolean {
  const { url = null, death = null } = member ?? {};
  return url === null || (death !== null && 'at' in death);
}

/** Sends batch after batch, each to any live process, until there were enough deaths. */
async function sendAll(run: KillsRun, key: string): Promise<void> {
  const { client_tasks, kinds } = run;
  while (run.totals.kills < run.kills) {
    const batch_kind = kinds[client_tasks.length % kinds.length];
    if (batch_kind === undefined) throw new Error('there is no batch_kind');
    const clientTask = newClientTask(batch_kind, client_tasks.length, run.orders);
    client_tasks.push(clientTask);
    run.limit = Math.min(run.kills, run.totals.kills + run.kills_of_batch);
    run.creation_points.push(...creation_points);
    await run.running_processes[0]?.server.kill();
    const ends_at = performance.now() + batch_timeout_ms;
    let turn = 0;
    const url = () => {
      const urls = run.running_processes.flatMap((member) => member.url ?? []);
      turn += 1;
      return urls[turn % urls.length] ?? null;
    };
    await runClientTask(clientTask, { url, key, isOver: () => performance.now() > ends_at }, run.database);
    expect(clientTask.unexpected).toEqual([]);
    if (!clientTask.isComplete) throw new Error(await remainingWork(run.database, clientTask));
  }
}

/** All processes are stopped while the records are read, so that nothing changes. */
async function checkAll({ place, database, totals, client_tasks, world }: KillsRun): Promise<void> {
  const books = sqliteReader(place.books);
  for (const clientTask of client_tasks) {
    const records = await readBatchRecords(database, books, clientTask.batch_id ?? '');
    const faults = await (world?.faultsOfBatch(records) ?? faultsOfBatch(records, clientTask.sent));
    expect(faults).toEqual([]);
    totals.add(records);
  }
  const batch_ids = client_tasks.map(({ batch_id }) => batch_id ?? '');
  expect(await unknownRecords(database, books, batch_ids)).toEqual([]);
  expect(await database.rows('select kind, subject from failed_tasks')).toEqual([]);
  // A batch is complete before its deliveries have ended.
  const except = ['a delivery has ended', 'no work is left'];
  expect(await recordFaults(database, { couriers: world === undefined ? books : null, except })).toEqual({});
  // A slow machine holds a lock for longer than a statement waits for it, which is tried again.
  const isCaused = (fault: string) => world?.isCaused(fault) === true || fault.includes('lock timeout');
  expect(faultsOf(place).filter((fault) => !isCaused(fault))).toEqual([]);
}
