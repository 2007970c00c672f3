import { miles } from '../../domain/geography.ts';
import { sizeNames } from '../../domain/order-rules.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import { countHalts } from '../../domain/stops.ts';
import type { DeclineCode, Declined, QuoteRequest } from '../port.ts';
import type { Courier } from './couriers.ts';

/** In the scenario of late quotes, couriers are available from this round on. */
const FIRST_FREE_ROUND = 4;

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
export function declineReason(courier: Courier, request: QuoteRequest): Declined | null {
  let code: DeclineCode;
  for (code in rules) {
    const reason = rules[code]?.(courier, request) ?? null;
    if (reason !== null) return { kind: 'declined', code, reason };
  }
  return null;
}

function isNobodyFree({ scenario, round }: QuoteRequest): boolean {
  const { quotes } = scriptOf(scenario);
  return quotes === 'none' || (quotes === 'late' && round < FIRST_FREE_ROUND);
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
