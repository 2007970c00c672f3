import { isEnded } from '../../domain/delivery-states.ts';
import type { Flag } from '../../storage/database.ts';
import { deliveriesOfRoute, lockDeliveriesOfRoutes } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/with-timeout.ts';
import { courierOf } from './cancel-delivery.ts';
import { settleBills } from './settle-bill.ts';

/**
 * Schedules the cancellation of what the provider may have accepted too late: a delivery that was canceled while the
 * provider was called, or failed without a response.
 */
export async function planOrphanCancel(
  { db, chance, now }: WriteContext,
  { route_id, test_mode, dispatch_id }: { route_id: string; test_mode: Flag; dispatch_id: string },
): Promise<void> {
  const id = newId(chance, 'tsk', now, 'recall', route_id, dispatch_id);
  const task = { id, test_mode, kind: 'dispatch.recall', subject: route_id, due_at: now, payload: '{}' };
  await insertTasks(db, [task]);
}

export const cancelOrphanedTask: TaskKind = { run: cancelOrphaned };

/** Cancels each ended delivery of the route at the provider. Rejects while the provider does not respond. */
async function cancelOrphaned(service: ServiceContext, task: Task): Promise<void> {
  const deliveries = await service.storage.run((db) => deliveriesOfRoute(db, task.row.subject));
  for (const row of deliveries.filter(({ status }) => isEnded(status))) {
    const asked = await courierOf({ service, now: task.now }, row);
    if (asked === null) continue;
    await task.renew();
    await withTimeout(service, asked.provider.cancel(asked.request), asked.provider);
  }
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    const all = await lockDeliveriesOfRoutes(db, [task.row.subject]);
    await task.finish(db);
    const context = { db, chance, now: task.now, providers: service.providers };
    await settleBills(
      context,
      all.filter(({ status }) => isEnded(status)),
    );
  }, 'read committed');
}
