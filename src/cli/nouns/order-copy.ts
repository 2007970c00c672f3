/** Copies of orders for --like: what of an order its copy has. */
import { ApiError } from '../../client/errors.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import type { Fields } from '../../domain/fields.ts';
import { pickupFields } from '../../domain/order-rules.ts';
import { withPlus } from '../../domain/search-text.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { findOrderId, several } from './find-order.ts';

type Changes = Partial<OrderRequest>;

/**
 * Copies an order for `--like`, found by its ID, its delivery's ID or its reference, as a request. If its store no
 * longer exists, the copy has the store's fields. Fails with exit 5 if there is no such order, and with exit 2 if
 * several that differ have the reference.
 */
export async function copyLike(context: Context, like: string, changes: Changes): Promise<Changes> {
  const { order, now } = await fetchOriginal(context, like);
  if (!context.output.json && (order.status === 'open' || order.status === 'routed')) {
    const [send, cancel] = [invocation('ship', [like]), invocation('orders cancel', [like])];
    context.note(
      phrase`${like} is still open, and this is a second order. Without it: ${send}. To drop the first one: ${cancel}`,
    );
  }
  const { pickup_store_id: store_id } = order;
  const isGone = store_id !== null && keepsStore(order, changes) && (await isStoreGone(context, store_id));
  if (!isGone) return copyOf(order, now, changes);
  context.note(`The store of ${order.id} is gone: its pickup fields are copied instead.`);
  return copyOf({ ...order, pickup_store_id: null }, now, changes);
}

interface Original {
  order: Order;
  /** The service's time in milliseconds since the epoch. */
  now: number;
}

async function fetchOriginal(context: Context, like: string): Promise<Original> {
  const client = await context.client();
  const contentOf = (order: Order) => JSON.stringify(copyOf(order, 0, {}));
  // A command that is repeated finds its own copy beside the original: either makes the same copy.
  const onOthers = (latest: Order, others: readonly Order[]) => {
    if (others.some((each) => contentOf(each) !== contentOf(latest)))
      throw several(like, [latest, ...others]);
  };
  const order_id = await findOrderId(context, like, { onOthers });
  const call = client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
  const { data, service_time } = await call;
  // A tip may have been given with the dispatch alone.
  return { order: { ...data, tip: data.delivery?.tip ?? data.tip }, now: service_time ?? context.now() };
}

/** True if the service responds that the store does not exist; after any other error the copy is attempted. */
async function isStoreGone(context: Context, store_id: string): Promise<boolean> {
  const client = await context.client();
  try {
    await client.stores.get({ params: { store_id } });
    return false;
  } catch (error) {
    if (error instanceof ApiError) return error.status === 404;
    throw error;
  }
}

/** True if a copy of the order with the changes keeps its store. */
function keepsStore(order: Order, changes: Fields): boolean {
  return order.pickup_store_id !== null && changes.pickup_store_id === undefined && !changesPlace(changes);
}

/**
 * The request that creates an order again; times before `now` and values that were not given are left out. An order
 * from a store keeps the store, unless the changes are to its pickup: then it has the store's fields.
 */
export function copyOf(order: Order, now: number, changes: Fields = {}): Partial<OrderRequest> {
  const { pickup_at, dropoff_at, tip, vehicle, pickup_store_id, undeliverable_action } = order;
  return {
    ...(pickup_store_id !== null && !changesPlace(changes) ? { pickup_store_id } : pickupOf(order)),
    dropoff_address: order.dropoff_address,
    ...(order.dropoff_precision === 'exact'
      ? { dropoff_latitude: order.dropoff_latitude, dropoff_longitude: order.dropoff_longitude }
      : {}),
    dropoff_name: order.dropoff_name,
    dropoff_phone_number: withPlus(order.dropoff_phone_number),
    ...givenTextsOf(order, copiedTextFields),
    ...(isAhead(pickup_at, now) ? { pickup_at } : {}),
    ...(isAhead(dropoff_at, now) ? { dropoff_at } : {}),
    ...(order.items.length === 0 ? {} : { items: order.items }),
    ...(order.order_value === 0 ? {} : { order_value: order.order_value }),
    ...(tip === 0 ? {} : { tip }),
    ...(vehicle === '' ? {} : { vehicle }),
    ...(isDefaultAction(undeliverable_action) ? {} : { undeliverable_action }),
    request_signature: order.request_signature,
    request_contactless: order.request_contactless,
  };
}

export function changesPlace(changes: Fields): boolean {
  return pickupFields.some((field) => changes[field] !== undefined);
}

/** Whether the action is the default; empty where a service other than waybill's leaves it out. */
function isDefaultAction(action: string): boolean {
  return action === '' || action === 'return';
}

function pickupOf(order: Order): Partial<OrderRequest> {
  return {
    pickup_address: order.pickup_address,
    ...(order.pickup_precision === 'exact'
      ? { pickup_latitude: order.pickup_latitude, pickup_longitude: order.pickup_longitude }
      : {}),
    pickup_name: order.pickup_name,
    pickup_phone_number: withPlus(order.pickup_phone_number),
    ...givenTextsOf(order, ['pickup_unit', 'pickup_notes']),
  };
}

const copiedTextFields = [
  'dropoff_email',
  'dropoff_unit',
  'dropoff_notes',
  'items_description',
  'external_order_ref',
];

function givenTextsOf(order: Order, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(order).filter(([name, value]) => names.includes(name) && value !== ''),
  );
}

function isAhead(instant: string | null, now: number): instant is string {
  return instant !== null && Date.parse(instant) > now;
}
