import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import { isEnded } from '../../../src/domain/delivery-states.ts';
import type { DeliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import type { Viewing } from '../../../src/service/tracking-page/tracked-delivery.ts';
import type { DeliveryRow } from '../../../src/storage/database.ts';

/** The start time of these deliveries: 6:00 AM in Chicago. */
export const started_at = Date.parse('2026-03-02T12:00:00.000Z');
export const minute = 60_000;

const driven: readonly DeliveryStatus[] = [
  'delivery_created',
  'driver_assigned',
  'enroute_pickup',
  'arrived_at_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'arrived_at_dropoff',
  'dropoff_complete',
  'delivered',
];

/** The usual path to each status off the main path. */
const detours: Partial<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  request: [],
  scheduled: ['scheduled'],
  driver_not_assigned: [...driven.slice(0, 3), 'driver_not_assigned'],
  disputed: [...driven, 'disputed'],
  provider_canceled: [...driven.slice(0, 3), 'provider_canceled'],
  customer_canceled: ['delivery_created', 'customer_canceled'],
  burq_canceled: ['delivery_created', 'driver_assigned', 'burq_canceled'],
  failed: ['delivery_created', 'failed'],
  enroute_to_return: [...driven.slice(0, 7), 'enroute_to_return'],
  returned: [...driven.slice(0, 7), 'enroute_to_return', 'returned'],
};

/** Values that must not occur on a page. */
export const secrets = {
  pickupPhone: '13125550100',
  dropoffPhone: '13125550142',
  courierPhone: '13125550177',
  surname: 'Whitfield',
  recipient: 'Dana',
  courierSurname: 'Okafor',
  street: '233 S Wacker',
  pickupStreet: '43 E Ohio',
  unit: 'Suite 4711',
  notes: 'the code of the gate is 8823',
  order: 'ord_01JXAAAAAAAAAAAAAAAAAAAAAA',
  delivery: 'dlv_01JXAAAAAAAAAAAAAAAAAAAAAA',
  account: 'acct_01JXAAAAAAAAAAAAAAAAAAAAAA',
  quote: 'rq_01JXAAAAAAAAAAAAAAAAAAAAAA',
  price: '8399',
  orderValue: '4242',
  reason: 'internal capacity code 17',
  provider: 'swiftly',
  plate: 'PLT 447',
  signer: 'Danuta',
  token: 'tokentokentokentoken',
  latitude: '41.87',
};

/** What the order and its recipient have in common. */
export const shared = {
  reference: 'ref-90210',
  item: 'Brisket Classic',
  notes: 'Ring twice <b>\nthen wait',
  pin: '0417',
  picture: 'https://proof.example/9.jpg',
};

const pickup = { lat: 41.8925, lng: -87.6262 };
const dropoff = { lat: 41.8789, lng: -87.6359 };
const exact = { precision: 'exact' } as const;

export interface Changes {
  record?: Partial<DeliveryRecord>;
  row?: Partial<DeliveryRow>;
}

/** A delivery that has reached `status` on the usual path, with a step every four minutes. */
export function rowIn(status: DeliveryStatus, changes: Changes = {}): DeliveryRow {
  const steps = detours[status] ?? driven.slice(0, driven.indexOf(status) + 1);
  const history = steps.map((step, index) => ({ status: step, at: started_at + index * 4 * minute }));
  const last = history.at(-1)?.at ?? started_at;
  const record = { ...recordOf(status, history), ...changes.record };
  return {
    id: secrets.delivery,
    account_id: secrets.account,
    test_mode: 0,
    order_id: secrets.order,
    route_id: '',
    status,
    service: secrets.provider,
    external_order_ref: shared.reference,
    pickup_phone: secrets.pickupPhone,
    dropoff_phone: secrets.dropoffPhone,
    tracking_token: secrets.token,
    dropoff_eta: record.dropoff.eta,
    promised_at: record.dropoff.eta,
    store_id: record.store_id,
    dropoff_at: record.dropoff.at,
    ended_at: isEnded(status) ? last : null,
    record: JSON.stringify(record),
    erased_at: null,
    created_at: started_at,
    updated_at: last,
    ...changes.row,
  };
}

/** The page as it is seen at a time, in English unless changed. */
export function seenAt(now: number, changes: Partial<Viewing> = {}): Viewing {
  return {
    now,
    language: 'en',
    shop: { phone: '', logo: '', kind: 'shop' },
    is_among_others: false,
    may_call: false,
    tiles: null,
    is_retried: false,
    ...changes,
  };
}

/** A minute after its last event. */
export function soonAfter(row: DeliveryRow): number {
  return row.updated_at + minute;
}

function recordOf(status: DeliveryStatus, history: DeliveryRecord['status_history']): DeliveryRecord {
  const isDriven = history.some((step) => step.status === 'driver_assigned');
  const isDelivered = history.some((step) => step.status === 'delivered');
  const end = { unit: secrets.unit, notes: secrets.notes, at: null };
  return {
    delivery_type: 'asap',
    quote_id: secrets.quote,
    pickup: {
      ...{ ...end, address: '43 E Ohio St, Chicago, IL 60611, USA' },
      ...{ point: pickup, coordinates: { ...pickup, ...exact } },
      ...{ name: 'Pizza & Friends', phone: secrets.pickupPhone, eta: started_at + 16 * minute },
    },
    dropoff: {
      ...{ ...end, notes: shared.notes, address: '233 S Wacker Dr, Chicago, IL 60606, USA' },
      ...{ point: dropoff, coordinates: { ...dropoff, ...exact } },
      ...{ name: 'Dana Whitfield', phone: secrets.dropoffPhone, eta: started_at + 34 * minute },
    },
    items: [{ name: shared.item, quantity: 4, size: 'small' }],
    items_description: shared.item,
    order_value: Number(secrets.orderValue),
    store_id: null,
    cost_of_delivery: Number(secrets.price),
    payment_amount: Number(secrets.price),
    ...{ tip: Number(secrets.price), fee: Number(secrets.price), upsell: null, subsidized: null },
    refunded_amount: 0,
    cancellation_reason: secrets.reason,
    failure_reason: 'provider_refused',
    failure_message: secrets.reason,
    dispute_reason: secrets.reason,
    driver: isDriven && status !== 'driver_not_assigned' ? driver : null,
    way: isDriven ? way : [],
    proof: isDelivered ? [{ type: 'photo', url: shared.picture, at: started_at + 28 * minute }] : [],
    ...(isDriven && { pin: shared.pin }),
    signature: isDelivered ? { name: secrets.signer, image_url: '', at: started_at + 29 * minute } : null,
    status_history: history,
    reported_at: started_at,
    event_count: 1,
  };
}

const driver: DeliveryRecord['driver'] = {
  name: `Maya ${secrets.courierSurname}`,
  image: 'https://images.example/maya.jpg',
  phone: secrets.courierPhone,
  vehicle_type: 'car',
  vehicle: { type: 'car', make: 'Toyota', model: 'Prius', color: 'blue', license_plate: secrets.plate },
};

/** From the driver's position to the pickup and the dropoff. */
const way = [
  { lat: 41.9002, lng: -87.6402, at: started_at + 4 * minute },
  { ...pickup, at: started_at + 12 * minute },
  { ...pickup, at: started_at + 16 * minute },
  { ...dropoff, at: started_at + 26 * minute },
];
