import type { PlatformSwitches } from './switches.ts';

export type Fields = Record<string, unknown>;

export interface PlatformDelivery {
  id: string;
  fee: number;
  provider: string;
  quote_id: string | null;
  begun_at: number;
  /** A status that holds from now on, such as that of a cancellation. */
  held: string | null;
  /** Of a version 1 delivery: the request. Null for that of a version 2 order. */
  fields: Fields | null;
}

export interface PlatformOrder {
  id: string;
  fields: Fields;
  /** The tries, the latest one last. */
  deliveries: PlatformDelivery[];
}

export interface PlatformRoute {
  id: string;
  orders: PlatformOrder[];
  polls: number | null;
  isDispatched: boolean;
}

export interface PlatformStore {
  orders: PlatformOrder[];
  routes: PlatformRoute[];
  /** Deliveries that version 1 created. */
  alone: PlatformDelivery[];
  newId(prefix: string): string;
}

export function platformStore(): PlatformStore {
  let count = 0;
  const newId = (prefix: string) => {
    count += 1;
    return `${prefix}${(0x33692b6e + count * 7919).toString(36)}`;
  };
  return { orders: [], routes: [], alone: [], newId };
}

export function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function statusOf({ held, begun_at }: PlatformDelivery, { statuses, step_ms }: PlatformSwitches): string {
  const at = Math.min(statuses.length - 1, Math.floor((Date.now() - begun_at) / step_ms));
  return held ?? statuses[at] ?? '';
}

/** A delivery may be shown only some time after its dispatch. */
export function isShown({ begun_at }: PlatformDelivery, { hidden_ms }: PlatformSwitches): boolean {
  return Date.now() - begun_at >= hidden_ms;
}

/** An order as version 2 has it: without a status. */
export function orderShown(
  { id, fields, deliveries }: PlatformOrder,
  isExpanded: boolean,
  switches: PlatformSwitches,
): Fields {
  const latest = deliveries.findLast((each) => isShown(each, switches));
  return {
    ...{ id, test_mode: true, checkout_url: `https://checkout.example/${id}`, order_token: `t_${id}` },
    ...fields,
    ...(switches.hasStatus ? { status: latest === undefined ? 'open' : (latest.held ?? 'dispatched') } : {}),
    ...(isExpanded || switches.hasStatus
      ? { latest_delivery: latest === undefined ? null : nested(latest, id, switches) }
      : {}),
  };
}

function nested(delivery: PlatformDelivery, order_id: string, switches: PlatformSwitches): Fields {
  const status = statusOf(delivery, switches);
  const isDone = status === 'delivered';
  return {
    ...{ id: delivery.id, status, provider: delivery.provider, provider_id: `del_${delivery.id.slice(2)}` },
    tracking_url: `https://tracking.example/orders/track/${order_id}`,
    courier: /driver|enroute|deliver(?!y)/.test(status)
      ? { name: 'Sam Roe', phone_number_for_customer: '+13125550199' }
      : null,
    ...{ total_amount_due: isDone ? delivery.fee : null, fee: delivery.fee, currency: 'USD' },
    quote_id: delivery.quote_id,
    proof_of_delivery_image_urls: isDone ? ['https://pictures.example/1.jpg'] : [],
    signature_image_url: null,
    ...times(delivery),
  };
}

function times({ begun_at }: PlatformDelivery): Fields {
  const created_at = new Date(begun_at).toISOString();
  return { created_at, updated_at: new Date().toISOString() };
}

/** A delivery as version 1 has it. */
export function flatShown(
  delivery: PlatformDelivery,
  order: PlatformOrder | null,
  switches: PlatformSwitches,
): Fields {
  const { id, fee, provider, fields, begun_at } = delivery;
  const from = fields ?? flatFields(order?.fields ?? {});
  const dropoff = Object.fromEntries(Object.entries(from).filter(([name]) => name.startsWith('dropoff_')));
  const pickup = Object.fromEntries(Object.entries(from).filter(([name]) => name.startsWith('pickup_')));
  const status = statusOf(delivery, switches);
  return {
    ...{
      id,
      status,
      service: provider,
      fee,
      test_mode: true,
      tracking_url: `https://tracking.example/${id}`,
    },
    external_order_ref: from.external_order_ref ?? null,
    ...(order === null ? {} : { order_id: order.id }),
    ...pickup,
    dropoffs: [dropoff],
    proof_of_delivery: [],
    status_history: switches.hasHistory
      ? [{ status: switches.statuses[0], created_at: new Date(begun_at).toISOString() }]
      : [],
    ...times(delivery),
  };
}

function flatFields({ pickup, dropoff, ...others }: Fields): Fields {
  const named = (end: string, stop: unknown) =>
    Object.fromEntries(Object.entries(fieldsIn(stop)).map(([name, value]) => [`${end}_${name}`, value]));
  return { ...others, ...named('pickup', pickup), ...named('dropoff', dropoff) };
}
