import type { Generated, Selectable } from 'kysely';
import type { Flag, Scope } from './scope.ts';

export interface TaskTable {
  id: string;
  /** The mode of the task's record: the task is due by the clock of that mode. */
  test_mode: Flag;
  kind: string;
  /** The id of the record that the task is about. */
  subject: string;
  due_at: number;
  /** Assigned by the engine in insertion order; orders equal due times. */
  sequence: Generated<number>;
  /** JSON. */
  payload: string;
  /** The fencing token: incremented by every claim. */
  claim: Generated<number>;
  /** Lease time: see `LeaseTime`. */
  claimed_until: Generated<number | null>;
  /** The number of failed attempts; an attempt cut off by a crash does not count. */
  attempts: Generated<number>;
}

export type TaskRow = Selectable<TaskTable>;

/** A task that was given up. */
export interface FailedTaskTable extends Scope {
  /** Assigned by the engine in insertion order. */
  sequence: Generated<number>;
  id: string;
  task_id: string;
  kind: string;
  subject: string;
  /** JSON. */
  payload: string;
  due_at: number;
  /** The number of attempts. */
  attempts: number;
  /** The error of the last attempt. */
  error: string;
  /** 1 if the record reached its outcome anyway, so that there is nothing left to do. */
  is_concluded: Flag;
  failed_at: number;
}

export type FailedTaskRow = Selectable<FailedTaskTable>;
