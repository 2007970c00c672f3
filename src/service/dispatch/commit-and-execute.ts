/**
 * A request that dispatches a route inserts the task of the dispatch with a claim of this process, and executes it after
 * the commit with the records that it has: neither the task nor the records are read again. If this process ends in
 * between, another one takes the task over, as it does with each task that was claimed.
 */
import type { Delivery } from '../../contract/deliveries.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import type { CallBase } from '../http/handler.ts';
import { whileOwner } from '../runtime/processes.ts';
import { executeOnce, leaseCutoff } from '../tasks/task-leases.ts';
import { insertTaken, runNow, runTaken } from '../tasks/task-runner.ts';
import { dispatchTaskId, type IntentTask, keepIntent } from './intent.ts';

/** The records that a request has written. */
interface Written<T> {
  made: T;
  /** The task of its dispatch, which is inserted next; null if nothing is sent to a provider. */
  task: IntentTask | null;
}

export type WrittenDelivery = Written<DeliveryRow>;

/** Writes in the transaction of a request. */
type Work<T> = (context: TransitionContext) => Promise<Written<T>>;

interface Committed<T> extends Written<T> {
  /** The claim of the task; null if this process does not hold it. */
  claim: number | null;
}

/** After a commit that took longer, the lease of the claim may soon expire. */
const max_commit_ms = 500;

/**
 * Commits a request that writes an intent, and executes its dispatch, unless the provider is slow on purpose. If another
 * process is the owner of the background work, waits for at most a second until that has executed it.
 */
export async function commitAndExecute<T>(call: CallBase, work: Work<T>): Promise<Written<T>> {
  const { service, now } = call;
  const id = dispatchTaskId(call);
  const executed: Committed<T>[] = [];
  // The id of the task is registered before the commit: the loop of an owner takes over tasks whose ids are not.
  await whileOwner(service, () =>
    executeOnce(service, [{ id }], async () => {
      const committed = await commit(call, work, { takesTask: true });
      const { task, claim } = committed;
      executed.push(committed);
      if (task !== null && claim !== null) await runTaken(service, task.row, claim);
      return true;
    }),
  );
  const committed = executed[0] ?? (await commit(call, work, { takesTask: false }));
  if (committed.task !== null && committed.claim === null) await runNow(service, id, now);
  service.wakeup.notify();
  return committed;
}

/** The same for a request about one delivery: returns the resulting delivery. */
export async function executeAndView(call: CallBase, work: Work<DeliveryRow>): Promise<Delivery> {
  const viewpoint = viewpointOf(call);
  const { made, task } = await commitAndExecute(call, async (context) => {
    const written = await work(context);
    return { ...written, made: deliveryView(written.made, viewpoint) };
  });
  const row = task === null ? undefined : await call.service.storage.read((db) => loadDelivery(db, made.id));
  return row === undefined ? made : deliveryView(row, viewpoint);
}

async function commit<T>(
  call: CallBase,
  work: Work<T>,
  { takesTask }: { takesTask: boolean },
): Promise<Committed<T>> {
  const { service, now } = call;
  const { monotonic, providers } = service;
  const chance = await service.chance();
  // A transaction that is repeated after a conflict writes it again.
  const last: Omit<Committed<T>, 'made'> & { taken_at: number } = { task: null, claim: null, taken_at: 0 };
  // Read committed: all of these requests lock the route, delivery or order that they dispatch.
  const made = await call.commit(async (db) => {
    const written = await work({ db, chance, now, providers });
    const { task } = written;
    let claim: number | null = null;
    if (takesTask && task !== null && task.row.due_at <= now)
      claim = await insertTaken(db, service, task.row);
    else if (task !== null) await insertTasks(db, [task.row]);
    Object.assign(last, { task, claim, taken_at: monotonic.now() });
    return written.made;
  }, 'read committed');
  const { task, claim, taken_at } = last;
  if (task !== null) keepIntent(task);
  const isLate = leaseCutoff(service) !== undefined && monotonic.now() - taken_at > max_commit_ms;
  return { made, task, claim: isLate ? null : claim };
}
