import type { OrderRequest, OrderSettings } from '../../src/contract/orders.ts';
import type { Outcome } from '../../src/contract/vocabulary.ts';

/** A batch to send, with its settings and clock. */
export interface BatchKind {
  settings: OrderSettings;
  /** The orders of a batch, by its number. */
  orders: (batch: number, count: number) => OrderRequest[];
  /** Service seconds per second; 0: the clock stands still and is advanced; null: it is left as it is. */
  rate: number | null;
}

const retries = { mechanism: 'auto', retry_window: 90, retry_interval: 10 } as const;

/** Kinds of batches, sent in turn: all couriers, two without idempotency keys, and with a manual clock. */
export const batch_kinds: readonly BatchKind[] = [
  { settings: retries, orders: ordersOf, rate: 60 },
  { settings: { ...retries, providers: ['flaky_co'] }, orders: ordersOf, rate: 60 },
  { settings: retries, orders: vanOrdersOf, rate: 60 },
  { settings: { ...retries, quote_preference: 'fastest' }, orders: ordersOf, rate: 0 },
];

/** Scenarios by the number of their magic phone number, and the outcome of an order. */
const ends: Readonly<Record<string, Outcome>> = {
  '00': 'dispatched',
  '17': 'dispatched',
  '18': 'failed',
  '19': 'dispatched',
  '20': 'dispatched',
  '21': 'dispatched',
  '25': 'dispatched',
  '38': 'dispatched',
  '22': 'dispatched',
  '24': 'unfulfilled',
};
const numbers = Object.keys(ends);
const zips = ['60606', '60614', '60657', '60611'];

function numberAt(index: number): string {
  return numbers[index % numbers.length] ?? '00';
}

/** Only haulvan accepts these. */
function vanOrdersOf(batch: number, count: number): OrderRequest[] {
  return ordersOf(batch, count).map((order) => ({ ...order, vehicle: 'cargo_van' }));
}

/** Orders of every scenario in turn. */
function ordersOf(batch: number, count: number): OrderRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Pizza & Friends',
    pickup_phone_number: '+13125550199',
    dropoff_address: `233 S Wacker Dr, Chicago, IL ${zips[index % zips.length]}`,
    dropoff_name: 'Dana Whitfield',
    dropoff_phone_number: `+131255501${numberAt(index)}`,
    items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' as const }],
    external_order_ref: `batch-${batch}-${index}`,
    ...(index % 3 === 0 ? { tip: 300 } : {}),
  }));
}

/** The required outcome of an order by its index in the batch, whatever the interruptions. */
export function outcomeAt(index: number): Outcome {
  return ends[numberAt(index)] ?? 'dispatched';
}

/** An order of a shop for couriers that are not simulated. Each recipient has a phone number of their own. */
export function shopOrder(shop: string, number: number): OrderRequest {
  return {
    pickup_address: `${40 + (number % 60)} E Ohio St, Chicago, IL 60611`,
    pickup_name: 'Pizza & Friends',
    pickup_phone_number: '+13122220199',
    dropoff_address: `${200 + number} S Wacker Dr, Chicago, IL 60606`,
    dropoff_unit: 'A'.repeat(1 + (number % 17)),
    dropoff_name: `${shop}-${number}`,
    dropoff_phone_number: `+1312223${String(1000 + number)}`,
    items: [{ name: 'Brisket Classic', quantity: 2, size: 'small' }],
    external_order_ref: `${shop}-${number}`,
    ...(number % 3 === 0 ? { tip: 100 + number } : {}),
  };
}
