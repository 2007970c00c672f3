import type { Connection, TaskRow } from '../storage/database.ts';
import { StorageUnavailable } from '../storage/errors.ts';
import { sweep } from '../storage/idempotency.ts';
import { claimTask, finishTask, nextDue, postponeTask } from '../storage/tasks.ts';
import { abandonAsk, askProvider } from './asking.ts';
import { breathing } from './breathing.ts';
import type { ServiceContext } from './context.ts';
import { abandonDispatch, handOver } from './handover.ts';
import { abandonReport, takeReport } from './reports.ts';

/** Background work in hand: what it is about, when it was due, and the fence its result must pass. */
export interface Task {
  row: TaskRow;
  /** The task's own due time, which it sees as now. */
  now: number;
  /** Ends the task in the transaction of its result. Throws `ClaimLost`, so that nothing is written then. */
  finish: (transaction: Connection) => Promise<void>;
}

/** Another worker has taken the task over; its result counts, ours does not. */
export class ClaimLost extends Error {}

interface TaskKind {
  run: (service: ServiceContext, task: Task) => Promise<void>;
  /** What is true once every try has failed. */
  abandon: (service: ServiceContext, task: Task) => Promise<void>;
}

const kinds: Record<string, TaskKind> = {
  'quote.ask': { run: askProvider, abandon: abandonAsk },
  'dispatch.ask': { run: handOver, abandon: abandonDispatch },
  'report.take': { run: takeReport, abandon: abandonReport },
};

const lease_ms = 10_000;
/** Waits after a failed try, in service time; four tries in all (interface, dispatch). */
const backoff_ms = [1_000, 4_000, 16_000];
/** When even giving up has failed, which is a fault of the service, other work must not wait for it. */
const last_resort_ms = 60_000;

/** Does what is due, one by one in order of due time, until nothing is or the service stops. Tells how much was done. */
export async function runDueTasks(service: ServiceContext): Promise<number> {
  const { storage, clock, wall, turns } = service;
  const breathe = breathing(service);
  let done = 0;
  while (!turns.isInterrupted()) {
    const row = await storage.run((db) => nextDue(db, clock.now(), wall.now()));
    if (row === undefined) break;
    await runTask(service, row);
    done++;
    await breathe();
  }
  if (done > 0) await tidy(service);
  return done;
}

/** Idempotency keys live for a day: where there is work, there is a moment to clear the old ones away. */
export async function tidy({ storage, wall }: ServiceContext): Promise<void> {
  await storage.run((db) => sweep(db, wall.now()));
}

/** Runs one task if nobody else does. */
export async function runTask(service: ServiceContext, row: TaskRow): Promise<void> {
  const claim = await service.storage.run((db) => takeTask(db, service, row));
  if (claim !== null) await runTaken(service, row, claim);
}

/** Claims a task for this worker; null where another was faster. */
export async function takeTask(
  db: Connection,
  { wall }: ServiceContext,
  row: TaskRow,
): Promise<number | null> {
  return claimTask(db, row.id, row.claim, wall.now(), lease_ms);
}

/** Runs a claimed task; a failed try is put off, or given up after the last. */
export async function runTaken(service: ServiceContext, row: TaskRow, claim: number): Promise<void> {
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
  };
  const tries = [kind.run, ...(row.attempts < backoff_ms.length ? [] : [kind.abandon])];
  for (const work of tries) if (await succeeds(service, () => work(service, task))) return;
  const due_at = row.due_at + (backoff_ms[row.attempts] ?? last_resort_ms);
  await storage.run((db) => postponeTask(db, { id: row.id, claim, due_at }));
}

/** Whether the work is done, by us or by another worker. Throws `StorageUnavailable`; hides all other faults. */
async function succeeds(service: ServiceContext, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (fault) {
    if (fault instanceof ClaimLost) return true;
    if (fault instanceof StorageUnavailable) throw fault;
    service.onFault?.(fault, null);
    return false;
  }
}
