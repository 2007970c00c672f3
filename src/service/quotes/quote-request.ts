import { planStops, type Stop, totalTenths } from '../../domain/stops.ts';
import type { QuoteRequest } from '../../providers/port.ts';
import { largestSize, type OrderRecord } from '../orders/order-request.ts';
import { chanceOf } from '../runtime/ids.ts';
import { type Chance, fraction } from '../runtime/random.ts';

/** The common part of a quote request: orders in the route's order, and the stops of the route. */
export interface Asking {
  /** The key of the couriers' random decisions: the id of the route, or of the round without a route. */
  key: string;
  now: number;
  test_mode: boolean;
  stops: readonly Stop[];
  distance_tenths: number;
  records: readonly OrderRecord[];
  /** From 1. */
  round: number;
  asked_by_name: boolean;
}

export function quoteRequestOf(chance: Chance, asking: Asking): QuoteRequest {
  const { key, records, ...rest } = asking;
  return {
    ...rest,
    route_id: key,
    direct_tenths: records.map((record) => totalTenths(directStops(record, ''))),
    largest_size: largestSize(records),
    vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
    signature: records.some(({ request_signature }) => request_signature),
    ...agreedTime(records, asking.now),
    scenario: scenarioOf(records),
    chance: (purpose) => fraction(chance('provider', chanceOf(key), purpose)),
  };
}

/** The scenario of a whole route is that of its first order. */
export function scenarioOf(records: readonly OrderRecord[]): OrderRecord['simulation']['scenario'] {
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

/** The stops of a single order. */
export function directStops({ pickup, dropoff }: OrderRecord, order_id: string): Stop[] {
  return planStops([{ id: order_id, pickup, dropoff }], { optimize: false });
}
