/** Checks of references before orders are sent or dispatched: none gets a second delivery unasked. */
import { ApiError, ifSupported, refusedWith } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Order } from '../../contract/orders.ts';
import { statusGroups } from '../../contract/vocabulary.ts';
import { hour_ms, minute_ms } from '../../domain/durations.ts';
import { isFields } from '../../domain/fields.ts';
import { normalizeReference, reference_use_ms } from '../../domain/references.ts';
import { stepsForOrder } from '../errors/error-report.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { Declined, Failure } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { timePhrase, timesInNotes } from '../kit/output/times.ts';
import { type Invocation, invocation, type NextStep } from '../kit/result/message.ts';
import { kindOfId } from '../records.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { searchedPart } from '../session/list-reader.ts';
import { fetchOrder, getOrder, storeZone } from './order.ts';

/** The flag that allows a second order with a reference in use. */
export const duplicateRefFlag = switchFlag({
  summary: 'Allow a reference that is in use, or that is given twice',
});

/** How references are checked. */
export interface RefCheck {
  allowDuplicateRef: boolean;
  like?: string | undefined;
  /** Whether a courier is asked at once. */
  isDispatched?: boolean;
  /** A reference that was given beside --like. */
  externalOrderRef?: string | undefined;
  /** Whether waybill's own service answers, which checks references itself; absent: as the session knows it. */
  isOwnService?: boolean;
  /** The order that the new one replaces, and that is canceled after it. */
  replaces?: string | null;
}

/** Sends a request with `unique_ref` where the service is to refuse a reference in use, and again if the user agrees. */
export type SendUnique = <T>(send: (check: { unique_ref?: true }) => Promise<T>) => Promise<T>;

/**
 * What keeps a reference from a second order or delivery: `none` where the user allows it; `remember`, where the service
 * is not waybill's: what is sent is noted for later checks; `service_checks`, in the transaction that creates, after
 * idempotency keys; `ask_before`, as the service does not check; `name_after`, for a copy that needs no question.
 */
type Policy = 'none' | 'remember' | 'service_checks' | 'ask_before' | 'name_after';

/** A copy made with --like is a repeat on purpose, unless it is given a reference of its own. */
function isRepeatOnPurpose({ like, externalOrderRef }: RefCheck): boolean {
  return like !== undefined && externalOrderRef === undefined;
}

function policyOf(context: Context, check: RefCheck): Policy {
  const isOwn = check.isOwnService ?? isOwnService(context);
  if (check.allowDuplicateRef) return isOwn ? 'none' : 'remember';
  if (!isRepeatOnPurpose(check)) return isOwn ? 'service_checks' : 'ask_before';
  // A second courier costs money, unless an idempotency key makes it one copy.
  const isAsked = check.isDispatched === true && context.globals.idempotencyKey === undefined;
  return isAsked ? 'ask_before' : 'name_after';
}

/**
 * Makes sure that no reference gets a second order, or a second delivery, unless the user wants it: exit 6 without a
 * terminal, otherwise a question.
 */
export async function guardRefs(
  context: Context,
  requests: readonly { external_order_ref?: unknown }[],
  check: RefCheck,
): Promise<SendUnique> {
  const refs = requests.flatMap(({ external_order_ref: ref }) =>
    typeof ref === 'string' ? normalizeReference(ref) || [] : [],
  );
  if (refs.length === 0) return (send) => send({});
  if (!check.allowDuplicateRef) refuseRepeatedRef(refs);
  await context.client();
  const policy = policyOf(context, check);
  if (policy === 'none') return (send) => send({});
  if (policy === 'service_checks') return (send) => sendUnique(context, send, check);
  const send = remembering(context, requests);
  if (policy === 'remember' || context.globals.dryRun) return send;
  const copied: ReferenceUse[] = [];
  for (const ref of refs) {
    const use = await findUse(context, ref, check);
    if (use === null) continue;
    if (policy === 'name_after') copied.push(use);
    else await agreeToDuplicate(context, use, isRepeatOnPurpose(check));
  }
  return namingCopied(context, copied, send);
}

/** Names the earlier order of each copy, unless the idempotency key found the copy itself: then nothing was sent twice. */
function namingCopied(context: Context, copied: ReferenceUse[], send: SendUnique): SendUnique {
  return async (request) => {
    const made = await send(request);
    const record = recordIn(made);
    const isReplayed = isFields(made) && made.replayed === true;
    // Several requests may be sent: the first takes the uses out, so that each is named once.
    for (const { message, ids } of copied.splice(0)) {
      const isItself =
        isFields(record) && [record.id, record.order_id].some((id) => ids.includes(String(id)));
      if (isItself && !isReplayed) noteCreated(context, String(isFields(record) ? record.id : ''));
      else if (!isReplayed) context.warn(`${message} The copy is another order with this reference.`);
    }
    return made;
  };
}

/** Says that the idempotency key of a command found what it had created before. */
export function noteCreated(context: Context, id: string): void {
  const message = `${id} was already created with this idempotency key; nothing was sent twice.`;
  const object = { type: 'note', code: 'already_created', message };
  context.note(context.output.json ? JSON.stringify(object) : message);
}

/**
 * Makes sure that no order is sent of which another one with its reference is sent, unless the user wants it: exit 6
 * without a terminal, before anything is changed. True if the service is to check it again as it dispatches.
 */
export async function guardSentOnce(
  context: Context,
  orders: readonly Order[],
  { allowDuplicateRef, isOwnService: isOwn }: Pick<RefCheck, 'allowDuplicateRef' | 'isOwnService'>,
): Promise<boolean> {
  const client = await context.client();
  if (!(isOwn ?? isOwnService(context))) {
    for (const order of orders) await guardSentElsewhere(context, order, allowDuplicateRef);
    return false;
  }
  if (allowDuplicateRef) return false;
  const created_after = new Date(context.serviceNow() - reference_use_ms).toISOString();
  const ids = orders.map(({ id }) => id);
  let refusesDuplicateRef = true;
  for (const { status, external_order_ref } of orders) {
    // An order that is sent itself is not dispatched again: the run is a repeat.
    if (external_order_ref === '' || status === 'dispatched') continue;
    const query = { external_order_ref, created_after, status: ['dispatched' as const], limit: 100 };
    const { data } = await client.orders.list({ query });
    const other = data.data.find(({ id }) => !ids.includes(id));
    if (other === undefined) continue;
    await agreeToDuplicate(context, useByOrder(context, other));
    refusesDuplicateRef = false;
  }
  return refusesDuplicateRef;
}

/** Exit 6 if an order is sent, as far as the service shows it. */
export async function refuseSent(context: Context, order_ids: readonly string[]): Promise<void> {
  for (const order_id of order_ids) {
    const order = await fetchOrder(context, order_id);
    if (order !== null) refuseIfSent(order);
  }
}

function refuseIfSent(order: Order): void {
  const { id, status, delivery_id } = order;
  if (status !== 'dispatched' && (delivery_id === null || !isActive(order))) return;
  const next = stepsForOrder([id, delivery_id ?? '']);
  throw new Failure(6, 'order_not_open', `Order ${id} is ${status || 'sent'}.`, { next });
}

/**
 * Exit 6 if an order of a service other than waybill's is sent: such a service may send a second courier for it. Where
 * the order does not show whether it is sent, the user is asked.
 */
async function guardSentElsewhere(context: Context, order: Order, isAllowed: boolean): Promise<void> {
  refuseIfSent(order);
  if (isAllowed) return;
  const { id, status, delivery_id } = order;
  const { dispatchOf, findSent } = await import('./sent-references.ts');
  const isDispatched = (await findSent(context, dispatchOf(id))).some(({ record }) => isActive(record));
  if (!isDispatched && (String(status) !== '' || delivery_id !== null)) return;
  const message = isDispatched
    ? `Order ${id} was dispatched, and its delivery does not show yet.`
    : `Order ${id} does not show whether it was sent.`;
  const next = [{ ...invocation('orders get', [id]), when: 'see what the service has' }];
  await agreeToDuplicate(context, { code: 'search_incomplete', message, ids: [], next });
}

/** Remembers what is created. The requests are sent in their order. */
function remembering(context: Context, requests: readonly { external_order_ref?: unknown }[]): SendUnique {
  const unsent = [...requests];
  return async (send) => {
    const made = await send({});
    const ref = unsent.shift()?.external_order_ref;
    if (typeof ref === 'string' && ref !== '') {
      const { rememberSent } = await import('./sent-references.ts');
      await rememberSent(context, normalizeReference(ref), recordIn(made));
    }
    return made;
  };
}

/** What was created: itself, or in the answer to its request. */
function recordIn(made: unknown): unknown {
  return isFields(made) && isFields(made.data) ? made.data : made;
}

/** Exit 6 if two orders of a command have one reference. */
function refuseRepeatedRef(refs: readonly string[]): void {
  const second = refs.findIndex((ref, index) => refs.indexOf(ref) < index);
  if (second < 0) return;
  const [ref = '', count] = [refs[second], refs.filter((each) => each === refs[second]).length];
  throw new Failure(6, 'duplicate_ref', `${count} orders have the reference "${oneLine(ref)}".`, {
    hint: 'Nothing was created. Give each order a reference of its own.',
  });
}

/** How many orders with references in use a question names. */
const max_named = 5;

async function sendUnique<T>(
  context: Context,
  send: (check: { unique_ref?: true }) => Promise<T>,
  check: RefCheck,
): Promise<T> {
  try {
    return await send({ unique_ref: true });
  } catch (error) {
    // The key may be that of an earlier run that was allowed to repeat the reference: without the check, the request
    // finds what that run created.
    if (refusedWith(error, 'idempotency_key_reuse')) return send({});
    if (!(error instanceof ApiError) || error.code !== 'duplicate_ref') throw error;
    const [first] = error.related_ids;
    if (first === undefined) throw error;
    // The ids are those of orders, each followed by that of its delivery.
    const order_ids = error.related_ids.filter((id) => id === first || kindOfId(id)?.name === 'order');
    const others = order_ids.filter((id) => id !== check.replaces);
    const orders = await Promise.all(others.slice(0, max_named).map((id) => getOrder(context, id)));
    const [use, ...more] = orders.map((order) => useByOrder(context, order));
    if (use !== undefined) {
      const rest = others.length > max_named ? [`And ${others.length - max_named} more.`] : [];
      const message = [use.message, ...more.map((each) => each.message), ...rest].join(' ');
      await agreeToDuplicate(context, { ...use, message });
    }
    // The refusal is not kept under the idempotency key.
    return send({});
  }
}

/** The record that has a reference, or why it is not known whether one has it. */
interface ReferenceUse {
  code: 'duplicate_ref' | 'search_incomplete';
  message: string;
  /** The IDs of the record and of its delivery. */
  ids: readonly (string | null)[];
  next: NextStep[];
}

/**
 * Finds an order or a delivery of the last 30 days with this reference, unless it is known to have ended badly. Both
 * lists are searched: a service may list deliveries of version 1 and those of routes in different places.
 */
async function findUse(
  context: Context,
  external_order_ref: string,
  { replaces }: RefCheck,
): Promise<ReferenceUse | null> {
  const client = await context.client();
  const created_after = new Date(context.serviceNow() - reference_use_ms).toISOString();
  const query = { external_order_ref, created_after, limit: 100 };
  const orders = await ifSupported(client.orders.list({ query }), null);
  const order = orders?.data.data.find((each) => isActive(each) && each.id !== replaces);
  if (order !== undefined) return useByOrder(context, order);
  const deliveries = await client.deliveries.list({ query });
  const delivery = deliveries.data.data.find(isActive);
  if (delivery !== undefined) return useByDelivery(context, delivery);
  const { findSent } = await import('./sent-references.ts');
  const sent = (await findSent(context, external_order_ref)).find(
    ({ record }) => isActive(record) && record.id !== replaces,
  );
  if (sent !== undefined)
    return sent.kind === 'order' ? useByOrder(context, sent.record) : useByDelivery(context, sent.record);
  const parts = [orders, deliveries].flatMap((list) => (list === null ? [] : (searchedPart(list) ?? [])));
  if (parts.length === 0) return null;
  const count = Math.min(...parts);
  const searched = count === 1 ? 'in the latest record only' : `among the latest ${count} records only`;
  const message = `The reference "${oneLine(external_order_ref)}" was searched ${searched}; this service may have more.`;
  return { code: 'search_incomplete', message, ids: [], next: [] };
}

const badEnds: readonly string[] = ['failed', 'unfulfilled', 'canceled', ...statusGroups.canceled];

/** A missing or unknown status counts as active: the courier may be on the way. */
function isActive({ status }: { status: string }): boolean {
  return !badEnds.includes(status);
}

function useByOrder(context: Context, order: Order): ReferenceUse {
  const { id, external_order_ref, dropoff_name, status, delivery_id } = order;
  return useBy(context, order, {
    noun: 'An order',
    external_order_ref,
    dropoff_name,
    states: [status, delivery_id],
    look: delivery_id === null ? invocation('orders get', [id]) : invocation('deliveries get', [delivery_id]),
  });
}

/** An order that was created longer before another is not taken for the same one. */
export const similar_ms = 2 * hour_ms;

/**
 * Warns that an order under another reference, of shortly before, is for the same phone and address: it may be the same
 * parcel. It only warns: a person may order twice on purpose. A repeated request creates nothing, and was warned of.
 */
export async function warnOfSimilar(context: Context, order: Order): Promise<void> {
  if (!isOwnService(context) || context.globals.dryRun || context.output.quiet) return;
  const { id, created_at, dropoff_address, dropoff_phone_number: q } = order;
  if (Date.parse(created_at) < context.serviceNow() - minute_ms) return;
  const created_after = new Date(Date.parse(created_at) - similar_ms).toISOString();
  const client = await context.client();
  const found = await client.orders.list({ query: { q, created_after, limit: 20 } }).catch(() => null);
  const similar = found?.data.data.find(
    (each) =>
      each.id !== id &&
      each.created_at <= created_at &&
      each.dropoff_phone_number === q &&
      each.dropoff_address === dropoff_address &&
      isActive(each),
  );
  if (similar === undefined) return;
  const params = { deliveryid: similar.delivery_id ?? '' };
  const sent = similar.delivery_id && (await client.deliveries.get({ params }).catch(() => null));
  if (sent && !isActive(sent.data)) return;
  const use = sent ? useByDelivery(context, sent.data) : useByOrder(context, similar);
  const message = `Similar: ${use.message} This one has the same phone and address.`;
  const object = { type: 'note', code: 'similar_order', message };
  context.note(context.output.json ? JSON.stringify(object) : message);
}

function useByDelivery(context: Context, delivery: Delivery): ReferenceUse {
  const { id, external_order_ref, dropoffs, status } = delivery;
  return useBy(context, delivery, {
    noun: 'A delivery',
    external_order_ref,
    dropoff_name: dropoffs[0]?.dropoff_name ?? '',
    states: [status],
    look: invocation('deliveries get', [id]),
  });
}

interface RecordWords {
  noun: string;
  external_order_ref: string;
  dropoff_name: string;
  states: readonly (string | null)[];
  look: Invocation;
}

/** A sentence about a record: a service other than waybill's may leave out the name, the time and the status. */
function useBy(
  context: Context,
  record: Pick<Order | Delivery, 'id' | 'created_at' | 'pickup_address'>,
  { noun, external_order_ref, dropoff_name, states, look }: RecordWords,
): ReferenceUse {
  const { id, created_at } = record;
  const recipient = dropoff_name === '' ? '' : ` for ${oneLine(dropoff_name)}`;
  const times = timesInNotes(context.output) ?? 'relative';
  const timing = { now: context.serviceNow(), times, zone: storeZone(record) };
  const isTimed = !Number.isNaN(Date.parse(created_at));
  const verb = isTimed ? `was created ${timePhrase(created_at, timing)}` : 'exists';
  const state = states.filter((each) => each !== null && each !== '').join(', ');
  const named = external_order_ref === '' ? noun : `${noun} "${oneLine(external_order_ref)}"`;
  const which = state === '' ? id : `${id} (${state})`;
  return {
    code: 'duplicate_ref',
    message: `${named}${recipient} ${verb}: ${which}.`,
    ids: [id, ...states],
    next: [{ ...look, when: 'see it' }],
  };
}

/** Asks whether to create another one; exit 6 without a terminal. */
async function agreeToDuplicate(
  context: Context,
  { code, message, next }: ReferenceUse,
  isCopy = false,
): Promise<void> {
  if (context.interactive && !context.globals.yes) {
    const prompts = await context.prompts();
    const what = code === 'duplicate_ref' ? 'another one' : 'it all the same';
    if (!(await prompts.confirm(`${message} Create ${what}?`))) throw new Declined();
    return;
  }
  const once = isCopy ? ' With --idempotency-key KEY one copy is sent, however often the command runs.' : '';
  throw new Failure(6, code, message, { hint: `Nothing was created.${once}`, next });
}
