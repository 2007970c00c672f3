/**
 * Commits requests that write the intent of a dispatch (`write-intent.ts`), and executes it after the commit. The process
 * that owns the background work claims the task of the dispatch in the transaction of the request, and executes it itself;
 * any other one waits until the owner has executed it, for at most a second.
 */
import type { Delivery } from '../../contract/deliveries.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { createViewpoint, deliveryView } from '../deliveries/delivery-view.ts';
import type { CallBase } from '../http/handler.ts';
import { whileOwner } from '../runtime/processes.ts';
import { executeOnce, leaseCutoff } from '../tasks/task-leases.ts';
import { insertTaken, runNow, runTaken } from '../tasks/task-runner.ts';
import { dispatchTaskId, type IntentTask, keepIntent } from './load-intent.ts';

/** What the transaction of a request has written. */
interface WrittenRequest<T> {
  result: T;
  /** The task of its dispatch, which is inserted next; null if nothing is sent to a provider. */
  task: IntentTask | null;
}

export type WrittenDelivery = WrittenRequest<DeliveryRow>;

type WriteRequest<T> = (context: TransitionContext) => Promise<WrittenRequest<T>>;

interface CommittedRequest<T> extends WrittenRequest<T> {
  /** The claim of the task; null if this process does not hold it. */
  claim: number | null;
}

/** After a commit that took longer, the lease of the claim may soon expire. */
const max_commit_ms = 500;

/** Commits a request that writes an intent, and has its dispatch executed, unless the provider is slow on purpose. */
export async function commitAndExecute<T>(
  call: CallBase,
  write: WriteRequest<T>,
): Promise<WrittenRequest<T>> {
  const { service, now } = call;
  const id = dispatchTaskId(call);
  // Stays empty in a process that does not own the background work.
  const executed: CommittedRequest<T>[] = [];
  // The id of the task is registered before the commit: the loop of an owner takes over tasks whose ids are not.
  await whileOwner(service, () =>
    executeOnce(service, [{ id }], async () => {
      const committed = await commit(call, write, { takesTask: true });
      const { task, claim } = committed;
      executed.push(committed);
      if (task !== null && claim !== null) await runTaken(service, task.row, claim);
      return true;
    }),
  );
  const committed = executed[0] ?? (await commit(call, write, { takesTask: false }));
  if (committed.task !== null && committed.claim === null) await runNow(service, id, now);
  service.wakeup.notify();
  return committed;
}

/** Commits and executes a request about one delivery, and returns the delivery as it is then. */
export async function executeAndView(call: CallBase, write: WriteRequest<DeliveryRow>): Promise<Delivery> {
  const viewpoint = createViewpoint(call);
  const { result, task } = await commitAndExecute(call, async (context) => {
    const written = await write(context);
    return { ...written, result: deliveryView(written.result, viewpoint) };
  });
  const row =
    task === null ? undefined : await call.service.storage.read((db) => loadDelivery(db, result.id));
  return row === undefined ? result : deliveryView(row, viewpoint);
}

async function commit<T>(
  call: CallBase,
  write: WriteRequest<T>,
  { takesTask }: { takesTask: boolean },
): Promise<CommittedRequest<T>> {
  const { service, now } = call;
  const { monotonic, providers } = service;
  const chance = await service.chance();
  type Written = Omit<CommittedRequest<T>, 'result'> & { taken_at: number };
  // A transaction that is repeated after a conflict writes it again.
  const last: Written = { task: null, claim: null, taken_at: 0 };
  // Read committed: all of these requests lock the route, delivery or order that they dispatch.
  const result = await call.commit(async (db) => {
    const written = await write({ db, chance, now, providers });
    const { task } = written;
    let claim: number | null = null;
    if (takesTask && task !== null && task.row.due_at <= now)
      claim = await insertTaken(db, service, task.row);
    else if (task !== null) await insertTasks(db, [task.row]);
    Object.assign(last, { task, claim, taken_at: monotonic.now() });
    return written.result;
  }, 'read committed');
  const { task, claim, taken_at } = last;
  if (task !== null) keepIntent(task);
  const isLate = leaseCutoff(service) !== undefined && monotonic.now() - taken_at > max_commit_ms;
  return { result, task, claim: isLate ? null : claim };
}
