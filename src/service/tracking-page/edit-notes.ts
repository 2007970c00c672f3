import { Problem } from '../../contract/errors.ts';
import type { updateTracking } from '../../contract/pages.ts';
import type { Scope } from '../../storage/database.ts';
import { deliveryByToken, lockDelivery } from '../../storage/deliveries.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { agreeChanges, editRow } from '../dispatch/edit-delivery.ts';
import type { Handler } from '../http/handler.ts';
import { createAuditTrail } from '../runtime/audit-trail.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { runDueTasks } from '../tasks/run-due-tasks.ts';
import { linkedDelivery } from './linked-delivery.ts';

/** Whose a tracking link is. The error does not repeat the token, which grants access. */
export async function ownerOfTrackingLink({ storage }: ServiceContext, token: string): Promise<Scope> {
  const linked = await storage.first(deliveryByToken, token);
  if (linked === undefined) throw notFound();
  return linked;
}

/** Changes the notes of the recipient by the clock of the delivery's mode. */
export const editNotes: Handler<typeof updateTracking> = async ({
  service,
  params,
  body,
  client_address,
}) => {
  const found = await service.storage.read((db) => linkedDelivery(db, params.token));
  if (found === null) throw notFound();
  const owner = service.inMode(found.row.test_mode);
  await runDueTasks(owner);
  const chance = await owner.chance();
  const { dropoff_notes: notes } = body;
  const changes = { pickup: {}, dropoff: { notes } };
  await agreeChanges({ service: owner, now: owner.clock.now() }, found.row, changes);
  const author = { actor: 'recipient', operation: 'UpdateTracking', address: client_address } as const;
  const recordChange = createAuditTrail(service.wall, author);
  return owner.storage.transaction(async (db) => {
    const linked = await linkedDelivery(db, params.token);
    const row = linked === null ? undefined : await lockDelivery(db, linked.row.id);
    if (row === undefined) throw notFound();
    const context = { db, chance, now: owner.clock.now(), providers: owner.providers };
    const saved = await editRow(context, row, changes);
    await recordChange(db, { scope: saved, record_id: saved.id });
    return { object: 'tracking' as const, dropoff_notes: deliveryRecord(saved).dropoff.notes };
  }, 'read committed');
};

function notFound(): Problem {
  return new Problem('record_not_found', "This tracking link isn't valid.");
}
