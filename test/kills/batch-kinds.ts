import type { OrderRequest, OrderSettings } from '../../src/contract/orders.ts';
import type { Outcome } from '../../src/contract/vocabulary.ts';

/** A batch to send, with its settings and clock. */
export interface BatchKind {
  settings: OrderSettings;
  vehicle?: 'cargo_van';
  /** Service seconds per second; 0: the clock stands still and is advanced. */
  rate: number;
}

const retries = { mechanism: 'auto', retry_window: 90, retry_interval: 10 } as const;

/** Kinds of batches, sent in turn: all couriers, two without idempotency keys, and with a manual clock. */
export const batch_kinds: readonly BatchKind[] = [
  { settings: retries, rate: 60 },
  { settings: { ...retries, providers: ['flaky_co'] }, rate: 60 },
  // Only haulvan accepts these.
  { settings: retries, vehicle: 'cargo_van', rate: 60 },
  { settings: { ...retries, quote_preference: 'fastest' }, rate: 0 },
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

/** Orders of every scenario in turn; `prefix` starts their references. */
export function ordersOf(batch_kind: BatchKind, prefix: string, count: number): OrderRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Pizza & Friends',
    pickup_phone_number: '+13125550199',
    dropoff_address: `233 S Wacker Dr, Chicago, IL ${zips[index % zips.length]}`,
    dropoff_name: 'Dana Whitfield',
    dropoff_phone_number: `+131255501${numberAt(index)}`,
    items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' as const }],
    external_order_ref: `${prefix}-${index}`,
    ...(index % 3 === 0 ? { tip: 300 } : {}),
    ...(batch_kind.vehicle === undefined ? {} : { vehicle: batch_kind.vehicle }),
  }));
}

/** The required outcome of an order by its index in the batch, whatever the interruptions. */
export function outcomeAt(index: number): Outcome {
  return ends[numberAt(index)] ?? 'dispatched';
}
