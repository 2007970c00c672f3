import { readFileSync } from 'node:fs';
import { type OrderPlaces, type Place, planStops, totalTenths } from '../../src/domain/stops.ts';
import { findCentroid } from '../../src/domain/zips.ts';
import type { QuoteRequest } from '../../src/providers/port.ts';

const table = readFileSync(new URL('../../src/service/zips.bin', import.meta.url));

export const now = Date.UTC(2030, 0, 1);
export const tomorrow = now + 24 * 60 * 60_000;

export function place(street: string, zip: string): Place {
  const point = findCentroid(table, zip);
  if (point === null) throw new Error(`no centroid for ${zip}`);
  return { address: `${street}, Town, ST ${zip}, USA`, point };
}

/** Orders from one address to one in each ZIP code. */
export function ordersFrom(pickup: string, ...dropoffs: string[]): OrderPlaces[] {
  return dropoffs.map((zip, index) => ({
    id: `ord_${index}`,
    pickup: place('1 Shop St', pickup),
    dropoff: place(`${index} Home St`, zip),
  }));
}

/** A request for orders as they are given, asked by name, as soon as possible, of one small item. */
export function quoteRequest(orders: OrderPlaces[], changes: Partial<QuoteRequest> = {}): QuoteRequest {
  const stops = planStops(orders, { optimize: false });
  return {
    route_id: 'rte_1',
    now,
    test_mode: true,
    stops,
    distance_tenths: totalTenths(stops),
    direct_tenths: orders.map((order) => totalTenths(planStops([order], { optimize: false }))),
    largest_size: 'small',
    vehicles: [],
    signature: false,
    pickup_at: null,
    dropoff_at: null,
    asked_by_name: true,
    chance: () => 0.5,
    ...changes,
  };
}
