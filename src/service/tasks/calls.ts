import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';
import { createTurns } from './next-work.ts';
import { runTask } from './task-runner.ts';

// Tasks with a lane run side by side, beside all other tasks, so that what is slow outside of the service does not delay
// them. Calls that never answer fill the lanes of one account and leave room for those of others.

/** Running calls, and the results of completed ones. */
export interface Calls {
  /**
   * Starts as many of these tasks as there is room for, those of accounts in turn. The others are started when a call
   * returns, unless others are given before.
   */
  start: (rows: readonly TaskRow[]) => void;
  isEmpty: () => boolean;
  /** Starts no more; resolves when all calls have returned. */
  drain: () => Promise<void>;
  hasFailed: () => boolean;
  /** The number of executed tasks. Throws the error of a failed one. */
  done: () => number;
}

export function createCalls(service: ServiceContext, mayGoOn: () => boolean): Calls {
  const { call_shares, wakeup } = service;
  const turns = createTurns();
  const running = new Set<Promise<void>>();
  const faults: unknown[] = [];
  let waiting: readonly TaskRow[] = [];
  let isDraining = false;
  let done = 0;
  const shareOf = ({ kind }: TaskRow) => call_shares(readTaskTraits(kind)?.lane ?? 'couriers');
  const send = async (row: TaskRow) => {
    try {
      if (await runTask(service, row)) done++;
    } catch (fault) {
      faults.push(fault);
    }
  };
  const begin = (row: TaskRow) => {
    const call = send(row).finally(() => {
      running.delete(call);
      shareOf(row).release(row);
      // At once: the other tasks may take a while.
      fill();
      wakeup.notify();
    });
    running.add(call);
  };
  /** Starts one call of each account and lane that has room; false if none has. */
  const startRound = (): boolean => {
    const rows = turns.inTurn(waiting, nameOf).flatMap(([, queue]) => queue.slice(0, 1));
    const started = rows.filter((row) => shareOf(row).take(row));
    waiting = waiting.filter((row) => !started.includes(row));
    turns.take(started.map(nameOf));
    for (const row of started) begin(row);
    return started.length > 0;
  };
  const fill = () => {
    const isOpen = () => !isDraining && faults.length === 0 && mayGoOn();
    while (isOpen() && startRound());
  };
  return {
    start: (rows) => {
      waiting = rows;
      fill();
    },
    isEmpty: () => running.size === 0,
    drain: async () => {
      isDraining = true;
      await Promise.all(running);
    },
    hasFailed: () => faults.length > 0,
    done: () => {
      if (faults.length > 0) throw faults[0];
      return done;
    },
  };
}

function nameOf({ account_id, test_mode, lane, kind }: TaskRow): string {
  return [account_id, test_mode, lane, kind].join(' ');
}
