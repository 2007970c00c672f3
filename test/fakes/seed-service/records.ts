import type { Switches } from './switches.ts';

export type Fields = Record<string, unknown>;
export type Id = number | string;

export interface Order {
  id: Id;
  fields: Fields;
  created_at: number;
  /** Its delivery once it is dispatched. */
  delivery: Delivery | null;
}

export interface Route {
  id: Id;
  orders: Order[];
  status: string;
  /** When its quotes are ready; null before they are requested. */
  quotes_at: number | null;
  quotes: Fields[];
}

export interface Delivery {
  id: Id;
  fields: Fields;
  /** When it was initiated; null before that. */
  begun_at: number | null;
  quote_id: Id;
  created_at: number;
  /** Whether a route was dispatched, rather than a delivery of version 1 created. */
  isOfRoute?: boolean;
}

/** The records of the service. */
export interface Store {
  orders: Order[];
  routes: Route[];
  /** Newest first. */
  deliveries: Delivery[];
  batches: Id[];
  newId(): Id;
}

/** Ids are numbers. */
export function createStore(): Store {
  let last = 4710;
  const newId = () => {
    last += 1;
    return last;
  };
  return { orders: [], routes: [], deliveries: [], batches: [], newId };
}

/** Two quotes: the second one costs less. */
export function quotesOf(route: Route, store: Store, switches: Switches): Fields[] {
  const { fields } = switches;
  const prices = [
    ['speedy', 899, 50],
    ['thrifty', 599, 48],
  ] as const;
  return prices.map(([provider, cost_of_delivery, service_fee]) => ({
    id: store.newId(),
    provider,
    cost_of_delivery,
    service_fee,
    ...(fields === 'minimal'
      ? {}
      : {
          object: 'route_quote',
          account_id: 'merchant-7',
          route_id: route.id,
          expires_at: null,
        }),
  }));
}

const dropoffNames = ['dropoff_address', 'dropoff_name', 'dropoff_notes', 'dropoff_unit'];
const pickupNames = ['pickup_address', 'pickup_name', 'pickup_notes', 'pickup_unit'];

/** A delivery as the interface describes it, at this moment. */
export function deliveryView(delivery: Delivery, now: number, switches: Switches): Fields {
  const { id, fields, begun_at, quote_id, created_at } = delivery;
  const { statuses, step_ms } = switches;
  const steps = begun_at === null ? 0 : Math.min(statuses.length, 1 + Math.floor((now - begun_at) / step_ms));
  const history = statuses.slice(0, steps).map((status, index) => ({
    status,
    created_at: instant((begun_at ?? 0) + index * step_ms),
  }));
  const status = history.at(-1)?.status ?? 'request';
  if (switches.fields === 'minimal')
    return { id, status, external_order_ref: fields.external_order_ref, quote_id };
  const hasDriver = steps > 1;
  return {
    id,
    status,
    delivery_type: 'asap',
    service: 'thrifty',
    tracking_url: `https://tracking.example/${id}`,
    created_at: instant(created_at),
    updated_at: history.at(-1)?.created_at ?? instant(created_at),
    cancellation_reason: null,
    external_order_ref: fields.external_order_ref ?? '',
    order_value: fields.order_value ?? 0,
    proof_of_delivery: [],
    quote_id,
    signature: null,
    status_history: history,
    store_id: null,
    test_mode: true,
    vehicle: null,
    ...{ currency: 'USD', upsell: null, subsidized: null },
    ...{ tip: fields.tip ?? null, payment_amount: 647, fee: 647 },
    pickup_at: null,
    ...textsOf(fields, pickupNames),
    pickup_eta: instant(created_at + 600_000),
    pickup_phone_number: plain(fields.pickup_phone_number),
    dropoffs: [
      {
        dropoff_at: null,
        ...textsOf(fields, dropoffNames),
        dropoff_eta: instant(created_at + 1_800_000),
        dropoff_phone_number: plain(fields.dropoff_phone_number),
      },
    ],
    items_description: fields.items_description ?? '',
    items: fields.items ?? [],
    courier_name: hasDriver ? 'Sam' : null,
    courier_img: null,
    courier_phone_number: hasDriver ? '13125550177' : null,
    courier_vehicle_type: hasDriver ? 'car' : null,
    courier_location_lat: null,
    courier_location_lng: null,
  };
}

const orderFields = ['external_order_ref', ...pickupNames, ...dropoffNames];

/** An order of version 2, whose status is that of the dispatch. */
export function orderView({ id, fields, created_at, delivery }: Order, switches: Switches): Fields {
  const status = delivery === null ? 'open' : 'dispatched';
  return {
    id,
    ...(switches.orderList === 'withStatus' ? { status } : {}),
    created_at: instant(created_at),
    ...textsOf(fields, orderFields),
    ...(fields.items === undefined ? {} : { items: fields.items }),
  };
}

function textsOf(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? '']));
}

function plain(phone: unknown): string {
  return String(phone ?? '').replace(/^\+/, '');
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
