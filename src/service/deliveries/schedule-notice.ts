import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { deliveriesOfOrder } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { type NoticeKind, settingsOf } from '../runtime/account-settings.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { deliveryRecord } from './delivery-view.ts';

/** A courier that refuses a dispatch does so within this time: the recipient does not know of the dispatch yet. */
const settled_ms = 30_000;
/** How long before the estimated arrival a courier is close by. */
export const close_by_ms = 10 * 60_000;

/**
 * Schedules the notice to the recipient that follows from a new status, in the transaction of the change. Each
 * notice is scheduled at the first of its statuses only.
 */
export async function scheduleNotice({ db, chance, now }: WriteContext, row: DeliveryRow): Promise<void> {
  const record = deliveryRecord(row);
  const planned = noticeAt(row, now);
  if (planned === null || (record.dropoff.email ?? '') === '') return;
  const times = record.status_history.filter(({ status }) => kindOf(status) === planned.kind).length;
  if (times !== 1) return;
  if ((await isUnknown({ db, now }, row)) || (await isAnnounced(db, row, planned.kind))) return;
  const account = await findAccount(db, row);
  if (account === undefined || settingsOf(account).notices === null) return;
  const { id: subject, test_mode } = row;
  const { kind, due_at } = planned;
  const id = newId(chance, 'tsk', now, 'notice', subject, kind);
  await insertTasks(db, [
    { id, test_mode, kind: 'notice.send', subject, due_at, payload: JSON.stringify({ kind }) },
  ]);
}

/** Whether a delivery failed before its recipient was notified of it, or of an earlier attempt of auto dispatch. */
async function isUnknown({ db, now }: Pick<WriteContext, 'db' | 'now'>, row: DeliveryRow): Promise<boolean> {
  if (row.status !== 'failed' || now - row.created_at >= settled_ms) return false;
  const pending = await pendingOrder(db, row.order_id);
  return pending === null || pending.entry.attempts === 1;
}

/** Whether the recipient was notified of an earlier attempt of auto dispatch, whose failure was not reported. */
async function isAnnounced(db: Connection, row: DeliveryRow, kind: NoticeKind): Promise<boolean> {
  const pending = kind === 'dispatched' ? await pendingOrder(db, row.order_id) : null;
  if (pending === null || pending.entry.attempts < 2) return false;
  const earlier = (await deliveriesOfOrder(db, row.order_id)).filter(({ id }) => id !== row.id);
  return earlier.some(({ created_at, ended_at }) => (ended_at ?? 0) - created_at >= settled_ms);
}

function noticeAt(row: DeliveryRow, now: number): { kind: NoticeKind; due_at: number } | null {
  const kind = kindOf(row.status);
  if (kind === null) return null;
  if (kind === 'dispatched') return { kind, due_at: now + settled_ms };
  if (kind === 'close_by')
    return { kind, due_at: Math.max(now, deliveryRecord(row).dropoff.eta - close_by_ms) };
  return { kind, due_at: now };
}

/** The statuses of a parcel on its way to the recipient: couriers need not report each of them. */
const carried: readonly DeliveryStatus[] = ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff'];

/** The notice that a status is the reason for; null without one. */
function kindOf(status: DeliveryStatus): NoticeKind | null {
  if (status === 'delivery_created' || status === 'scheduled') return 'dispatched';
  if (carried.some((each) => each === status)) return 'close_by';
  if (status === 'failed' || status === 'enroute_to_return') return 'failed';
  return status === 'delivered' ? 'delivered' : null;
}
