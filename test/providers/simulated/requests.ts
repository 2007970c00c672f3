import { readFileSync } from 'node:fs';
import { findCentroid } from '../../../src/domain/gazetteer.ts';
import type { Place } from '../../../src/domain/geography.ts';
import { type OrderPlaces, planStops, totalTenths } from '../../../src/domain/stops.ts';
import type {
  AcceptedOrder,
  AcceptedRoute,
  CancelRequest,
  CreateRequest,
  DueReport,
  QuoteRequest,
} from '../../../src/providers/port.ts';
import { couriers } from '../../../src/providers/simulated/couriers.ts';
import { type Simulated, simulated } from '../../../src/providers/simulated/simulated-provider.ts';
import { memoryRecords } from './memory-records.ts';

const table = readFileSync(new URL('../../../src/service/runtime/zips.bin', import.meta.url));

export const now = Date.UTC(2030, 0, 1);
export const tomorrow = now + 24 * 60 * 60_000;

export const MINUTE = 60_000;
export const names = ['swiftly', 'metrobike', 'poolride', 'haulvan', 'nightowl', 'flaky_co'];

export function provider(name: string): Simulated {
  const courier = couriers.find((candidate) => candidate.name === name);
  if (courier === undefined) throw new Error(`no provider ${name}`);
  return simulated(courier, memoryRecords());
}

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

/** A quote request for these orders, asked by name, as soon as possible, with one small item. */
export function quoteRequest(orders: OrderPlaces[], changes: Partial<QuoteRequest> = {}): QuoteRequest {
  const stops = planStops(orders, { optimize: false });
  return {
    job_id: 'job_1',
    account_id: 'acct_1',
    now,
    test_mode: true,
    stops,
    orders: [],
    distance_tenths: totalTenths(stops),
    direct_tenths: orders.map((order) => totalTenths(planStops([order], { optimize: false }))),
    largest_size: 'small',
    vehicles: [],
    signature: false,
    pickup_at: null,
    dropoff_at: null,
    asked_by_name: true,
    scenario: 'happy_path',
    round: 1,
    chance: () => 0.5,
    ...changes,
  };
}

type Wish = Partial<Pick<AcceptedOrder, 'scenario' | 'request_signature' | 'request_contactless'>>;

/** A route accepted now, as soon as possible, with changes for each order. */
export function acceptedRoute(
  orders: OrderPlaces[],
  wishes: readonly Wish[] = [],
  changes: Partial<AcceptedRoute> = {},
): AcceptedRoute {
  return {
    route_id: 'rte_1',
    reference: 'dsp_1',
    accepted_at: now,
    stops: planStops(orders, { optimize: false }),
    orders: orders.map(({ id }, index) => ({
      order_id: id,
      recipient: `Recipient ${index}`,
      request_signature: false,
      request_contactless: false,
      scenario: 'happy_path',
      ...wishes[index],
    })),
    pickup_at: null,
    dropoff_at: null,
    chance: () => 0.5,
    ...changes,
  };
}

/** The reports of one order from 60611 to 60606, scheduled for tomorrow if the courier requires it. */
export function feedOfOne(name: string, wish: Wish = {}, changes: Partial<AcceptedRoute> = {}): DueReport[] {
  const pickup_at = name === 'nightowl' ? tomorrow : null;
  const route = acceptedRoute(ordersFrom('60611', '60606'), [wish], { pickup_at, ...changes });
  return [...provider(name).feed(route)];
}

/** Status and minutes of each report, in order of arrival. */
export function reportedStatuses(feed: readonly DueReport[], from = now): [string | null, number][] {
  return feed.map(({ report }) => [report.status, (report.occurred_at - from) / MINUTE]);
}

/** A cancellation of a delivery that cost $10.01, three minutes after acceptance. */
export function cancelRequest(changes: Partial<CancelRequest> = {}): CancelRequest {
  return {
    account_id: 'acct_1',
    test_mode: true,
    reference: 'dsp_1',
    order_id: 'ord_0',
    now: now + 3 * MINUTE,
    status: 'delivery_created',
    accepted_at: now,
    pickup_eta: tomorrow,
    cost_of_delivery: 1001,
    scenario: 'happy_path',
    ...changes,
  };
}

/** A dispatch of a route without orders: simulated couriers know it by its id. */
export function createRequest(changes: Partial<CreateRequest> = {}): CreateRequest {
  return {
    ...{ key: 'k', reference: 'dsp_1', route_id: 'rte_1', quote_id: 'quo_1' },
    ...{ account_id: 'acct_1', test_mode: true, now, scenario: 'happy_path' },
    ...{ quote_references: [], orders: [] },
    renew: async () => {},
    isCanceled: async () => false,
    crash: () => {},
    ...changes,
  };
}
