import { ProviderBusy, ProviderFault } from '../providers/port.ts';
import type { Connection, TaskRow } from '../storage/database.ts';
import { StorageUnavailable } from '../storage/errors.ts';
import { sweep } from '../storage/idempotency.ts';
import { shifted } from '../storage/lease-time.ts';
import { claimTask, dueTasks, findTask, finishTask, postponeTask, renewClaim } from '../storage/tasks.ts';
import { abandonAsk, askProvider } from './asking.ts';
import { laneOf } from './backlog.ts';
import { closeWhenDone } from './batches.ts';
import { breathing } from './breathing.ts';
import { abandonChoice, chooseQuote } from './choosing.ts';
import type { ServiceContext } from './context.ts';
import { claimsBelieved, holding, isInHand, leaseTime } from './hand.ts';
import { abandonDispatch, handOver } from './handover.ts';
import { abandonLocation, tellLocation } from './location-telling.ts';
import { patiently, whileOwner } from './ownership.ts';
import { endRecall, recall } from './recalls.ts';
import { abandonReport, takeReport } from './reports.ts';
import { abandonTry, beginTry } from './trying.ts';

/** Background work in hand: what it is about, when it was due, and the fence its result must pass. */
export interface Task {
  row: TaskRow;
  /** The task's own due time, which it sees as now. */
  now: number;
  /** Ends the task in the transaction of its result. Throws `ClaimLost`, so that nothing is written then. */
  finish: (transaction: Connection) => Promise<void>;
  /**
   * To be called before something is changed outside: whoever has it in hand for too long already may have been
   * replaced. Throws `ClaimLost`.
   */
  renew: () => Promise<void>;
}

/** Another worker has taken the task over; its result counts, ours does not. */
export class ClaimLost extends Error {}

interface TaskKind {
  run: (service: ServiceContext, task: Task) => Promise<void>;
  /** What is true once every try has failed. */
  abandon: (service: ServiceContext, task: Task) => Promise<void>;
  /** Whether it changes something outside of the database: whoever takes it up again must know that it was begun. */
  actsOutside?: true;
}

const kinds: Record<string, TaskKind> = {
  'quote.ask': { run: askProvider, abandon: abandonAsk },
  'dispatch.ask': { run: handOver, abandon: abandonDispatch, actsOutside: true },
  'dispatch.recall': { run: recall, abandon: endRecall, actsOutside: true },
  'report.take': { run: takeReport, abandon: abandonReport },
  'location.tell': { run: tellLocation, abandon: abandonLocation },
  'order.try': { run: beginTry, abandon: abandonTry },
  'order.choose': { run: chooseQuote, abandon: abandonChoice },
  'batch.close': { run: closeWhenDone, abandon: closeWhenDone },
};

const lease_ms = 10_000;
/** Waits after a failed try, in service time; four tries in all (interface, dispatch). */
const backoff_ms = [1_000, 4_000, 16_000];
/** When even giving up has failed, which is a fault of the service, other work must not wait for it. */
const last_resort_ms = 60_000;

/** Where several workers look at the same tasks, each that was too slow for the first goes on to the next. */
const page_size = { sqlite: 1, postgres: 10 } as const;

/**
 * Does what is due, one by one in order of due time, until nothing is, the service stops, or the patience is spent.
 * Tells how much was done.
 */
export async function runInOrder(
  service: ServiceContext,
  patience_ms = Number.POSITIVE_INFINITY,
): Promise<number> {
  const { wall } = service;
  const breathe = breathing(service);
  const began_at = wall.now();
  let done = 0;
  while (!service.turns.isInterrupted() && wall.now() - began_at < patience_ms) {
    const rows = await freeTasks(service);
    if (rows.length === 0) break;
    if (await runFirst(service, rows)) done++;
    service.heartbeat.beat('tasks');
    await breathe();
  }
  return done;
}

/** The first tasks that are due and that nobody has in hand. */
async function freeTasks(service: ServiceContext): Promise<TaskRow[]> {
  const { storage, clock, hand } = service;
  const due = {
    now: clock.now(),
    limit: hand.size + page_size[storage.engine],
    wall_now: claimsBelieved(service),
  };
  const rows = await storage.run((db) => dueTasks(db, due));
  return rows.filter(({ id }) => !hand.has(id));
}

async function runFirst(service: ServiceContext, rows: readonly TaskRow[]): Promise<boolean> {
  for (const row of rows) if (await runTask(service, row)) return true;
  return false;
}

/** Does a task at once, for a request, if it is due. Where others have it in hand, they are waited for a little. */
export async function runAtOnce(service: ServiceContext, id: string, now: number): Promise<void> {
  await patiently(service, async () => {
    const row = await service.storage.run((db) => findTask(db, id));
    if (row === undefined || row.due_at > now) return true;
    let isRun = false;
    await whileOwner(service, async () => {
      isRun = !(await isInHand(service, row)) && (await runTask(service, row));
    });
    return isRun;
  });
}

/** Idempotency keys live for a day: where there is work, there is a moment to clear the old ones away. */
export async function tidy(service: ServiceContext): Promise<void> {
  await service.storage.run((db) => sweep(db, leaseTime(service)));
}

/** Runs one task if nobody else does; tells whether it did. */
export async function runTask(service: ServiceContext, row: TaskRow): Promise<boolean> {
  return holding(service, row, async () => {
    const claim = needsClaim(service, row)
      ? await service.storage.run((db) => takeTask(db, service, row))
      : row.claim;
    if (claim !== null) await runTaken(service, row, claim);
    return claim !== null;
  });
}

/**
 * Whether a task must be claimed before it is begun. In a database that one process works on, what is done in one
 * transaction need not: that ends the task too, or writes nothing.
 */
function needsClaim({ storage }: ServiceContext, { kind }: TaskRow): boolean {
  return storage.engine === 'postgres' || kinds[kind]?.actsOutside === true;
}

/** Claims a task for this worker; null where another was faster. */
export async function takeTask(
  db: Connection,
  service: ServiceContext,
  row: TaskRow,
): Promise<number | null> {
  return claimTask(db, row.id, row.claim, leaseTime(service), lease_ms);
}

/** Runs a claimed task; a failed try is put off, or given up after the last. */
export async function runTaken(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
  await carryOut(service, row, claim);
  service.told.ring();
}

async function carryOut(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
  const { storage } = service;
  const kind = kinds[row.kind];
  if (kind === undefined) {
    // Work of a newer program waits for one.
    await storage.run((db) => postponeTask(db, { id: row.id, claim, due_at: row.due_at + last_resort_ms }));
    return;
  }
  const task: Task = {
    row,
    now: row.due_at,
    finish: async (transaction) => {
      if (!(await finishTask(transaction, row.id, claim))) throw new ClaimLost();
    },
    renew: async () => {
      // The owner has no lease that could end.
      if (claimsBelieved(service) === undefined) return;
      const until = shifted(leaseTime(service), lease_ms);
      const isOurs = await storage.run((db) => renewClaim(db, { id: row.id, claim, until }));
      if (!isOurs) throw new ClaimLost();
    },
  };
  const tries = [kind.run, ...(row.attempts < backoff_ms.length ? [] : [kind.abandon])];
  let wait_ms = 0;
  for (const work of tries) {
    const fault = await faultOf(service, () => work(service, task));
    if (fault === null) return;
    wait_ms = waitAfter(fault, row.attempts);
  }
  const due_at = triedAt(service, row) + wait_ms;
  await storage.run((db) => postponeTask(db, { id: row.id, claim, due_at }));
}

/** Null once the work is done, by us or by another worker. Throws `StorageUnavailable`; hides all other faults. */
async function faultOf(
  service: ServiceContext,
  work: () => Promise<void>,
): Promise<{ cause: unknown } | null> {
  try {
    await work();
    return null;
  } catch (cause) {
    if (cause instanceof ClaimLost) return null;
    if (cause instanceof StorageUnavailable) throw cause;
    // What a provider failed at needs no trace of our own.
    service.onFault?.(cause instanceof ProviderFault ? cause.message : cause, null);
    return { cause };
  }
}

/** A provider that is busy says itself when to come again. */
function waitAfter({ cause }: { cause: unknown }, attempts: number): number {
  if (cause instanceof ProviderBusy) return cause.retry_after_seconds * 1000;
  return backoff_ms[attempts] ?? last_resort_ms;
}

/** A remote provider may have been called long after the task was due: its wait begins now. */
function triedAt(service: ServiceContext, row: TaskRow): number {
  return laneOf(service, row) === null ? row.due_at : Math.max(row.due_at, service.clock.now());
}
