import type { OrderRequest } from '../../src/contract/orders.ts';
import type { DeliveryRecord } from '../../src/service/deliveries/delivery-view.ts';
import type { BatchOrderRow, DeliveryRow } from '../../src/storage/database.ts';
import { type BatchKind, outcomeAt } from './batch-kinds.ts';
import type { BatchRecords } from './batch-records.ts';

/** The sent orders. */
export interface Sent {
  batch_kind: BatchKind;
  orders: readonly OrderRequest[];
}

/** Every inconsistency of a complete batch, one sentence each. */
export function faultsOfBatch(records: BatchRecords, sent: Sent): string[] {
  return [
    ...completeness(records, sent),
    ...records.entries.flatMap((entry) => [
      ...outcomeFaults(records, entry),
      ...dispatchFaults(records, entry),
      ...eventFaults(records, entry),
    ]),
    ...records.deliveries.flatMap((delivery) => [
      ...moneyFaults(records, delivery),
      ...numberFaults(records, delivery),
    ]),
  ];
}

function completeness({ batch, entries, orders, tasks, events, tries }: BatchRecords, sent: Sent): string[] {
  const count = sent.orders.length;
  const places = entries.map(({ position, external_order_ref }) => `${position} ${external_order_ref}`);
  const wanted = sent.orders.map(({ external_order_ref }, position) => `${position} ${external_order_ref}`);
  const ends = events.filter(({ type }) => type === 'batch.completed');
  const reported = ends.map(({ data }) => JSON.stringify(JSON.parse(data).counts));
  return [
    ...differing('batch', batch.status, 'complete'),
    ...differing('order_count', batch.order_count, count),
    ...differing('orders', orders.length, count),
    ...differing('references', places.join(), wanted.join()),
    ...differing('batch.completed', reported.join(), JSON.stringify(countsOf(entries))),
    ...differing('tasks left', tasks.map(({ kind, subject }) => `${kind} ${subject}`).join(), ''),
    ...tries
      .filter(({ status, ended_at }) => status === 'quoting' || status === 'asking' || ended_at === null)
      .map(({ id, status }) => `try ${id} is left ${status}`),
  ];
}

function countsOf(entries: readonly BatchOrderRow[]) {
  const counts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };
  for (const { status } of entries) counts[status] += 1;
  return counts;
}

/** Exactly one outcome, that of the scenario, with its attempts. */
function outcomeFaults({ orders, tries }: BatchRecords, entry: BatchOrderRow): string[] {
  const { order_id, position, status } = entry;
  const order = orders.find(({ id }) => id === order_id);
  const own = tries.filter((each) => each.order_id === order_id);
  const numbers = own.map(({ number }) => number);
  const accepted = own.filter((each) => each.status === 'dispatched').length;
  return [
    ...differing(`${order_id}, ${position}`, status, outcomeAt(position)),
    ...differing(`${order_id} itself`, order?.status, status),
    ...differing(`tries of ${order_id}`, numbers.join(), upTo(entry.attempts).join()),
    ...differing(`accepted tries of ${order_id}`, accepted, status === 'dispatched' ? 1 : 0),
  ];
}

/** No order is dispatched twice: the couriers' records agree with the service's, or are empty. */
function dispatchFaults(
  { deliveries, dispatches, courier_entries }: BatchRecords,
  entry: BatchOrderRow,
): string[] {
  const { order_id, status } = entry;
  const own = dispatches.filter((dispatch) => dispatch.order_id === order_id);
  const references = new Set(own.map(({ id }) => id));
  const carried = courier_entries.filter(
    ({ kind, reference }) => kind === 'created' && references.has(reference),
  );
  const accepted = own.filter(({ state }) => state === 'accepted').map(({ id }) => id);
  const live = deliveries.filter(
    (delivery) => delivery.order_id === order_id && delivery.status !== 'failed',
  );
  const wanted = status === 'dispatched' ? 1 : 0;
  return [
    ...differing(`carried for ${order_id}`, carried.length, wanted),
    ...differing(
      `reference of ${order_id}`,
      carried.map(({ reference }) => reference).join(),
      accepted.join(),
    ),
    ...differing(`live deliveries of ${order_id}`, live.length, wanted),
    ...own
      .filter(({ state }) => state === 'asking')
      .map(({ id }) => `dispatch ${id} of ${order_id} is left open`),
  ];
}

/** To the cent: dispatched deliveries are paid in full and once, failed ones are not. */
export function moneyFaults({ charges, dispatches, quotes }: BatchRecords, delivery: DeliveryRow): string[] {
  const { payment_amount, tip, failure_reason }: DeliveryRecord = JSON.parse(delivery.record);
  const dispatch = dispatches.find(({ route_id }) => route_id === delivery.route_id);
  const quote = quotes.find(({ id }) => id === dispatch?.quote_id);
  const price = (quote?.cost_of_delivery ?? Number.NaN) + (quote?.service_fee ?? Number.NaN);
  const total = payment_amount + (tip ?? 0);
  const payment = [`delivery ${price}`, ...(tip === null || tip === 0 ? [] : [`tip ${tip}`])];
  const wanted = [
    ...(failure_reason === 'payment_declined' ? [] : payment),
    ...(delivery.status !== 'failed' || failure_reason === 'payment_declined' ? [] : [`refund ${-total}`]),
  ];
  const rows = charges.filter(({ delivery_id }) => delivery_id === delivery.id);
  const sum = rows.reduce((before, { amount }) => before + amount, 0);
  return [
    ...differing(`payment_amount of ${delivery.id}`, payment_amount, price),
    ...differing(
      `charges of ${delivery.id}`,
      rows
        .map(({ kind, amount }) => `${kind} ${amount}`)
        .sort()
        .join(),
      wanted.sort().join(),
    ),
    ...differing(`sum of ${delivery.id}`, sum, delivery.status === 'failed' ? 0 : total),
  ];
}

/** The end of each order is published once. */
export function eventFaults({ events }: BatchRecords, { order_id, status }: BatchOrderRow): string[] {
  const reported = events.filter(
    ({ type, data }) => type.startsWith('order.') && data.includes(`"${order_id}"`),
  );
  return differing(`events of ${order_id}`, reported.map(({ type }) => type).join(), `order.${status}`);
}

/** A delivery's events are numbered without a gap, starting with its creation. */
export function numberFaults({ events }: BatchRecords, { id, record }: DeliveryRow): string[] {
  const { event_count }: DeliveryRecord = JSON.parse(record);
  const own = events.filter(({ type, delivery_id }) => delivery_id === id && type.startsWith('delivery.'));
  const numbers = own.map(({ type, sequence }) => `${type} ${sequence}`);
  const wanted = upTo(event_count).map((number) =>
    number === 1 ? 'delivery.created 1' : `delivery.updated ${number}`,
  );
  return differing(`events of ${id}`, numbers.join(), wanted.join());
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function differing(what: string, found: unknown, wanted: unknown): string[] {
  return found === wanted ? [] : [`${what}: ${found}, not ${wanted}`];
}
