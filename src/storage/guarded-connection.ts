import type { KyselyPlugin } from 'kysely';
import type { Connection } from './database.ts';

/** A connection whose use is watched, and can be ended. */
export interface GuardedConnection {
  db: Connection;
  /** How many statements were begun. */
  begun: () => number;
  /** Whether a statement has yet to end; one that failed never does. */
  isBusy: () => boolean;
  /** Every later statement throws this. */
  end: (fault: Error) => void;
}

/** Puts a guard before a connection: what is left of a transaction that was given up must not write any more. */
export function guardedConnection(connection: Connection): GuardedConnection {
  let begun = 0;
  let ended = 0;
  let over: Error | null = null;
  const guard: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (over !== null) throw over;
      begun += 1;
      return node;
    },
    transformResult: async ({ result }) => {
      ended += 1;
      return result;
    },
  };
  return {
    db: connection.withPlugin(guard),
    begun: () => begun,
    isBusy: () => begun > ended,
    end: (fault) => {
      over = fault;
    },
  };
}
