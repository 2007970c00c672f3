/**
 * Which notice a recipient gets after a change of a delivery, and when: one that it was dispatched, that the courier is
 * close by, that it was delivered, and that it failed. `notices/send-notice.ts` sends it.
 */
import type { NoticeKind } from '../../contract/accounts.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { deliveriesOfOrder } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { type DeliveryRecord, deliveryRecord, findEtaPrecision } from './delivery-view.ts';

/** A courier that refuses a dispatch does so within this time: the recipient is told of the dispatch after it. */
const settled_ms = 30_000;
/** How long before the estimated arrival a courier is close by. */
export const close_by_ms = 10 * minute_ms;

/**
 * Schedules the notice to the recipient that follows from a new status, in the transaction of the change. Each
 * notice is scheduled at the first of its statuses only.
 */
export async function scheduleNotice({ db, chance, now }: WriteContext, row: DeliveryRow): Promise<void> {
  const record = deliveryRecord(row);
  const kind = noticeKindOf(row, record);
  if (kind === null || (record.dropoff.email ?? '') === '') return;
  const { service } = row;
  const reasons = record.status_history.filter(
    ({ status }) => noticeKindOf({ service, status }, record) === kind,
  );
  if (reasons.length !== 1) return;
  if ((await isUnannouncedFailure({ db, now }, row)) || (await wasAnnounced(db, row, kind))) return;
  const account = await findAccount(db, row);
  if (account === undefined || readAccountSettings(account).notices === null) return;
  const { id: subject, account_id, test_mode } = row;
  const due_at = noticeTime(kind, record, now);
  const id = newId(chance, 'tsk', now, 'notice', subject, kind);
  await insertTasks(db, [newTask('notice.send', { id, account_id, test_mode, subject, due_at }, { kind })]);
}

function noticeTime(kind: NoticeKind, { dropoff }: DeliveryRecord, now: number): number {
  if (kind === 'dispatched') return now + settled_ms;
  return kind === 'close_by' ? Math.max(now, dropoff.eta - close_by_ms) : now;
}

/** The statuses of a parcel on its way to the recipient: couriers need not report each of them. */
const carried: readonly DeliveryStatus[] = ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff'];

/**
 * The notice that a status is the reason for; null without one. An own driver to an address of which only the ZIP code is
 * known is not close by before setting out to it.
 */
function noticeKindOf(
  row: Pick<DeliveryRow, 'service' | 'status'>,
  record: DeliveryRecord,
): NoticeKind | null {
  const { status } = row;
  if (status === 'delivery_created' || status === 'scheduled') return 'dispatched';
  if (status === 'pickup_complete' && findEtaPrecision(row, record) === 'zip') return null;
  if (carried.some((each) => each === status)) return 'close_by';
  if (status === 'failed' || status === 'enroute_to_return') return 'failed';
  return status === 'delivered' ? 'delivered' : null;
}

/** Whether a delivery failed before its recipient was notified of it, or of an earlier attempt of auto dispatch. */
async function isUnannouncedFailure(
  { db, now }: Pick<WriteContext, 'db' | 'now'>,
  row: DeliveryRow,
): Promise<boolean> {
  // One that was only stored is dispatched later than it is created.
  const [first] = deliveryRecord(row).status_history;
  if (row.status !== 'failed' || now - (first?.at ?? now) >= settled_ms) return false;
  const pending = await pendingOrder(db, row.order_id);
  return pending === null || pending.entry.attempts === 1;
}

/** Whether the recipient was notified of an earlier attempt of auto dispatch, whose failure was not reported. */
async function wasAnnounced(db: Connection, row: DeliveryRow, kind: NoticeKind): Promise<boolean> {
  const pending = kind === 'dispatched' ? await pendingOrder(db, row.order_id) : null;
  if (pending === null || pending.entry.attempts < 2) return false;
  const earlier = (await deliveriesOfOrder(db, row.order_id)).filter(({ id }) => id !== row.id);
  return earlier.some(({ created_at, ended_at }) => (ended_at ?? 0) - created_at >= settled_ms);
}
