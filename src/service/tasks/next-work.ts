/** Decides which of the first due tasks run next: several in one transaction, several calls side by side, or one. */
import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';
import { providerOfTask } from './lanes.ts';

type PlanContext = Pick<ServiceContext, 'providers' | 'running_tasks' | 'quarantine'>;

/** What to execute next. */
export interface Work {
  /** `group`: in one transaction. `calls`: side by side. */
  kind: 'group' | 'calls' | 'one';
  tasks: readonly TaskRow[];
}

export interface WorkPlan {
  /** The work with which the first due tasks begin; null without a task. A group has at most `group_size` tasks. */
  nextWork: (rows: readonly TaskRow[], group_size?: number) => Work | null;
  /** To be called when a task of a group has failed: as many tasks as the group may have had run on their own. */
  leaveGroups: (count?: number) => void;
}

/** The first tasks of a list that can run together. */
type Selection = (service: PlanContext, rows: readonly TaskRow[]) => TaskRow[];

/**
 * A plan that runs the tasks of all accounts in order of due time: together where it can, and one by one after a group
 * of them has failed.
 */
export function createWorkPlan(service: PlanContext, selectCalls: Selection): WorkPlan {
  return planOf(service, { selectCalls, queuesOf: (rows) => [rows] });
}

/** A plan that does the work of accounts in turn: for each of them in order of due time. */
export function createFairPlan(service: PlanContext): WorkPlan {
  const turns = createTurns();
  return planOf(service, {
    selectCalls: (_, rows) => callsOf(rows),
    queuesOf: (rows) => turns.inTurn(rows, accountOf).map(([, queue]) => queue),
    take: (tasks) => turns.take(tasks.map(accountOf)),
  });
}

interface PlanParts {
  selectCalls: Selection;
  /** The tasks divided into lists, the first of which decides. */
  queuesOf: (rows: readonly TaskRow[]) => (readonly TaskRow[])[];
  /** Called with the tasks that run. */
  take?: (tasks: readonly TaskRow[]) => void;
}

/** The maximum number of tasks in a group. */
export const max_group_size = 100;

/** The maximum number of calls that `callsOf` returns. */
export const max_concurrent_calls = 32;

function planOf(service: PlanContext, { selectCalls, queuesOf, take }: PlanParts): WorkPlan {
  /** The number of tasks to run on their own. */
  let singles = 0;
  const workOf = (rows: readonly TaskRow[], group_size: number): Work | null => {
    const queues = queuesOf(rows);
    const first = queues[0]?.[0];
    if (first === undefined) return null;
    const group = singles > 0 ? [] : joined(service, queues, groupOf, group_size);
    if (group.length > 1) return { kind: 'group', tasks: group };
    singles = Math.max(0, singles - 1);
    const calls = joined(service, queues, selectCalls, max_concurrent_calls);
    return calls.length > 1 ? { kind: 'calls', tasks: calls } : { kind: 'one', tasks: [first] };
  };
  return {
    nextWork: (rows, group_size = max_group_size) => {
      const work = workOf(rows, group_size);
      if (work !== null) take?.(work.tasks);
      return work;
    },
    leaveGroups: (count = max_group_size) => {
      singles = count;
    },
  };
}

/** What is selected of each list, in equal parts; empty if nothing is selected of the first. */
function joined(
  service: PlanContext,
  queues: readonly (readonly TaskRow[])[],
  select: Selection,
  max_size: number,
): TaskRow[] {
  const parts = queues.map((queue) => select(service, queue));
  if (parts[0]?.length === 0) return [];
  const share = Math.ceil(max_size / parts.filter((part) => part.length > 0).length);
  return parts.flatMap((part) => part.slice(0, share)).slice(0, max_size);
}

/** The tasks of a list that can run together: of each account the first ones. */
export function groupInTurn(service: PlanContext, rows: readonly TaskRow[]): TaskRow[] {
  return [...Map.groupBy(rows, accountOf).values()].flatMap((queue) => groupOf(service, queue));
}

const accountOf = ({ account_id }: TaskRow) => account_id;

/** Whose tasks come next: the name that has waited longest for its turn is the first. */
interface Turns {
  /** The tasks by name, the one first that has waited longest for its turn. */
  inTurn: (rows: readonly TaskRow[], nameOf: (row: TaskRow) => string) => [name: string, TaskRow[]][];
  /** Ends the turn of some names. */
  take: (names: readonly string[]) => void;
}

export function createTurns(): Turns {
  const taken = new Map<string, number>();
  let now = 0;
  return {
    inTurn: (rows, nameOf) =>
      [...Map.groupBy(rows, nameOf)].sort(
        ([one], [other]) => (taken.get(one) ?? 0) - (taken.get(other) ?? 0),
      ),
    take: (names) => {
      now += 1;
      for (const name of names) taken.set(name, now);
    },
  };
}

/**
 * The first tasks of a list that can run together: each is about another record, except tasks of a kind that allows
 * several for one record.
 */
export function groupOf(service: PlanContext, rows: readonly TaskRow[]): TaskRow[] {
  /** The kind of the last task about each record, by the record's id. */
  const subjects = new Map<string, string>();
  const end = rows.findIndex((row) => {
    const other = subjects.get(row.subject);
    const isShared = other === row.kind && readTaskTraits(row.kind)?.shares_subject === true;
    subjects.set(row.subject, row.kind);
    return !isGroupable(service, row) || (other !== undefined && !isShared);
  });
  return rows.slice(0, end < 0 ? max_group_size : Math.min(end, max_group_size));
}

function isGroupable(service: PlanContext, row: TaskRow): boolean {
  const traits = readTaskTraits(row.kind);
  if (traits === undefined || traits.acts_outside === true || traits.is_serializable === true) return false;
  // A task with a lane waits for something outside of the database, which a transaction must not.
  if (traits.lane !== undefined || row.lane !== '' || !isNew(service, row)) return false;
  return traits.calls_provider !== true || callsAtOnce(service, row);
}

/** A task that failed before, or that a worker has claimed, runs on its own. */
function isNew({ running_tasks, quarantine }: PlanContext, row: TaskRow): boolean {
  const isSkipped = running_tasks.has(row.id) || quarantine.has(row.id);
  return row.attempts === 0 && row.claimed_until === null && !isSkipped;
}

/** Whether a task calls a simulated courier, which answers at once. */
function callsAtOnce({ providers }: PlanContext, row: TaskRow): boolean {
  if (readTaskTraits(row.kind)?.calls_provider !== true) return false;
  const provider = providerOfTask(row);
  return providers.some(({ name, quotes_at_once }) => name === provider && quotes_at_once);
}

/**
 * The first tasks of a list, if they act outside of the database and are due at the same time. They can run side by
 * side: they are claimed together, and the answers that arrive at the same time are written together.
 */
function callsOf(rows: readonly TaskRow[]): TaskRow[] {
  const subjects = new Set<string>();
  const end = rows.findIndex((row) => {
    const isKnown = subjects.has(row.subject);
    subjects.add(row.subject);
    const isCall = readTaskTraits(row.kind)?.acts_outside === true && row.attempts === 0;
    return !isCall || row.due_at !== rows[0]?.due_at || isKnown;
  });
  return rows.slice(0, end < 0 ? max_concurrent_calls : Math.min(end, max_concurrent_calls));
}

/** The first of `callsOf` that call simulated couriers. */
export function simulatedCallsOf(service: PlanContext, rows: readonly TaskRow[]): TaskRow[] {
  const calls = callsOf(rows);
  const end = calls.findIndex((row) => !isNew(service, row) || !callsAtOnce(service, row));
  return calls.slice(0, end < 0 ? calls.length : end);
}
