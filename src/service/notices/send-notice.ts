/** Sends e-mails to recipients: when one is still true, what it says, and how many an account may send. */

import type { NoticeKind, Notices } from '../../contract/accounts.ts';
import type { SimulatedNotice as Notice } from '../../contract/events.ts';
import { findZone } from '../../domain/addresses.ts';
import { hasReached, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { minute_ms } from '../../domain/durations.ts';
import { etaWindow } from '../../domain/estimates.ts';
import { defaultMailRules, isTestRecipient } from '../../domain/operator-settings.ts';
import { task_waits_ms } from '../../domain/retries.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { loadOrder } from '../../storage/orders.ts';
import { countMail, uncountMail } from '../../storage/settings.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { type DeliveryRecord, deliveryRecord, findEtaPrecision } from '../deliveries/delivery-view.ts';
import { close_by_ms } from '../deliveries/schedule-notice.ts';
import { publishEvent } from '../events/publish-event.ts';
import { type AccountSettings, readAccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { type Mail, MailFault } from '../runtime/mailer.ts';
import { instant } from '../runtime/time.ts';
import { textsByLanguage } from '../tracking-page/texts.ts';
import { isOverForRecipient } from '../tracking-page/tracked-delivery.ts';

/** A later arrival than this moves the notice that the courier is close by. */
const moved_ms = 5 * minute_ms;

/**
 * Sends a notice to the recipient of a delivery. The server may have accepted it without the response having arrived,
 * or the process may end before that is recorded: then it is sent again, with the same Message-ID.
 */
export const noticeTask: TaskHandler<'notice.send'> = {
  run: sendNotice,
  backoffAfter: (fault) => {
    if (!(fault instanceof MailFault)) return undefined;
    return fault.is_final ? [] : task_waits_ms.mail;
  },
};

async function sendNotice(service: ServiceContext, task: Task<'notice.send'>): Promise<void> {
  const { kind } = task.payload;
  const found = await service.storage.run(async (db) => {
    const row = await loadDelivery(db, task.row.subject);
    if (row === undefined) return null;
    const account = await findAccount(db, row);
    return account === undefined ? null : { row, settings: readAccountSettings(account) };
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
  const { mail_rules = defaultMailRules, sendMail } = service;
  const { row } = found;
  if (mail === null) return endNotice(service, task);
  const isShown = row.test_mode === 1 && (sendMail === undefined || !isTestRecipient(mail_rules, mail.to));
  if (isShown) return showNotice(service, task, { row, kind, mail, now });
  if (sendMail === undefined)
    throw new MailFault('no SMTP server is set for this process', { is_final: false });
  const day = instant(service.wall.now()).slice(0, 10);
  await task.renew();
  await takeFromLimit(service, row, { day, per_day: mail_rules.per_day });
  try {
    await sendMail(mail);
  } catch (fault) {
    await service.storage.write((db) => uncountMail(db, row, day));
    throw fault;
  }
  return endNotice(service, task);
}

/** Publishes what test mode does not send. */
async function showNotice(
  service: ServiceContext,
  task: Task<'notice.send'>,
  { row, kind, mail, now }: { row: DeliveryRow; kind: NoticeKind; mail: Mail; now: number },
): Promise<void> {
  const chance = await service.chance();
  const { account_id, test_mode, id: delivery_id } = row;
  const { to, from_name, reply_to = null, subject, text } = mail;
  const data: Notice = { object: 'notice', delivery_id, kind, to, from_name, reply_to, subject, text };
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const event = { account_id, test_mode, type: 'notice.simulated', delivery_id, data } as const;
    await publishEvent({ db, chance, now }, { ...event, id_parts: [delivery_id, 'notice', kind] });
  }, 'read committed');
}

/** Counts a message that is sent next. Throws `MailFault` if the account has sent as many as it may on a day. */
async function takeFromLimit(
  { storage }: ServiceContext,
  row: DeliveryRow,
  limit: { day: string; per_day: number },
): Promise<void> {
  if (await storage.transaction((db) => countMail(db, row, limit), 'read committed')) return;
  const { day, per_day } = limit;
  throw new MailFault(`the account has sent ${per_day} notices on ${day}, its limit`, { is_final: true });
}

/** Whether the notice is still true. */
function isCurrent({ status }: DeliveryRow, kind: NoticeKind): boolean {
  if (kind === 'dispatched') return !isOverForRecipient(status) && !isEnded(status);
  if (kind === 'close_by')
    return isPickedUp(status) && !isOverForRecipient(status) && !hasReached(status, 'dropoff_complete');
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
function endNotice({ storage }: ServiceContext, task: Task<'notice.send'>): Promise<void> {
  return storage.transaction((db) => task.finish(db), 'read committed');
}

/** Read committed, as it only replaces its own task. */
async function postpone(service: ServiceContext, task: Task<'notice.send'>, due_at: number): Promise<void> {
  const chance = await service.chance();
  const { account_id, test_mode, lane, kind, subject, payload } = task.row;
  const id = newId(chance, 'tsk', due_at, 'notice', subject, payload);
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    await insertTasks(db, [{ id, account_id, test_mode, lane, kind, subject, due_at, payload }]);
  }, 'read committed');
}

interface DueNotice {
  kind: NoticeKind;
  notices: Notices;
  id: string;
  now: number;
}

/** Null if the recipient has no address anymore. */
function mailOf(
  { publicUrl, mail_rules = defaultMailRules }: ServiceContext,
  { row, settings }: { row: DeliveryRow; settings: AccountSettings },
  { kind, notices, id, now }: DueNotice,
): Mail | null {
  const record = deliveryRecord(row);
  const { pickup, dropoff } = record;
  const { email: to = '' } = dropoff;
  if (to === '') return null;
  const { trusts_accounts } = mail_rules;
  const chosen: Partial<Notices> = trusts_accounts ? notices : {};
  const values = {
    name: dropoff.name,
    shop: chosen.from_name ?? pickup.name,
    reference: row.external_order_ref,
    eta: etaText(row, record, { now, language: notices.language }),
    link: `${settings.public_url ?? publicUrl}/track/${row.tracking_token}`,
  };
  const { subject, text } = templateOf(notices, kind);
  const reply_to = chosen.reply_to ?? mail_rules.reply_to;
  return {
    id,
    to,
    from_name: trusts_accounts ? values.shop : mail_rules.from_name,
    ...(reply_to === null ? {} : { reply_to }),
    subject: filledTemplate(subject, values),
    text: filledTemplate(text, values),
  };
}

/** A message before its placeholders are replaced. */
interface NoticeTemplate {
  subject: string;
  text: string;
}

type Templates = Readonly<Record<NoticeKind, NoticeTemplate>>;

const english: Templates = {
  dispatched: {
    subject: 'Your order from {shop} is on its way to a courier',
    text: 'Hello {name},\n\nyour order {reference} from {shop} will be delivered. Estimated arrival: {eta}.\n\nFollow it here: {link}\n',
  },
  close_by: {
    subject: 'Your order from {shop} is close by',
    text: 'Hello {name},\n\nyour order {reference} from {shop} arrives soon. Estimated arrival: {eta}.\n\nFollow it here: {link}\n',
  },
  delivered: {
    subject: 'Your order from {shop} has been delivered',
    text: 'Hello {name},\n\nyour order {reference} from {shop} has been delivered.\n\nThe details: {link}\n',
  },
  failed: {
    subject: 'Your order from {shop} could not be delivered',
    text: 'Hello {name},\n\nyour order {reference} from {shop} could not be delivered. Please contact {shop} about the next steps.\n\nThe details: {link}\n',
  },
};

const spanish: Templates = {
  dispatched: {
    subject: 'Su pedido de {shop} está en camino a un repartidor',
    text: 'Hola, {name}:\n\nsu pedido {reference} de {shop} se va a entregar. Llegada estimada: {eta}.\n\nSígalo aquí: {link}\n',
  },
  close_by: {
    subject: 'Su pedido de {shop} está cerca',
    text: 'Hola, {name}:\n\nsu pedido {reference} de {shop} llega pronto. Llegada estimada: {eta}.\n\nSígalo aquí: {link}\n',
  },
  delivered: {
    subject: 'Su pedido de {shop} ha sido entregado',
    text: 'Hola, {name}:\n\nsu pedido {reference} de {shop} ha sido entregado.\n\nLos detalles: {link}\n',
  },
  failed: {
    subject: 'No se pudo entregar su pedido de {shop}',
    text: 'Hola, {name}:\n\nno se pudo entregar su pedido {reference} de {shop}. Contacte con {shop} para saber cómo seguir.\n\nLos detalles: {link}\n',
  },
};

const templates = { en: english, es: spanish };

/** The texts of a notice: the shop's own, otherwise those of its language. */
function templateOf({ language, templates: own }: Notices, kind: NoticeKind): NoticeTemplate {
  return { ...templates[language][kind], ...own?.[kind] };
}

/** The values of the placeholders of a template. */
type Placeholders = Readonly<Record<'name' | 'shop' | 'reference' | 'eta' | 'link', string>>;

/**
 * Replaces `{name}`, `{shop}`, `{reference}`, `{eta}` and `{link}`; other braces stay. Of an empty value, the space
 * before it is removed too.
 */
function filledTemplate(template: string, values: Placeholders): string {
  return template.replace(/ ?\{(name|shop|reference|eta|link)\}/g, (found, name: keyof Placeholders) =>
    values[name] === '' ? '' : `${found.startsWith(' ') ? ' ' : ''}${values[name]}`,
  );
}

/** The expected time: `12:50 PM CST to 1:05 PM CST` if it rests on places that are known coarsely. */
function etaText(
  row: DeliveryRow,
  record: DeliveryRecord,
  { now, language }: { now: number; language: Notices['language'] },
): string {
  const { eta, address } = record.dropoff;
  const text = (at: number) => timeText(at, now, { zone: findZone(address) ?? 'UTC', language });
  if (findEtaPrecision(row, record) === null) return text(eta);
  const { from, to } = etaWindow(eta);
  return `${text(from)} ${textsByLanguage[language].until} ${text(to)}`;
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
