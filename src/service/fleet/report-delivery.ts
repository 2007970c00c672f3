import type { reportDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { canMove, skippedStatuses } from '../../domain/delivery-states.ts';
import type { Report } from '../../providers/port.ts';
import { insertDeliveryNote } from '../../storage/delivery-notes.ts';
import { assignmentOfRoute } from '../../storage/driver-assignments.ts';
import { loadDriver } from '../../storage/drivers.ts';
import { lockDeliveryFor } from '../deliveries/delivery-handlers.ts';
import { deliveryRecord, deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import type { Handler } from '../http/handler.ts';
import { reportedDriver } from './offer-route.ts';
import { planReturns } from './plan-returns.ts';

/**
 * Takes a dispatcher's report for an own driver, as if the driver had tapped it. Statuses that must have been passed
 * are reported with it. The note is stored as an internal note of the delivery.
 */
export const reportForDriver: Handler<typeof reportDelivery> = async (call) => {
  const { service, caller, params, body, now } = call;
  const { status, note, failure_reason } = body;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    const refused = (why: string) =>
      new Problem('delivery_not_reportable', `Delivery ${row.id} ${why}.`, [], { related_ids: [row.id] });
    const assignment = await assignmentOfRoute(db, row.route_id);
    const driver =
      assignment?.state === 'accepted' && assignment.driver_id !== null
        ? await loadDriver(db, assignment.driver_id)
        : undefined;
    if (driver === undefined) throw refused('is not with a driver of your own');
    const steps = [...skippedStatuses(row.status, status), status];
    const context = { db, chance, now, providers: service.providers };
    const note_id = call.id('nte');
    const occurred_at = Math.max(now, deliveryRecord(row).reported_at);
    let current = row;
    for (const step of steps) {
      if (!canMove(current.status, step)) throw refused(`is ${row.status} and cannot become ${status}`);
      const isLast = step === status;
      const report: Report = {
        ...{ id: `${note_id} ${step}`, order_id: row.order_id, status: step, occurred_at },
        driver: reportedDriver(driver),
        ...(isLast && { reason: note }),
        ...(isLast && failure_reason !== undefined && { failure_reason }),
      };
      current = await receiveReport(context, current, report);
    }
    if (status === 'enroute_to_return') await planReturns(context, driver);
    await insertDeliveryNote(db, {
      ...{ id: note_id, ...caller.scope, delivery_id: row.id, note },
      ...{ tags: JSON.stringify(['report', status]), created_at: now },
    });
    return deliveryView(current, viewpointOf(call));
  });
};
