import { hasReached, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { zoneOf } from '../../domain/time-zones.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { loadOrder } from '../../storage/orders.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { close_by_ms } from '../deliveries/schedule-notices.ts';
import {
  type AccountSettings,
  type NoticeKind,
  type Notices,
  settingsOf,
} from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { type Mail, MailFault } from '../runtime/mailer.ts';
import { isOver } from '../tracking-page/tracked-delivery.ts';
import { filledTemplate, templateOf } from './notice-texts.ts';

interface NoticePayload {
  kind: NoticeKind;
}

const minute_ms = 60_000;
/** The waits while the mail server cannot be used. */
const backoff_ms = [minute_ms / 2, 2 * minute_ms, 10 * minute_ms, 30 * minute_ms, 60 * minute_ms];
/** A later arrival than this moves the notice that the courier is close by. */
const moved_ms = 5 * minute_ms;

/**
 * Sends a notice to the recipient of a delivery. The server may have accepted it without the response having arrived,
 * or the process may end before that is recorded: then it is sent again, with the same Message-ID.
 */
export const noticeTask: TaskKind = {
  run: sendNotice,
  backoffAfter: (fault) => {
    if (!(fault instanceof MailFault)) return undefined;
    return fault.is_final ? [] : backoff_ms;
  },
};

async function sendNotice(service: ServiceContext, task: Task): Promise<void> {
  const { kind }: NoticePayload = JSON.parse(task.row.payload);
  const found = await service.storage.run(async (db) => {
    const row = await loadDelivery(db, task.row.subject);
    if (row === undefined) return null;
    const account = await findAccount(db, row);
    return account === undefined ? null : { row, settings: settingsOf(account) };
  });
  const notices = found?.settings.notices ?? null;
  const now = Math.max(task.now, service.clock.now());
  if (found === null || notices === null || !isCurrent(found.row, kind)) {
    return endNotice(service, task);
  }
  if (kind === 'close_by' && isEarly(found.row, now)) {
    return postpone(service, task, deliveryRecord(found.row).dropoff.eta - close_by_ms);
  }
  if (kind === 'failed') {
    const next = await service.storage.run((db) => failureOf(db, found.row, now));
    if (next === 'superseded') return endNotice(service, task);
    if (next !== 'final') return postpone(service, task, next);
  }
  const mail = mailOf(service, found, { kind, notices, id: task.row.id, now });
  if (mail !== null) {
    if (service.sendMail === undefined)
      throw new MailFault('no SMTP server is set for this process', { is_final: false });
    await task.renew();
    await service.sendMail(mail);
  }
  return endNotice(service, task);
}

/** Whether the notice is still true. */
function isCurrent({ status }: DeliveryRow, kind: NoticeKind): boolean {
  if (kind === 'dispatched') return !isOver(status) && !isEnded(status);
  if (kind === 'close_by')
    return isPickedUp(status) && !isOver(status) && !hasReached(status, 'dropoff_complete');
  return true;
}

/** Whether the courier is expected much later than when the notice was scheduled, and has not arrived. */
function isEarly(row: DeliveryRow, now: number): boolean {
  return (
    row.status !== 'arrived_at_dropoff' && deliveryRecord(row).dropoff.eta - now > close_by_ms + moved_ms
  );
}

/**
 * Whether a failure is the order's: while auto dispatch tries the order again, the time at which to look again; after
 * that `superseded` if there is a newer delivery or the order was canceled.
 */
async function failureOf(
  db: Connection,
  { id, order_id }: DeliveryRow,
  now: number,
): Promise<number | 'superseded' | 'final'> {
  const order = await loadOrder(db, order_id);
  if (order?.delivery_id !== id || order.status === 'canceled') return 'superseded';
  const pending = await pendingOrder(db, order_id);
  return pending === null ? 'final' : Math.max(now, pending.entry.next_attempt_at ?? 0) + minute_ms;
}

/** Read committed, as it only ends its own task. */
function endNotice({ storage }: ServiceContext, task: Task): Promise<void> {
  return storage.transaction((db) => task.finish(db), 'read committed');
}

/** Read committed, as it only replaces its own task. */
async function postpone(service: ServiceContext, task: Task, due_at: number): Promise<void> {
  const chance = await service.chance();
  const { test_mode, kind, subject, payload } = task.row;
  const id = newId(chance, 'tsk', due_at, 'notice', subject, payload);
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    await insertTasks(db, [{ id, test_mode, kind, subject, due_at, payload }]);
  }, 'read committed');
}

interface Notice {
  kind: NoticeKind;
  notices: Notices;
  id: string;
  now: number;
}

/** Null if the recipient has no address anymore. */
function mailOf(
  { publicUrl }: ServiceContext,
  { row, settings }: { row: DeliveryRow; settings: AccountSettings },
  { kind, notices, id, now }: Notice,
): Mail | null {
  const { pickup, dropoff } = deliveryRecord(row);
  const { email: to = '' } = dropoff;
  if (to === '') return null;
  const values = {
    name: dropoff.name,
    shop: notices.from_name ?? pickup.name,
    reference: row.external_order_ref,
    eta: timeText(dropoff.eta, now, { zone: zoneOf(dropoff.address) ?? 'UTC', language: notices.language }),
    link: `${settings.public_url ?? publicUrl}/track/${row.tracking_token}`,
  };
  const { subject, text } = templateOf(notices, kind);
  const { reply_to } = notices;
  return {
    ...{ id, to, from_name: values.shop },
    ...(reply_to === undefined ? {} : { reply_to }),
    subject: filledTemplate(subject, values),
    text: filledTemplate(text, values),
  };
}

const locales = { en: 'en-US', es: 'es-US' } as const;

/** `2:41 PM CST`, or with the day if that is not today. */
function timeText(
  at: number,
  now: number,
  { zone, language }: { zone: string; language: Notices['language'] },
): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locales[language], { timeZone: zone, ...options });
  const day = format({ weekday: 'short', month: 'short', day: 'numeric' });
  const time = format({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }).format(at);
  return day.format(at) === day.format(now) ? time : `${day.format(at)}, ${time}`;
}
