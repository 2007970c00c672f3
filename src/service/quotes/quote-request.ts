/** Builds the request for a quote that providers get, and the rows of the quotes that they return. */
import { isHouse, readPrecision } from '../../domain/geography.ts';
import { isTooLate } from '../../domain/lateness.ts';
import { planStops, type Stop, totalTenths, zipLegs } from '../../domain/stops.ts';
import type { CourierOrder, CourierStop } from '../../providers/courier.ts';
import type { Quoted, QuoteRequest } from '../../providers/port.ts';
import type { OrderRow, QuoteRow } from '../../storage/database.ts';
import { type OrderEnd, type OrderRecord, orderRecord } from '../orders/order.ts';
import { largestSize } from '../orders/order-request.ts';
import { takeRandomPart } from '../runtime/ids.ts';
import { type Chance, fraction } from '../runtime/random.ts';
import type { QuoteRecord } from './quote.ts';

/** The common part of a quote request: orders in the route's order, and the stops of the route. */
interface Asking {
  /** The key of the couriers' random decisions without a chosen seed: the id of the route, or of the round without one. */
  key: string;
  job_id: string;
  account_id: string;
  now: number;
  test_mode: boolean;
  stops: readonly Stop[];
  /** Whether a simulated courier is asked: it charges by the centres of ZIP codes. */
  is_simulated: boolean;
  orders: readonly AskedOrder[];
  /** From 1. */
  round: number;
  asked_by_name: boolean;
  driver_id?: string | undefined;
}

/** An order as providers are asked about it. */
interface AskedOrder {
  /** Empty if the order is not stored. */
  id: string;
  external_order_ref: string;
  record: OrderRecord;
}

/** A stored order, with the tip of its delivery if that is another one. */
export function askedOrder(row: OrderRow, tip?: number | null): AskedOrder {
  const record = orderRecord(row);
  const { id, external_order_ref } = row;
  return { id, external_order_ref, record: tip === undefined ? record : { ...record, tip } };
}

export function quoteRequestOf(chance: Chance, asking: Asking): QuoteRequest {
  const { key, orders, is_simulated, ...rest } = asking;
  const legs = is_simulated ? zipLegs : (stops: readonly Stop[]) => stops;
  const stops = legs(asking.stops);
  const records = orders.map(({ record }) => record);
  return {
    ...rest,
    stops,
    distance_tenths: totalTenths(stops),
    orders: courierOrders(orders, asking.now),
    direct_tenths: records.map((record) => totalTenths(legs(directStops(record, '')))),
    largest_size: largestSize(records),
    vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
    signature: records.some(({ request_signature }) => request_signature),
    ...agreedTime(records, asking.now),
    scenario: readScenario(records),
    chance: courierChance(chance, records, key),
  };
}

/** Random decisions of couriers: by the fates of the orders with a chosen seed, otherwise by a key. */
export function courierChance(chance: Chance, records: readonly OrderRecord[], key: string) {
  const fates = records.flatMap(({ simulation }) => simulation.fate ?? []);
  const decided = records.length > 0 && fates.length === records.length;
  const by = decided ? fates.toSorted().join(' ') : takeRandomPart(key);
  return (purpose: string) => fraction(chance('provider', by, purpose));
}

/** The scenario of a whole route is that of its first order. */
export function readScenario(records: readonly OrderRecord[]): OrderRecord['simulation']['scenario'] {
  return records[0]?.simulation.scenario ?? 'happy_path';
}

/** The first scheduled time that has not passed; past times count as soon as possible. */
export function agreedTime(records: readonly OrderRecord[], now: number) {
  const ahead = (at: number | null) => (at !== null && at > now ? at : null);
  const times = records.map(({ pickup, dropoff }) => ({
    pickup_at: ahead(pickup.at),
    dropoff_at: ahead(dropoff.at),
  }));
  const none = { pickup_at: null, dropoff_at: null };
  return times.find(({ pickup_at, dropoff_at }) => pickup_at !== null || dropoff_at !== null) ?? none;
}

/** Everything that a courier needs to know about the orders of a route. */
export function courierOrders(orders: readonly AskedOrder[], now: number): CourierOrder[] {
  const time = agreedTime(
    orders.map(({ record }) => record),
    now,
  );
  return orders.map(({ id, external_order_ref, record }) => ({
    order_id: id,
    pickup: courierStop(record.pickup),
    dropoff: courierStop(record.dropoff),
    items: record.items,
    items_description: record.items_description,
    external_order_ref,
    order_value: record.order_value,
    tip: record.tip ?? 0,
    request_signature: record.request_signature,
    request_contactless: record.request_contactless,
    vehicle: record.vehicle,
    undeliverable_action: record.undeliverable_action ?? 'return',
    ...time,
  }));
}

/** Couriers find an address themselves if its house is not known: a street may be miles long. */
function courierStop(end: OrderEnd): CourierStop {
  const { name, phone, address, unit, notes, coordinates } = end;
  return {
    name,
    phone: phone === '' ? '' : `+${phone}`,
    address,
    unit,
    notes,
    ...(coordinates !== undefined && isHouse(readPrecision(end))
      ? { latitude: coordinates.lat, longitude: coordinates.lng }
      : {}),
  };
}

/** The stops of a single order. */
export function directStops({ pickup, dropoff }: OrderRecord, order_id: string): Stop[] {
  return planStops([{ id: order_id, pickup, dropoff }], { optimize: false });
}

/** The orders of a quote request, and what was asked when. */
interface Asked extends Pick<Asking, 'stops' | 'now'> {
  orders: readonly Pick<AskedOrder, 'id' | 'record'>[];
}

/** An answer, marked if it cannot keep the agreed time of one of the orders. Times that have passed do not count. */
export function withLateness<T extends { kind: string }>(
  answer: T | Quoted,
  asked: Asked,
): T | (Quoted & Pick<QuoteRecord, 'too_late'>) {
  if (!isQuoted(answer)) return answer;
  const isLate = asked.orders.some((order) => {
    const eta = (kind: Stop['kind'], otherwise: number) => {
      const isAt = ({ order_ids }: Stop) => asked.orders.length === 1 || order_ids.includes(order.id);
      const place = asked.stops.findIndex((stop) => stop.kind === kind && isAt(stop));
      return answer.stop_etas[place] ?? otherwise;
    };
    const pickup_eta = eta('pickup', answer.pickup_eta);
    const dropoff_eta = eta('dropoff', answer.dropoff_eta);
    return isTooLate({ ...agreedTime([order.record], asked.now), pickup_eta, dropoff_eta });
  });
  return isLate ? { ...answer, too_late: true } : answer;
}

function isQuoted(answer: { kind: string }): answer is Quoted {
  return answer.kind === 'quoted';
}

/** The columns of a quote that the answer of a provider does not contain. */
interface QuoteOrigin
  extends Omit<QuoteRow, 'cost_of_delivery' | 'service_fee' | 'expires_at' | 'record' | 'used_at'> {
  /** Further fields of the record. */
  context: Pick<QuoteRecord, 'round' | 'place'>;
}

export function newQuoteRow(
  quoted: Quoted & Pick<QuoteRecord, 'too_late'>,
  { context, ...origin }: QuoteOrigin,
): QuoteRow {
  const { kind: _, cost_of_delivery, expires_at, service_fee, ...rest } = quoted;
  const record: QuoteRecord = { ...rest, ...context };
  return {
    ...origin,
    cost_of_delivery,
    service_fee,
    expires_at,
    record: JSON.stringify(record),
    used_at: null,
  };
}
