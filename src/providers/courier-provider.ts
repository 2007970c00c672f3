/** Makes a provider of the adapter of a courier that a merchant connects. */
import type { VehicleType } from '../contract/vocabulary.ts';
import { sizeNames } from '../domain/order-rules.ts';
import type { Stop } from '../domain/stops.ts';
import type {
  Courier,
  CourierAdapter,
  CourierOrder,
  CourierPorts,
  CourierQuote,
  CourierSettings,
} from './courier.ts';
import {
  type BookingCourier,
  bookRoute,
  type CourierBookings,
  cancelBooking,
  cancelBookingTerms,
  findRoute,
  updateBooking,
} from './courier-bookings.ts';
import {
  type DeclineCode,
  type Declined,
  type Provider,
  ProviderFault,
  type ProviderScope,
  type QuoteAnswer,
  type QuoteRequest,
} from './port.ts';

/** Sends the requests of an account in one mode to couriers. */
export type CourierHttp = (scope: ProviderScope) => CourierPorts['http'];

export interface CourierParts {
  /** The settings with which an account has connected a courier; null if it has not. */
  settings: (courier: string, scope: ProviderScope) => Promise<CourierSettings | null>;
  bookings: CourierBookings;
  http: CourierHttp;
  now: CourierPorts['now'];
}

/** The time limit of a call: more than two requests to the courier, less than a task may hang. */
const time_limit_ms = 9_000;

/** A courier that merchants can connect; its code is loaded on first use. */
export interface ConnectableCourier {
  name: string;
  load: () => Promise<CourierAdapter>;
}

/** Couriers that were not used for long make room when there are too many. */
const max_kept = 1_000;

/**
 * Connects accounts to a courier. A connection is kept while its settings stay the same, because it may hold what the
 * courier has handed out, such as an access token. Null if the account has not connected the courier.
 */
function createConnector(
  name: string,
  { settings, http, now }: CourierParts,
): (adapter: CourierAdapter, scope: ProviderScope) => Promise<Courier | null> {
  const kept = new Map<string, { settings: string; courier: Courier }>();
  return async (adapter, { account_id, test_mode }) => {
    const given = await settings(name, { account_id, test_mode });
    if (given === null) return null;
    const id = `${account_id} ${test_mode}`;
    const text = JSON.stringify(given);
    const known = kept.get(id);
    if (known?.settings === text) return known.courier;
    const courier = adapter.connect(given, { http: http({ account_id, test_mode }), now, test_mode });
    if (kept.size >= max_kept) kept.clear();
    kept.set(id, { settings: text, courier });
    return courier;
  };
}

/**
 * A provider that carries routes with a courier company that merchants connect. Each order of a route is a delivery of
 * its own there: their quotes are added up, and they are booked one after the other.
 */
export function courierProvider({ name, load }: ConnectableCourier, parts: CourierParts): Provider {
  const { bookings } = parts;
  const connect = createConnector(name, parts);
  const open = async (scope: ProviderScope): Promise<BookingCourier> => {
    const adapter = await load();
    return { adapter, bookings, courier: await connect(adapter, scope) };
  };
  const named = withScopeInFaults(name);
  return {
    name,
    answer_delay_ms: 0,
    only_when_named: false,
    is_remote: true,
    quotes_at_once: false,
    takes_recipient_calls: false,
    time_limit_ms,
    isAvailable: ({ connected }) => connected.includes(name),
    quote: named(async (request) => {
      const { adapter, courier } = await open(request);
      const decline = declineByCapabilities(adapter, request);
      if (decline !== null) return decline;
      return courier === null ? notConnected(adapter) : quoteRoute(courier, request, parts.now());
    }),
    create: named(async (request) => bookRoute(await open(request), request)),
    find: named(async (request) => findRoute(await open(request), request)),
    cancelTerms: named(async (request) => cancelBookingTerms(await open(request), request)),
    cancel: named(async (request) => cancelBooking(await open(request), request)),
    update: named(async (request) => updateBooking(await open(request), request)),
    // The courier reports the price of a return, if it charges one.
    returnPrice: async () => 0,
    reporting: {
      receive: async (scope, push) => {
        const { courier } = await open(scope);
        return courier?.receive?.(push) ?? { kind: 'refused', reason: `${name} takes no pushes` };
      },
      poll: named(async (scope, delivery) => (await (await open(scope)).courier?.poll(delivery)) ?? []),
    },
  };
}

/** Wraps calls so that the message of a fault, which goes to the log, names the courier, the account and its mode. */
function withScopeInFaults(name: string) {
  return <Scope extends ProviderScope, Rest extends unknown[], T>(
    call: (scope: Scope, ...rest: Rest) => Promise<T>,
  ) =>
    async (scope: Scope, ...rest: Rest): Promise<T> => {
      try {
        return await call(scope, ...rest);
      } catch (fault) {
        const mode = scope.test_mode ? 'test' : 'live';
        if (fault instanceof ProviderFault)
          fault.message = `${name} for account ${scope.account_id} in ${mode} mode: ${fault.message}`;
        throw fault;
      }
    };
}

function notConnected({ title }: CourierAdapter): Declined {
  return { kind: 'declined', code: 'credentials_wrong', reason: `${title} is not connected` };
}

/** The currency of every amount. */
const currency = 'USD';

async function quoteRoute(courier: Courier, request: QuoteRequest, wall_now: number): Promise<QuoteAnswer> {
  const { orders, job_id, round, now } = request;
  const answers = await Promise.all(
    orders.map((order, index) => courier.quote({ key: `${job_id}_${round}_${index}`, order, now })),
  );
  const declined = answers.find((answer) => answer.kind === 'declined');
  if (declined !== undefined) return declined;
  const quotes = answers
    .filter((answer) => answer.kind === 'quoted')
    .map((quote) => inServiceTime(quote, now, Math.max(0, now - wall_now)));
  const foreign = quotes.find((quote) => quote.currency !== currency);
  if (foreign !== undefined) {
    const reason = `it quotes in ${foreign.currency}, and only ${currency} is supported`;
    return { kind: 'declined', code: 'request_refused', reason };
  }
  const known = quotes.map(({ pickup_eta }, index) => pickup_eta ?? orders[index]?.pickup_at ?? null);
  const pickups = known.map((at) => at ?? now);
  const pickup_eta = Math.min(...pickups);
  const expiries = quotes.flatMap(({ expires_at }) => expires_at ?? []);
  return {
    kind: 'quoted',
    cost_of_delivery: quotes.reduce((sum, { cost }) => sum + cost, 0),
    service_fee: 0,
    order_costs: quotes.map(({ cost }) => cost),
    references: quotes.map(({ reference }) => reference),
    ...(quotes.some(({ is_of_order }) => is_of_order) && { is_of_order: true }),
    ...(orders.length > 1 && { separate_deliveries: orders.length }),
    pickup_eta,
    ...(known.includes(null) ? {} : { pickup_time: pickup_eta }),
    dropoff_eta: Math.max(...quotes.map(({ dropoff_eta }) => dropoff_eta)),
    stop_etas: request.stops.map((stop) => stopEta(stop, { orders, pickups, quotes })),
    expires_at: expiries.length === 0 ? null : Math.min(...expiries),
  };
}

/** A quote whose times are not past: a courier counts by the wall clock, which a sandbox may be ahead of. */
function inServiceTime(quote: CourierQuote, now: number, ahead_ms: number): CourierQuote {
  const shifted = (at: number) => (at >= now ? at : at + ahead_ms);
  const { pickup_eta, dropoff_eta, expires_at } = quote;
  return {
    ...quote,
    pickup_eta: pickup_eta && shifted(pickup_eta),
    dropoff_eta: shifted(dropoff_eta),
    expires_at: expires_at && shifted(expires_at),
  };
}

/** The first pickup, or the last dropoff, of the orders of a stop. */
function stopEta(
  { kind, order_ids }: Stop,
  {
    orders,
    pickups,
    quotes,
  }: { orders: readonly CourierOrder[]; pickups: readonly number[]; quotes: readonly CourierQuote[] },
): number {
  const isOfStop = (_: unknown, index: number) => order_ids.includes(orders[index]?.order_id ?? '');
  return kind === 'pickup'
    ? Math.min(...pickups.filter(isOfStop))
    : Math.max(...quotes.filter(isOfStop).map(({ dropoff_eta }) => dropoff_eta));
}

/** Why a courier cannot carry a route whatever its price; null if it can. */
function declineByCapabilities(
  { title, capabilities }: Pick<CourierAdapter, 'title' | 'capabilities'>,
  request: QuoteRequest,
): Declined | null {
  const { vehicles, signature, largest_size, pickup_at, dropoff_at } = request;
  const declined = (code: DeclineCode, what: string): Declined => {
    return { kind: 'declined', code, reason: `${title} ${what}` };
  };
  const missing = vehicles.find((vehicle: VehicleType) => !capabilities.vehicles.includes(vehicle));
  if (missing !== undefined) return declined('vehicle_not_offered', `does not offer the vehicle ${missing}`);
  if (signature && !capabilities.signature)
    return declined('signature_not_offered', 'does not collect signatures');
  const isScheduled = pickup_at !== null || dropoff_at !== null;
  if (isScheduled && !capabilities.scheduled)
    return declined('scheduled_not_taken', 'takes no scheduled deliveries');
  if (sizeNames.indexOf(largest_size) > sizeNames.indexOf(capabilities.largest_item)) {
    return declined('item_too_large', `carries items up to the size ${capabilities.largest_item}`);
  }
  return null;
}
