/** Quotes of simulated couriers: their price and times, or the reason for declining a route. */

import { minute_ms } from '../../domain/durations.ts';
import { miles } from '../../domain/geography.ts';
import { halfUp, serviceFee } from '../../domain/money.ts';
import { sizeNames } from '../../domain/order-rules.ts';
import { scenarioScript } from '../../domain/scenarios.ts';
import { countHalts } from '../../domain/stops.ts';
import { planTimes, stopEtas } from '../../domain/timetable.ts';
import type { Chance, DeclineCode, Declined, Quoted, QuoteRequest } from '../port.ts';
import { type Courier, portrait, type QuoteExtra, type Tariff, vehicleNumber } from './couriers.ts';

/** The price of a quote that replaces an expired one, in percent. */
const replacement_percent = 108;

/** The courier's quote for a route, or its reason to decline it. */
export function quoteRoute(courier: Courier, request: QuoteRequest): Quoted | Declined {
  return declineReason(courier, request) ?? offer(courier, request);
}

function offer(courier: Courier, request: QuoteRequest): Quoted {
  const { pickup_eta, dropoff_eta, arrivals } = planTimes(courier.pace, request.stops, request);
  const price = (tenths: number, halts: number) => priceOf(courier, request, tenths, halts);
  const cost_of_delivery = price(request.distance_tenths, countHalts(request.stops));
  return {
    kind: 'quoted',
    cost_of_delivery,
    service_fee: serviceFee(cost_of_delivery),
    order_costs: request.direct_tenths.map((tenths) => price(tenths, 2)),
    pickup_eta,
    dropoff_eta,
    stop_etas: stopEtas(request.stops, arrivals),
    expires_at: expiryOf(courier, request),
    ...extras(courier, request.chance, pickup_eta),
  };
}

function priceOf(courier: Courier, request: QuoteRequest, tenths: number, halts: number): number {
  const cost = costOfDelivery(courier.tariff, tenths, halts);
  return isReplacing(request) ? halfUp(cost * replacement_percent, 100) : cost;
}

/**
 * A provider's cost in cents for a route of two or more stops: base price and miles, at least the minimum, plus the
 * fee for each extra stop.
 */
export function costOfDelivery(tariff: Tariff, distance_tenths: number, stops: number): number {
  const charged_tenths = Math.max(0, distance_tenths - tariff.included_tenths);
  const way = tariff.base + halfUp(tariff.per_mile * charged_tenths, 10);
  return Math.max(tariff.minimum, way) + Math.max(0, stops - 2) * tariff.extra_stop;
}

function expiryOf({ quote_life_minutes: life }: Courier, request: QuoteRequest): number | null {
  if (scenarioScript(request.scenario).quotes === 'dead' && !isReplacing(request)) return request.now;
  return life === null ? null : request.now + life * minute_ms;
}

/** True for a quote that replaces one that expired by its scenario. */
function isReplacing({ scenario, round }: QuoteRequest): boolean {
  return scenarioScript(scenario).quotes === 'dead' && round > 1;
}

function extras(courier: Courier, chance: Chance, pickup_time: number): Pick<Quoted, QuoteExtra> {
  const seat = { courier, chance, number: 1 };
  const { name, image } = portrait(seat);
  const tells = (extra: QuoteExtra) => courier.quote_extras.includes(extra);
  return {
    ...(tells('courier_name') && { courier_name: name }),
    ...(tells('courier_image') && { courier_image: image }),
    ...(tells('vehicle_id') && { vehicle_id: `${courier.name}-${vehicleNumber(seat)}` }),
    ...(tells('pickup_time') && { pickup_time }),
  };
}

/** In the scenario of late quotes, couriers are available from this round on. */
const first_free_round = 4;

/** Returns why a courier declines a route, or null. */
type Rule = (courier: Courier, request: QuoteRequest) => string | null;

/** The rules for declining a route, in order of evaluation. */
const rules: Readonly<Partial<Record<DeclineCode, Rule>>> = {
  only_when_named: ({ only_when_named }, { asked_by_name }) =>
    only_when_named && !asked_by_name ? 'quotes only when requested by name' : null,

  no_courier_free: ({ name }, request) => (isNobodyFree(request) ? `${name} has no courier available` : null),

  vehicle_not_offered: ({ vehicles: offered }, { vehicles }) => {
    const lacking = vehicles.find((vehicle) => !offered.includes(vehicle));
    if (lacking === undefined) return null;
    return `no ${words(lacking)} (${vehiclesText(offered)})`;
  },

  signature_not_offered: ({ proof }, { signature }) =>
    signature && !proof.includes('signature') ? 'does not collect signatures' : null,

  item_too_large: ({ largest_item }, { largest_size }) =>
    sizeNames.indexOf(largest_size) > sizeNames.indexOf(largest_item)
      ? `item size ${words(largest_size)} exceeds its maximum, ${words(largest_item)}`
      : null,

  scheduled_not_taken: ({ scheduled }, request) =>
    scheduled === 'no' && isScheduled(request) ? 'no scheduled deliveries' : null,

  scheduled_only: ({ scheduled }, request) =>
    scheduled === 'only' && !isScheduled(request) ? 'scheduled deliveries only' : null,

  too_many_stops: ({ max_stops }, { stops }) =>
    countHalts(stops) > max_stops ? `${countHalts(stops)} stops exceed its limit of ${max_stops}` : null,

  too_far: ({ max_distance_tenths }, { distance_tenths }) =>
    distance_tenths > max_distance_tenths
      ? `distance ${miles(distance_tenths)} exceeds its ${miles(max_distance_tenths)} limit`
      : null,
};

/** The first reason to decline a route, or null. */
function declineReason(courier: Courier, request: QuoteRequest): Declined | null {
  let code: DeclineCode;
  for (code in rules) {
    const reason = rules[code]?.(courier, request) ?? null;
    if (reason !== null) return { kind: 'declined', code, reason };
  }
  return null;
}

function isNobodyFree({ scenario, round }: QuoteRequest): boolean {
  const { quotes } = scenarioScript(scenario);
  return quotes === 'none' || (quotes === 'late' && round < first_free_round);
}

function isScheduled({ pickup_at, dropoff_at }: QuoteRequest): boolean {
  return pickup_at !== null || dropoff_at !== null;
}

function vehiclesText(vehicles: readonly string[]): string {
  return vehicles.length === 0 ? 'bikes only' : `offers ${vehicles.map(words).join(', ')}`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
