import type { KyselyPlugin } from 'kysely';
import type { Connection } from './database.ts';

/** A connection whose use is tracked and can be stopped. */
export interface GuardedConnection {
  db: Connection;
  /** The number of statements started. */
  startedStatements: () => number;
  /** Whether the last statement has no result yet. */
  isBusy: () => boolean;
  /** Makes every later statement throw this error. */
  end: (fault: Error) => void;
}

/** Wraps a connection, so that the rest of an abandoned transaction cannot write anymore. */
export function guardedConnection(connection: Connection): GuardedConnection {
  let started = 0;
  /** The last statement; null once it has its result. A part of a union counts as one before it, which never ends. */
  let running: object | null = null;
  let over: Error | null = null;
  const guard: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (over !== null) throw over;
      started += 1;
      running = queryId;
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      if (running === queryId) running = null;
      return result;
    },
  };
  return {
    db: connection.withPlugin(guard),
    startedStatements: () => started,
    isBusy: () => running !== null,
    end: (fault) => {
      over = fault;
    },
  };
}
