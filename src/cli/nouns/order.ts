/** An order: its columns, what it cost, and how it is created and read. */
import { assumedOrder } from '../../client/answers.ts';
import type { Client } from '../../client/client.ts';
import { ApiError, ifSupported, unlessMissing } from '../../client/errors.ts';
import { allRecords } from '../../client/pages.ts';
import type { Charge } from '../../contract/accounting.ts';
import type { AcceptedBatch } from '../../contract/batches.ts';
import type { Item, Order, OrderRequest } from '../../contract/orders.ts';
import { findZone } from '../../domain/addresses.ts';
import { isDriven, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { hour_ms } from '../../domain/durations.ts';
import { dollars } from '../../domain/money.ts';
import { reference_use_ms } from '../../domain/references.ts';
import { foldedText, withPlus } from '../../domain/search-text.ts';
import { Failure } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { type Column, wide } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { distanceColumns } from './distance.ts';

/** The zone of the store of an order or delivery; null if the service does not return the record. */
export async function zoneOfStore(
  client: Client,
  record: { order_id: string } | { deliveryid: string },
): Promise<string | null> {
  const call: Promise<{ data: { pickup_address?: string | null } }> =
    'order_id' in record ? client.orders.get({ params: record }) : client.deliveries.get({ params: record });
  return unlessMissing(
    ifSupported(
      call.then(({ data }) => storeZone(data)),
      null,
    ),
  );
}

export const orderColumns: readonly Column<Order>[] = inStoreZone([
  { field: 'id', header: 'ID', kind: 'id', isFoundByEnd: true },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'external_order_ref', header: 'Ref', kind: 'text' },
  { field: 'pickup_name', header: 'Pickup', kind: 'text', spare: 1, isName: true },
  { field: 'dropoff_name', header: 'Dropoff', kind: 'text', isName: true },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 2 },
  ...wide([
    { field: 'route_id', header: 'Route', kind: 'id' },
    { field: 'delivery_id', header: 'Delivery', kind: 'id' },
    { field: 'batch_id', header: 'Batch', kind: 'id' },
    { field: 'dropoff_address', header: 'To', kind: 'text' },
    ...coordinateColumns('dropoff'),
    { field: 'pickup_address', header: 'From', kind: 'text' },
    ...coordinateColumns('pickup'),
    ...distanceColumns<Order>((order) => ({ ...order, places: order })),
    { field: 'pickup_unit', header: 'Pickup unit', kind: 'text' },
    phoneColumn('pickup'),
    { field: 'pickup_store_id', header: 'Store ID', kind: 'id' },
    {
      field: 'store_name',
      header: 'Store',
      kind: 'text',
      value: (order) => order.pickup_store_id && order.pickup_name,
    },
    { field: 'pickup_notes', header: 'Pickup notes', kind: 'text' },
    { field: 'pickup_at', header: 'Pickup at', kind: 'time', askedBy: ['scheduled'], unlessEmpty: true },
    { field: 'dropoff_unit', header: 'Dropoff unit', kind: 'text' },
    phoneColumn('dropoff'),
    { field: 'dropoff_email', header: 'Dropoff e-mail', kind: 'email', unlessEmpty: true },
    { field: 'dropoff_notes', header: 'Dropoff notes', kind: 'text' },
    {
      field: 'dropoff_at',
      header: 'Dropoff at',
      kind: 'time',
      askedBy: ['due', 'scheduled'],
    },
    {
      field: 'items',
      header: 'Items',
      kind: 'text',
      only: 'people',
      value: shownItems,
    },
    {
      field: 'items',
      header: 'Items',
      kind: 'text',
      only: 'programs',
      value: ({ items }) => (items.length === 0 ? null : JSON.stringify(items)),
    },
    { field: 'items_description', header: 'Description', kind: 'text', only: 'programs' },
    {
      field: 'order_value',
      header: 'Order value',
      kind: 'money',
      askedBy: ['minValue'],
    },
    { field: 'tip', header: 'Tip', kind: 'money', askedBy: ['minTip'] },
    { field: 'vehicle', header: 'Vehicle', kind: 'text' },
    { field: 'undeliverable_action', header: 'If undeliverable', kind: 'text' },
    { field: 'request_signature', header: 'Signature', kind: 'text' },
    { field: 'request_contactless', header: 'Contactless', kind: 'text' },
    { field: 'test_mode', header: 'Test mode', kind: 'text' },
    { field: 'updated_at', header: 'Updated', kind: 'time' },
  ]),
]);

/**
 * Programs get only coordinates that were given with the order: an import of the CSV would take all others for exact.
 * People see all that are better than the centre of the ZIP code.
 */
function coordinateColumns(end: 'pickup' | 'dropoff'): Column<Order>[] {
  const isExact = (order: Order) => order[`${end}_precision`] === 'exact';
  const programs = (name: 'latitude' | 'longitude'): Column<Order> => ({
    field: `${end}_${name}`,
    header: `${end} ${name}`,
    kind: 'text',
    only: 'programs',
    value: (order) => (isExact(order) ? order[`${end}_${name}`] : null),
  });
  return [
    programs('latitude'),
    programs('longitude'),
    { field: `${end}_precision` as const, header: `${end} precision`, kind: 'text', only: 'programs' },
    {
      field: `${end}_precision`,
      kind: 'text',
      only: 'people',
      unlessEmpty: true,
      header: end === 'pickup' ? 'Pickup place' : 'Dropoff place',
      value: (order) =>
        pointText(order[`${end}_latitude`], order[`${end}_longitude`], order[`${end}_precision`]),
    },
  ];
}

/** `41.87888, -87.63591 (house)`; empty for the centre of a ZIP code. */
export function pointText(latitude: number, longitude: number, precision: string): string {
  return precision === 'zip' || precision === '' ? '' : `${latitude}, ${longitude} (${precision})`;
}

/** People read the times of an order in the zone of its pickup. */
function inStoreZone(columns: readonly Column<Order>[]): Column<Order>[] {
  return columns.map((column) => ({ ...column, zone: storeZone }));
}

/** With the plus that marks the country code, so that what is exported as CSV can be imported. */
function phoneColumn(end: 'pickup' | 'dropoff'): Column<Order> {
  const field = `${end}_phone_number` as const;
  const header = end === 'pickup' ? 'Pickup phone' : 'Dropoff phone';
  return { field, header, kind: 'phone', value: (order) => withPlus(order[field]) };
}

/** `4 x Brisket Classic (small)`; a service may leave out the size. */
export function itemText({
  name,
  quantity,
  size,
}: Pick<Item, 'name' | 'quantity'> & { size: string }): string {
  return `${quantity} x ${name}${size === '' ? '' : ` (${size})`}`;
}

/** What is delivered, for people: the items and their description. */
export function shownItems({ items, items_description: text }: ItemsOf): string[] {
  return [...items.map(itemText), ...(text ? [text] : [])];
}

interface ItemsOf {
  items: readonly Parameters<typeof itemText>[0][];
  items_description: string;
}

/** The cost of an order over all its deliveries, in cents: each attempt, oldest first, and their sum. */
export interface OrderCost {
  paid: number;
  attempts: { delivery_id: string; paid: number; refunded: number }[];
}

/** All charges of a delivery, or of all deliveries of an order, newest first. */
export async function fetchCharges(
  { client }: Pick<Context, 'client'>,
  query: { delivery_id: string } | { order_id: string },
): Promise<Charge[]> {
  const { charges } = await client();
  return allRecords(charges.list, { ...query, limit: 100 });
}

export function sumOrderCost(charges: readonly Charge[]): OrderCost {
  const attempts = new Map<string, OrderCost['attempts'][number]>();
  for (const { delivery_id, amount } of charges.toReversed()) {
    const { paid, refunded } = attempts.get(delivery_id) ?? { paid: 0, refunded: 0 };
    const back = amount < 0 ? -amount : 0;
    attempts.set(delivery_id, { delivery_id, paid: paid + amount, refunded: refunded + back });
  }
  const all = [...attempts.values()];
  return { paid: all.reduce((sum, each) => sum + each.paid, 0), attempts: all };
}

/** `The order cost $11.52 in all: dlv_1 $2.99 ($3.48 of $6.47 refunded), dlv_2 $8.53.` */
export function costText({ paid, attempts }: OrderCost): string {
  const back = (each: OrderCost['attempts'][number]) =>
    each.refunded === 0
      ? ''
      : ` (${dollars(each.refunded)} of ${dollars(each.paid + each.refunded)} refunded)`;
  const parts = attempts.map((each) => `${each.delivery_id} ${dollars(each.paid)}${back(each)}`);
  return `The order cost ${dollars(paid)} in all: ${parts.join(', ')}.`;
}

/** The IANA time zone of the store of an order or a delivery: that of its pickup address; null if it is unknown. */
export function storeZone({ pickup_address }: { pickup_address?: string | null }): string | null {
  return findZone(pickup_address ?? '');
}

/** The same from the same person so soon after is one order that was sent twice, rather than another meal. */
const repeated_ms = 6 * hour_ms;

/** An order is due this long before its agreed time. */
export const due_ahead_ms = hour_ms;

export function isUnsent({ status }: Order): boolean {
  return status === 'open' || status === 'routed';
}

/** Whether it has an agreed time. */
export function isPreorder({ pickup_at, dropoff_at }: Order): boolean {
  return Boolean(pickup_at ?? dropoff_at);
}

/** Whether it waits for a driver: it is not sent, or no driver is assigned; a pre-order only if it is due soon. */
export function isWaiting(order: Order, now: number): boolean {
  const { status, delivery_status: latest, dropoff_at, pickup_at } = order;
  const due = dropoff_at ?? pickup_at;
  if (due && Date.parse(due) > now + due_ahead_ms) return false;
  if (status !== 'dispatched' || !latest) return isUnsent(order);
  return !isDriven(latest) && !isEnded(latest) && !isPickedUp(latest);
}

/**
 * The orders that another one seems to repeat, side by side: with the same reference, or for the same recipient at the
 * same address within six hours. One that came to nothing was sent again on purpose.
 */
export function keepRepeated(orders: readonly Order[]): Order[] {
  const going = orders.filter(({ status }) => !['canceled', 'failed', 'unfulfilled'].includes(status));
  const referenceOf = ({ external_order_ref: ref, id }: Order) => ref || id;
  const recipientOf = ({
    dropoff_name: name,
    dropoff_phone_number: phone,
    dropoff_address: address,
  }: Order) => [name, phone, address].map(foldedText).join('\n');
  const gapOf = (one: Order, other: Order) =>
    Math.abs(Date.parse(one.created_at) - Date.parse(other.created_at));
  const isRepeated = (each: Order, others: readonly Order[], within_ms: number) =>
    others.some((other) => other !== each && gapOf(each, other) <= within_ms);
  const found = [
    ...[...Map.groupBy(going, referenceOf).values()].map((group) => ({ group, within_ms: reference_use_ms })),
    ...[...Map.groupBy(going, recipientOf).values()].map((group) => ({ group, within_ms: repeated_ms })),
  ].flatMap(({ group, within_ms }) => group.filter((each) => isRepeated(each, group, within_ms)));
  return [...new Set(found)];
}

/** Creates an order for manual dispatch. Sent again with the same key, it is created once; the answer is the order as it is now. */
export async function createOrder(
  context: Context,
  request: OrderRequest,
  idempotencyKey: string,
  { headers = {}, ...check }: { headers?: Record<string, string>; unique_ref?: true } = {},
): Promise<Order> {
  const client = await context.client();
  const send = (order: OrderRequest) =>
    client.orders.create({ body: { orders: [order], ...check }, headers, idempotencyKey });
  const { data, replayed } = await send(request).catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'dimensions_required') throw error;
    const { withParcel } = await import('./parcel.ts');
    return send(await withParcel(context, request, error));
  });
  return orderNow(context, orderIn(data), replayed);
}

/** The order of an answer; of the answer to a repeat, which is that of the first time, as it is now. */
export async function orderNow(context: Context, order: Order, replayed: boolean): Promise<Order> {
  return (replayed ? await fetchOrder(context, order.id) : null) ?? order;
}

/** The order in the response to a manual dispatch. */
export function orderIn(answer: Order | AcceptedBatch): Order {
  if (answer.object === 'order') return answer;
  const { batch_id } = answer;
  throw new Failure(7, 'unexpected_answer', `The service accepted the order, but as batch ${batch_id}.`, {
    next: [{ ...invocation('batches get', [batch_id]), when: 'see what becomes of it' }],
  });
}

export async function getOrder(service: Pick<Context, 'client'>, order_id: string): Promise<Order> {
  const client = await service.client();
  return (await client.orders.get({ params: { order_id } })).data;
}

/** Gets the current order; null if it no longer exists. If the service cannot look orders up, it counts as open. */
export function fetchOrder(service: Pick<Context, 'client'>, order_id: string): Promise<Order | null> {
  return ifSupported(unlessMissing(getOrder(service, order_id)), assumedOrder(order_id));
}
