/** Decides which of the first due tasks run next: several in one transaction, several calls side by side, or one. */
import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { providerNamed } from './backlog.ts';

/** What to execute next. */
export interface Work {
  /** `group`: in one transaction. `calls`: side by side. */
  kind: 'group' | 'calls' | 'one';
  tasks: readonly TaskRow[];
}

export interface WorkPlan {
  /** The work with which the first due tasks begin; null without a task. */
  nextWork: (rows: readonly TaskRow[]) => Work | null;
  /** To be called when a task of a group has failed: as many tasks as the group may have had run on their own. */
  leaveGroups: (count?: number) => void;
}

/** A plan that runs tasks together where it can, and one by one after a group of them has failed. */
export function createWorkPlan(service: ServiceContext, selectCalls = callsOf): WorkPlan {
  /** The number of tasks to run on their own. */
  let singles = 0;
  return {
    nextWork: (rows) => {
      const [first] = rows;
      if (first === undefined) return null;
      const group = singles > 0 ? [] : groupOf(service, rows);
      if (group.length > 1) return { kind: 'group', tasks: group };
      singles = Math.max(0, singles - 1);
      const calls = selectCalls(service, rows);
      return calls.length > 1 ? { kind: 'calls', tasks: calls } : { kind: 'one', tasks: [first] };
    },
    leaveGroups: (count = max_group_size) => {
      singles = count;
    },
  };
}

/** The maximum number of tasks in a group. */
export const max_group_size = 100;

/**
 * The first tasks of a list that can run together: each is about another record, except tasks of a kind that allows
 * several for one record.
 */
export function groupOf(service: ServiceContext, rows: readonly TaskRow[]): TaskRow[] {
  /** The kind of the last task about each record, by the record's id. */
  const subjects = new Map<string, string>();
  const end = rows.findIndex((row) => {
    const other = subjects.get(row.subject);
    const isShared = other === row.kind && service.task_kinds[row.kind]?.shares_subject === true;
    subjects.set(row.subject, row.kind);
    return !isGroupable(service, row) || (other !== undefined && !isShared);
  });
  return rows.slice(0, end < 0 ? max_group_size : Math.min(end, max_group_size));
}

function isGroupable(service: ServiceContext, row: TaskRow): boolean {
  const kind = service.task_kinds[row.kind];
  if (kind === undefined || kind.acts_outside === true || kind.is_serializable === true) return false;
  // A task with a lane waits for something outside of the database, which a transaction must not.
  if (kind.lane !== undefined || !isNew(service, row)) return false;
  return kind.calls_provider !== true || callsAtOnce(service, row);
}

/** A task that failed before, or that a worker has claimed, runs on its own. */
function isNew({ running_tasks, quarantine }: ServiceContext, row: TaskRow): boolean {
  const isSkipped = running_tasks.has(row.id) || quarantine.has(row.id);
  return row.attempts === 0 && row.claimed_until === null && !isSkipped;
}

/** Whether a task calls a simulated courier, which answers at once. */
function callsAtOnce({ task_kinds, providers }: ServiceContext, row: TaskRow): boolean {
  if (task_kinds[row.kind]?.calls_provider !== true) return false;
  const provider = providerNamed(row);
  return providers.some(({ name, quotes_at_once }) => name === provider && quotes_at_once);
}

/** The maximum number of calls that `callsOf` returns. */
export const max_concurrent_calls = 32;

/**
 * The first tasks of a list, if they act outside of the database and are due at the same time. They can run side by
 * side: they are claimed together, and the answers that arrive at the same time are written together.
 */
export function callsOf(service: ServiceContext, rows: readonly TaskRow[]): TaskRow[] {
  const subjects = new Set<string>();
  const end = rows.findIndex((row) => {
    const isKnown = subjects.has(row.subject);
    subjects.add(row.subject);
    const isCall = service.task_kinds[row.kind]?.acts_outside === true && row.attempts === 0;
    return !isCall || row.due_at !== rows[0]?.due_at || isKnown;
  });
  return rows.slice(0, end < 0 ? max_concurrent_calls : Math.min(end, max_concurrent_calls));
}

/** The first of `callsOf` that call simulated couriers. */
export function simulatedCallsOf(service: ServiceContext, rows: readonly TaskRow[]): TaskRow[] {
  const calls = callsOf(service, rows);
  const end = calls.findIndex((row) => !isNew(service, row) || !callsAtOnce(service, row));
  return calls.slice(0, end < 0 ? calls.length : end);
}
