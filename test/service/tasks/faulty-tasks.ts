import type { KyselyPlugin, OperationNode } from 'kysely';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import type { Connection } from '../../../src/storage/database.ts';
import type { Storage } from '../../../src/storage/storage.ts';

/** How a piece of background work fails. */
export type Manner = 'error' | 'constraint' | 'hang';
export const manners: readonly Manner[] = ['error', 'constraint', 'hang'];

/** The id of a task that is planted to fail in a manner. */
export const plantedId = (kind: string, manner: Manner) => `planted ${manner} ${kind}`;

const planted = /planted (error|constraint|hang) [a-z.]+/;

/**
 * A storage on which the handler of a planted task fails where it writes its result: the statement that ends the task
 * throws, is followed by one that violates a constraint, or by a wait without an end. `heal` ends that.
 */
export function faultyStorage(storage: Storage): { storage: Storage; heal: () => void } {
  let isHealed = false;
  const faulty = (db: Connection): Connection => {
    const pending = new WeakMap<object, string>();
    const plugin: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        const manner = isHealed ? undefined : mannerOf(node);
        if (manner === 'error') throw new Error('planted error');
        if (manner !== undefined) pending.set(queryId, manner);
        return node;
      },
      transformResult: async ({ result, queryId }) => {
        const manner = pending.get(queryId);
        if (manner === 'hang') await new Promise(() => {});
        if (manner === 'constraint') await violate(db);
        return result;
      },
    };
    // Behind the guard that the service puts before a transaction: what hangs there is the handler, not the database.
    const withPlugin = (guard: KyselyPlugin) => db.withPlugin(guard).withPlugin(plugin);
    return Object.assign(Object.create(db), { withPlugin });
  };
  return {
    storage: { ...storage, transaction: (work) => storage.transaction((db) => work(faulty(db))) },
    heal: () => {
      isHealed = true;
    },
  };
}

function mannerOf(node: OperationNode): string | undefined {
  if (node.kind !== 'DeleteQueryNode') return undefined;
  return planted.exec(JSON.stringify(node))?.[1];
}

async function violate(db: Connection): Promise<void> {
  const row = { key: 'planted', value: '' };
  await db.insertInto('settings').values([row, row]).execute();
}

/** Timers whose limit to a transaction that hangs is over soon; all other times are real. */
export const impatientTimers: Timers = {
  ...realTimers,
  after: (ms, wake) => realTimers.after(ms === 5_000 ? 40 : ms, wake),
};
