import { Problem } from '../../contract/errors.ts';
import type { updateTracking } from '../../contract/tracking.ts';
import { deliveryByToken } from '../../storage/deliveries.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { agreeChanges, editRow } from '../dispatch/edit-delivery.ts';
import type { Handler } from '../http/handler.ts';
import { runDueTasks } from '../tasks/run-due-tasks.ts';

/** Changes the notes of the recipient by the clock of the delivery's mode. The error does not repeat the token. */
export const editNotes: Handler<typeof updateTracking> = async ({ service, params, body }) => {
  const found = await service.storage.first(deliveryByToken, params.token);
  if (found === undefined) throw notFound();
  const owner = service.inMode(found.test_mode);
  await runDueTasks(owner);
  const chance = await owner.chance();
  const { dropoff_notes: notes } = body;
  await agreeChanges({ service: owner, now: owner.clock.now() }, found, { pickup: {}, dropoff: { notes } });
  return owner.storage.transaction(async (db) => {
    const row = await deliveryByToken.query(db, params.token).executeTakeFirst();
    if (row === undefined) throw notFound();
    const context = { db, chance, now: owner.clock.now(), providers: owner.providers };
    const saved = await editRow(context, row, { pickup: {}, dropoff: { notes } });
    return { object: 'tracking' as const, dropoff_notes: deliveryRecord(saved).dropoff.notes };
  });
};

function notFound(): Problem {
  return new Problem('record_not_found', "This tracking link isn't valid.");
}
