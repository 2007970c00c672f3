import type { OrderRequest } from '../../src/contract/orders.ts';
import type { BatchOrderRow } from '../../src/storage/database.ts';
import { type BatchKind, outcomeAt } from './batch-kinds.ts';
import type { BatchRecords } from './batch-records.ts';

/** The sent orders. */
export interface Sent {
  batch_kind: BatchKind;
  orders: readonly OrderRequest[];
}

/** Every inconsistency of a complete batch with what was sent, one sentence each. */
export function faultsOfBatch(records: BatchRecords, sent: Sent): string[] {
  return [
    ...completeness(records, sent),
    ...records.entries.flatMap((entry) => [...outcomeFaults(records, entry), ...eventFaults(records, entry)]),
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
  // An attempt with the same answer as the one before it is a count there.
  const numbers = own.flatMap(({ number, repeats }) =>
    Array.from({ length: 1 + repeats }, (_, index) => number + index),
  );
  const accepted = own.filter((each) => each.status === 'dispatched').length;
  return [
    ...differing(`${order_id}, ${position}`, status, outcomeAt(position)),
    ...differing(`${order_id} itself`, order?.status, status),
    ...differing(`tries of ${order_id}`, numbers.join(), upTo(entry.attempts).join()),
    ...differing(`accepted tries of ${order_id}`, accepted, status === 'dispatched' ? 1 : 0),
  ];
}

/** The end of each order is published once. */
export function eventFaults({ events }: BatchRecords, { order_id, status }: BatchOrderRow): string[] {
  const reported = events.filter(
    ({ type, data }) => type.startsWith('order.') && data.includes(`"${order_id}"`),
  );
  return differing(`events of ${order_id}`, reported.map(({ type }) => type).join(), `order.${status}`);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function differing(what: string, found: unknown, wanted: unknown): string[] {
  return found === wanted ? [] : [`${what}: ${found}, not ${wanted}`];
}
