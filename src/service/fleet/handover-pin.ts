import { isPinLocked, max_wrong_pins } from '../../domain/order-rules.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { updateDelivery } from '../../storage/deliveries.ts';
import { saveDelivery, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { RecordChange } from '../runtime/audit-trail.ts';

/** The context of a tap, which records what the driver changes. */
export interface TapContext extends TransitionContext {
  recordChange: RecordChange;
}

export const wrongPin = 'The PIN is wrong. Ask the recipient again.';
const locked = `Locked after ${max_wrong_pins} wrong PINs, until your shop lifts it.`;

/**
 * Why a handover with this PIN is refused; null if it is not. A wrong PIN is counted in the same transaction, so that
 * no more are tried at the same time. The one that locks the handover is published.
 */
export async function refusalOfPin(
  context: TapContext,
  row: DeliveryRow,
  given: string | undefined,
): Promise<string | null> {
  const { db, now } = context;
  const record = deliveryRecord(row);
  const { pin, wrong_pins = 0 } = record;
  if (pin === undefined) return null;
  if (isPinLocked(record)) return locked;
  if (given === pin) return null;
  const counted = { ...record, wrong_pins: wrong_pins + 1 };
  if (isPinLocked(counted)) {
    await saveDelivery(context, row, counted);
    await context.recordChange(db, { scope: row, record_id: row.id, detail: 'pin_locked' });
    return locked;
  }
  const change = { record: JSON.stringify(counted) };
  await updateDelivery(db, { id: row.id, from: row.status, change, now: Math.max(now, row.updated_at) });
  const left = max_wrong_pins - counted.wrong_pins;
  return `${wrongPin} ${left === 1 ? '1 try is' : `${left} tries are`} left.`;
}

/** Whether a PIN that could not be checked at the door is wrong. A locked handover stays locked. */
export function isUnverified(row: DeliveryRow, given: string | undefined): boolean {
  const record = deliveryRecord(row);
  return record.pin !== undefined && given !== record.pin && !isPinLocked(record);
}
