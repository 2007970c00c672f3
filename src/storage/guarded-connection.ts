import type { KyselyPlugin } from 'kysely';
import type { Connection } from './database.ts';

/** A connection whose use is tracked and can be stopped. */
export interface GuardedConnection {
  db: Connection;
  /** The number of statements started. */
  startedStatements: () => number;
  /** Whether a statement is running; a failed statement is not. */
  isBusy: () => boolean;
  /** Makes every later statement throw this error. */
  end: (fault: Error) => void;
}

/** Wraps a connection, so that the rest of an abandoned transaction cannot write anymore. */
export function guardedConnection(connection: Connection): GuardedConnection {
  let started = 0;
  let ended = 0;
  let over: Error | null = null;
  const guard: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (over !== null) throw over;
      started += 1;
      return node;
    },
    transformResult: async ({ result }) => {
      ended += 1;
      return result;
    },
  };
  return {
    db: connection.withPlugin(guard),
    startedStatements: () => started,
    isBusy: () => started > ended,
    end: (fault) => {
      over = fault;
    },
  };
}
