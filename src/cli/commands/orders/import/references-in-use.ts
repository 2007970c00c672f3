/**
 * Orders that are there already, as their references are in use at the service: those that it refuses in a request, and
 * those that a check of the file finds before.
 */
import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
import type { Order, OrderRequest } from '../../../../contract/orders.ts';
import { type Fields, isFields } from '../../../../domain/fields.ts';
import { normalizeReference, reference_use_ms } from '../../../../domain/references.ts';
import { foldedWords } from '../../../../domain/search-text.ts';
import { oneLine } from '../../../kit/output/safe-text.ts';
import { invocation, type NextStep } from '../../../kit/result/message.ts';
import { unreturnedText } from '../../../nouns/courier-contact.ts';
import { similar_ms } from '../../../nouns/order-checks.ts';
import type { Context } from '../../../session/command.ts';
import { countText, formatNumber } from './progress.ts';
import { type NumberedRow, recipientDifferences, textIn, toRecipient } from './reading/group-rows.ts';

/** Why rows are not created, by their index in the request; with `order_id` the row's order is there already. */
export type RefusedRows = ReadonlyMap<number, { error: string; order_id?: string }>;

type Orders = Pick<Client['orders'], 'get' | 'list'>;

/**
 * The rows whose references the service refuses: an order of the same recipient is there already, any other is a fault.
 * Null if that is not why the request was refused.
 */
export async function rowsInUse(
  error: unknown,
  rows: readonly { order: OrderRequest }[],
  { orders }: { orders: Orders },
): Promise<RefusedRows | null> {
  if (!(error instanceof ApiError) || error.code !== 'duplicate_ref') return null;
  const holders = await fetchOrders(
    orders,
    error.details.flatMap(({ related_ids = [] }) => related_ids.slice(0, 1)),
  );
  const refused = new Map<number, { error: string; order_id?: string }>();
  for (const { path, message, related_ids: [id = ''] = [] } of error.details) {
    const index = Number(/^orders\[(\d+)\]/.exec(path)?.[1] ?? -1);
    const order = rows[index]?.order;
    if (order === undefined) return null;
    const holder = holders.get(id);
    const different =
      holder === undefined ? null : recipientDifferences(toRecipient(order), toRecipient(holder));
    if (different?.length === 0) refused.set(index, { error: message, order_id: id });
    else refused.set(index, { error: inUseText(message, different ?? []) });
  }
  return refused.size === 0 ? null : refused;
}

function inUseText(message: string, different: readonly string[]): string {
  const why = different.length === 0 ? '' : `, which has another ${different.join(' and ')}`;
  return `external_order_ref: ${message}${why}: give it a reference of its own`;
}

const page_size = 100;

/**
 * The orders with these IDs. Those of an earlier import were created together: of many the first and the last one are
 * read, and the lists between them.
 */
export async function fetchOrders(orders: Orders, ids: readonly string[]): Promise<Map<string, Order>> {
  const found = new Map<string, Order>();
  const get = async (order_id: string) => {
    const { data } = await orders.get({ params: { order_id } });
    found.set(order_id, data);
    return Date.parse(data.created_at);
  };
  const wanted = new Set(ids);
  const [first, ...others] = [...wanted].sort();
  const last = others.at(-1);
  if (first !== undefined && last !== undefined && others.length > 2) {
    const created_after = new Date((await get(first)) - 1).toISOString();
    const created_before = new Date((await get(last)) + 1).toISOString();
    const max_pages = Math.ceil((2 * ids.length) / page_size);
    let cursor: string | null = null;
    for (let pages = 0; pages < max_pages; pages += 1) {
      const query = {
        created_after,
        created_before,
        limit: page_size,
        ...(cursor === null ? {} : { cursor }),
      };
      const { data }: Awaited<ReturnType<Orders['list']>> = await orders.list({ query });
      for (const order of data.data) if (wanted.has(order.id)) found.set(order.id, order);
      cursor = data.next_cursor;
      if (cursor === null) break;
    }
  }
  for (const id of ids) if (!found.has(id)) await get(id);
  return found;
}

/** A check reads at most this many lists of orders, and compares at most this many rows. */
const max_lists = 30;
const max_rows = 100_000;

/** A row that has a reference, and for whom it is; null: it is not sent. */
interface RowOfReference extends Pick<NumberedRow, 'line' | 'number'> {
  recipient: Fields | null;
}

/** The references of a file, each with the first row that has it, and what orders of the service have to do with them. */
export function createReferenceLookup() {
  const lines = new Map<string, RowOfReference>();
  return {
    add: ({ fields, line, number }: Pick<NumberedRow, 'fields' | 'line' | 'number'>, isSent: boolean) => {
      const { external_order_ref, dropoff_name, dropoff_phone_number, dropoff_address } = fields;
      if (typeof external_order_ref !== 'string' || lines.size === max_rows) return;
      const ref = normalizeReference(external_order_ref);
      const { items, items_description } = fields;
      const recipient = isSent
        ? { dropoff_name, dropoff_phone_number, dropoff_address, items, items_description }
        : null;
      if (ref !== '' && !lines.has(ref)) lines.set(ref, { line, number, recipient });
    },
    /**
     * Looks through the newest orders; `own` are those that an import of the file has made, which are there however they
     * ended. Null if they cannot be listed: an import asks again, order by order.
     */
    find: async (
      context: Context,
      recreatesCanceled: boolean,
      own: readonly string[] = [],
    ): Promise<FoundReferences | null> => {
      const wanted = { lines, recreatesCanceled, own: new Set(own) };
      try {
        return await findReferences(await context.client({ reads: true }), wanted);
      } catch {
        return null;
      }
    },
  };
}

const max_listed = 100;

/** The references of a file that are in use. */
export interface FoundReferences {
  count: number;
  first: OrderOfLine | null;
  /** The first orders that are there already, in the order of the file. */
  listed: readonly OrderOfLine[];
  /** The rows that an import refuses, as the order that is there is another one. */
  refused: readonly (OrderOfLine & { error: string })[];
  /** The references of orders that have ended badly: they are created again. */
  ended: readonly string[];
  /** The rows of orders that were canceled, unless they are created again, and of those whose parcel is still out. */
  canceled: readonly (OrderOfLine & { error: string })[];
  /** The rows that are like an order which was created shortly before under another reference. */
  similar: readonly (OrderOfLine & { order_ref: string; same: readonly PersonField[] })[];
  /** Older orders were not looked at. */
  isCut: boolean;
}

/** What the orders of the service have to do with the references of a file, as found so far, by reference. */
interface Lookup {
  lines: ReadonlyMap<string, RowOfReference>;
  recreatesCanceled: boolean;
  /** The orders that an import of this file has made: it makes them once, however they ended. */
  own: ReadonlySet<string>;
  /** By the newest order that is in use; `error` is null if it is the same order as the row. */
  inUse: Map<string, OrderOfLine & { error: string | null }>;
  /** By the newest order, if that has ended badly. */
  ended: Map<string, Order>;
  canceled: Map<string, OrderOfLine & { error: string }>;
  /** The orders that are new enough to be the same under another reference. */
  recent: Order[];
}

async function findReferences(
  client: Pick<Client, 'deliveries' | 'orders'>,
  wanted: Pick<Lookup, 'lines' | 'recreatesCanceled' | 'own'>,
): Promise<FoundReferences> {
  const { lines } = wanted;
  const inUse: Lookup['inUse'] = new Map();
  const found: Lookup = {
    ...wanted,
    inUse,
    ended: new Map(),
    canceled: new Map(),
    recent: [],
  };
  const isCut = await readNewestOrders(client.orders, found);
  await refuseHeldParcels(client, found);
  const all = [...inUse.values()].sort((left, right) => left.line - right.line);
  const there = all.filter(({ error }) => error === null);
  return {
    count: there.length,
    first: there[0] ?? null,
    listed: there.slice(0, max_listed),
    refused: all.flatMap(({ error, ...each }) => (error === null ? [] : [{ ...each, error }])),
    isCut,
    ended: [...found.ended.keys()].filter((ref) => !inUse.has(ref)),
    canceled: [...found.canceled.values()].filter(({ ref }) => !inUse.has(ref)),
    similar: similarRows(lines, found.recent).filter(({ ref }) => !inUse.has(ref)),
  };
}

/**
 * Looks through the newest orders, until every reference is found and the orders are too old to be similar, or to be
 * compared at all. True if it stopped at a limit before.
 */
async function readNewestOrders(orders: Orders, found: Lookup): Promise<boolean> {
  const { lines, inUse } = found;
  let cursor: string | null = null;
  let isRecent = lines.size > 0;
  for (let pages = 0; isRecent || inUse.size < lines.size; pages += 1) {
    if (pages === max_lists) return true;
    const query = { limit: page_size, ...(cursor === null ? {} : { cursor }) };
    const { data, service_time }: Awaited<ReturnType<Orders['list']>> = await orders.list({ query });
    const ageOf = (order: Order | undefined) =>
      (service_time ?? Number.NaN) - Date.parse(order?.created_at ?? '');
    for (const order of data.data) noteOrder(order, found, ageOf(order) < similar_ms);
    cursor = data.next_cursor;
    const oldest_ms = ageOf(data.data.at(-1));
    isRecent = oldest_ms < similar_ms;
    if (cursor === null || oldest_ms > reference_use_ms) break;
  }
  return lines.size === max_rows;
}

/** Notes an order, of which newer ones were noted before: the service compares the newest of a reference. */
function noteOrder(
  order: Order,
  { lines, recreatesCanceled, own, ...found }: Lookup,
  isRecent: boolean,
): void {
  const { external_order_ref: ref, id: order_id, status } = order;
  const row = lines.get(ref);
  const isOwn = own.has(order_id);
  const isInUse = isOwn || !['unfulfilled', 'failed', 'canceled'].includes(status);
  if (isInUse && isRecent) found.recent.push(order);
  if (row === undefined) return;
  const { recipient, ...place } = row;
  if (isInUse) {
    const error = isOwn ? null : refusalOf(row, order);
    if (!found.inUse.has(ref)) found.inUse.set(ref, { ...place, ref, order_id, error });
  } else if (!found.ended.has(ref) && !found.canceled.has(ref)) {
    if (status === 'canceled' && recipient !== null && !recreatesCanceled)
      found.canceled.set(ref, { ...place, ref, order_id, error: canceledText(order) });
    else found.ended.set(ref, order);
  }
}

/** Refuses to create an ended order again whose parcel was picked up, and did not come back. */
async function refuseHeldParcels(
  client: Pick<Client, 'deliveries'>,
  { lines, inUse, ended, canceled }: Lookup,
): Promise<void> {
  for (const [ref, order] of ended) {
    const row = lines.get(ref);
    const error = inUse.has(ref) || !row?.recipient ? null : await heldText(client, order);
    if (error === null || row === undefined) continue;
    ended.delete(ref);
    const { line, number } = row;
    canceled.set(ref, { line, number, ref, order_id: order.id, error });
  }
}

/** The rows with the items of an order of another reference for the same name or phone at the same address. */
function similarRows(lines: ReadonlyMap<string, RowOfReference>, recent: readonly Order[]) {
  const orders = new Map<string, Order[]>();
  for (const order of recent)
    for (const key of personKeys(order)) orders.set(key, [...(orders.get(key) ?? []), order]);
  return [...lines].flatMap(([ref, { line, number, recipient }]) => {
    const others = recipient === null ? [] : personKeys(recipient).flatMap((key) => orders.get(key) ?? []);
    const order = others.find(
      (each) => each.external_order_ref !== ref && contentKey(each) === contentKey(recipient ?? {}),
    );
    if (order === undefined) return [];
    const keys = personKeys(order);
    const same = personFields.filter((field) => keys.includes(toRecipient(recipient ?? {})[field]));
    return [{ line, number, ref, same, order_id: order.id, order_ref: order.external_order_ref }];
  });
}

const personFields = ['dropoff_name', 'dropoff_phone_number'] as const;
type PersonField = (typeof personFields)[number];

function personKeys(fields: Fields): string[] {
  const recipient = toRecipient(fields);
  return personFields.map((field) => recipient[field]).filter((key) => key !== '');
}

/** The address and the items, in the form in which they are compared. */
function contentKey(fields: Fields): string {
  const { items, items_description } = fields;
  const named = Array.isArray(items) ? items.filter(isFields) : [];
  const texts = named.map(({ name, quantity = 1 }) => `${quantity} ${textIn(name)}`);
  const words = foldedWords(texts.length === 0 ? textIn(items_description) : texts.sort().join());
  return [toRecipient(fields).dropoff_address, ...words].join(' ');
}

/** Why an import refuses a row whose reference an order has; null if it is the same order, which is left out. */
function refusalOf({ recipient }: RowOfReference, order: Order): string | null {
  const different =
    recipient === null ? [] : recipientDifferences(toRecipient(recipient), toRecipient(order));
  if (different.length === 0) return null;
  const { external_order_ref: ref, id, status, delivery_id } = order;
  const ids = delivery_id === null ? id : `${id}, ${delivery_id}`;
  return inUseText(`"${ref}" is in use by order ${ids} (${status})`, different);
}

/** Why an order that has ended badly is not created again: its parcel was picked up, and did not come back. */
async function heldText({ deliveries }: Pick<Client, 'deliveries'>, order: Order): Promise<string | null> {
  const { external_order_ref: ref, id, delivery_id } = order;
  if (delivery_id === null) return null;
  const found = await deliveries.getDetailed({ params: { deliveryid: delivery_id } }).catch(() => null);
  const held = found === null ? null : unreturnedText(found.data);
  const again = `if another parcel is agreed, \`waybill retry ${delivery_id}\` sends it`;
  return held && `external_order_ref: "${ref}" is that of order ${id}: ${held}; ${again}`;
}

function canceledText({ external_order_ref: ref, id }: Order): string {
  return `external_order_ref: "${ref}" is that of order ${id}, which was canceled: --recreate-canceled creates it again`;
}

/** An order of the service, and the line of the file with its reference. */
interface OrderOfLine extends Pick<NumberedRow, 'line' | 'number'> {
  ref: string;
  order_id: string;
}

/** `6 orders are there already, such as #1001 (ord_1).` */
export function thereAlreadyText(
  count: number,
  { ref, order_id }: Pick<OrderOfLine, 'ref' | 'order_id'>,
): string {
  const example = `${ref} (${order_id})`;
  return count === 1
    ? `One order is there already: ${example}.`
    : `${countText(count, 'order')} are there already, such as ${example}.`;
}

const max_named = 5;

/**
 * Warnings about rows that create an ended order again, or that look like a recent order. With `isListed`, JSON has the
 * list of the latter, so that only the first one is named here.
 */
export function createdAgainTexts(found: FoundReferences | null, isListed: boolean): string[] {
  const { ended = [], similar = [] } = found ?? {};
  const [example = ''] = ended;
  const again =
    ended.length === 1
      ? `One reference is that of an order that failed or was canceled, ${oneLine(example)}: it is created again.`
      : `${formatNumber(ended.length)} references are those of orders that failed or were canceled, such as ${oneLine(example)}: they are created again.`;
  const named = similar.slice(0, isListed ? 1 : max_named).map(({ line, ref, same, order_id, order_ref }) => {
    const order = order_ref === '' ? order_id : `${oneLine(order_ref)} (${order_id})`;
    const words = { dropoff_name: 'name', dropoff_phone_number: 'phone' };
    const shared = same.map((field) => `${words[field]}, `).join('');
    const others = personFields.filter((field) => !same.includes(field));
    const but = others.map((field) => `, but not the ${words[field]}`).join('');
    return `Line ${line}, ${oneLine(ref)}, has the ${shared}address and items${but} of ${order}, created in the last two hours. Is it the same order?`;
  });
  const more = similar.length - named.length;
  return [
    ...(ended.length === 0 ? [] : [again]),
    ...named,
    ...(more > 0 ? [`And ${countText(more, 'more row')} like an order of the last two hours.`] : []),
  ];
}

/** The look at the orders that rows of the file are like, before they are sent; none without such rows. */
export function similarSteps(found: FoundReferences | null): NextStep[] {
  const { similar: [first, ...others] = [] } = found ?? {};
  if (first === undefined) return [];
  const look = others.some(({ order_id }) => order_id !== first.order_id)
    ? invocation('orders list', [], { since: '2h' })
    : invocation('orders get', [first.order_id]);
  return [{ ...look, when: 'first: see whether it is the same order' }];
}

const max_similar = 10;

/** What `createdAgainTexts` says, for programs; null if the orders could not be listed. */
export function createdAgainRecord(found: FoundReferences | null) {
  const similar = found?.similar.slice(0, max_similar).map(({ line, ref, same, order_id, order_ref }) => ({
    line,
    same,
    external_order_ref: ref,
    order_id,
    order_external_order_ref: order_ref,
  }));
  const counts = { created_again: found?.ended.length ?? null, similar_count: found?.similar.length ?? null };
  return { ...counts, similar: similar ?? null };
}
