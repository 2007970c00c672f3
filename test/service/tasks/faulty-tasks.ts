import type { KyselyPlugin, OperationNode } from 'kysely';
import { taskHandlers } from '../../../src/service/handlers.ts';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import type { Connection } from '../../../src/storage/database.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import type { NewTask } from '../../../src/storage/tasks.ts';

export const taskKindNames: readonly string[] = Object.keys(taskHandlers);

/** How a background task fails. */
export type FailureKind = 'error' | 'constraint' | 'hang';
export const failureKinds: readonly FailureKind[] = ['error', 'constraint', 'hang'];

/** The id of a planted task. */
const plantedId = (kind: string, manner: FailureKind) => `planted ${manner} ${kind}`;

const planted = /planted (error|constraint|hang) [a-z.]+/;

/** One task of every kind for each way of failing, for a delivery of the test account. */
export function plantedTasks(subject: string, due_at: number): NewTask[] {
  const asks = { provider: 'swiftly', job_id: 'job_none', dispatch_id: 'dsp_none' };
  const report = { order_id: 'ord_none', status: null, occurred_at: due_at };
  return taskKindNames.flatMap((kind) =>
    failureKinds.map((manner) => {
      const id = plantedId(kind, manner);
      const payload = JSON.stringify({ ...asks, ...report, id });
      return { id, account_id: 'acct_none', test_mode: 1, kind, subject, due_at, payload };
    }),
  );
}

/** How a statement of a transaction fails, if it does. */
export type Fault = (statement: OperationNode) => FailureKind | undefined;

/**
 * A storage with failing statements in transactions: one throws, one is followed by a constraint violation, one by an
 * endless wait. The default is the statement by which a planted task is completed. `heal` ends the failures.
 */
export function faultyStorage(
  storage: Storage,
  faultOf: Fault = faultOfTask,
): { storage: Storage; heal: () => void } {
  let isHealed = false;
  const faulty = (db: Connection): Connection => {
    const pending = new WeakMap<object, string>();
    const plugin: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        const manner = isHealed ? undefined : faultOf(node);
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
    // Behind the service's guard of a transaction: the handler hangs, not the database.
    const withPlugin = (guard: KyselyPlugin) => db.withPlugin(guard).withPlugin(plugin);
    return new Proxy(db, {
      get: (target, name) => {
        if (name === 'withPlugin') return withPlugin;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  return {
    storage: { ...storage, transaction: (work) => storage.transaction((db) => work(faulty(db))) },
    heal: () => {
      isHealed = true;
    },
  };
}

/** The fault of the statement that completes a planted task. */
function faultOfTask(node: OperationNode): FailureKind | undefined {
  if (node.kind !== 'DeleteQueryNode') return undefined;
  const found = planted.exec(JSON.stringify(node))?.[1];
  return failureKinds.find((manner) => manner === found);
}

async function violate(db: Connection): Promise<void> {
  const row = { key: 'planted', value: '' };
  await db.insertInto('settings').values([row, row]).execute();
}

/** Timers with a short limit for hanging transactions; all other times are real. */
export const shortTimers: Timers = {
  ...realTimers,
  after: (ms, wake) => realTimers.after(ms === 5_000 ? 40 : ms, wake),
};
