/** The table of sandbox scenarios. Anything that a scenario does not set follows the courier's defaults. */
import type { FailureReason } from '../contract/vocabulary.ts';

/** How a scenario differs from an ordinary delivery. */
export interface Script {
  /**
   * `none`: every provider declines; `late`: so in the first three rounds; `dead`: the first quotes are already
   * expired; `slow`: they take a minute.
   */
  quotes?: 'none' | 'late' | 'dead' | 'slow';
  /** Whether the payment is declined: always, or at the first dispatch of an order only. */
  payment?: 'declined' | 'declined_once';
  /** Every provider refuses at dispatch. */
  capacity?: 'none';
  /** How the provider fails at the first dispatch requests. */
  dispatch?: { fault: 'error' | 'lost_after_accepting' | 'lost_before_accepting' | 'busy'; times: number };
  /** How the drive is interrupted; affects the whole route. */
  interruption?:
    | 'no_driver'
    | 'canceled_before_pickup'
    | 'canceled_after_pickup'
    | 'operator_canceled'
    | 'reassigned';
  /** Minutes until a driver is assigned. */
  assigned_after_minutes?: number;
  /** Why the handover fails; the parcel is returned. */
  handover?: FailureReason;
  /** The return never completes. */
  return?: 'stuck';
  /** How the provider reports. */
  feed?: 'sparse' | 'shuffled' | 'late';
  /** The courier picks up while the merchant cancels. */
  cancel?: 'crosses_pickup';
  location?: 'none' | 'stale';
  courier?: 'unknown';
  proof?: 'photo_only' | 'late' | 'never';
}

interface Meaning {
  /** NN of the magic dropoff phone number `+1 <area> 555 01NN`. */
  number: string;
  happens: string;
  money: string;
  script: Script;
}

export const scenarios = {
  happy_path: { number: '00', happens: 'Every status to delivered', money: 'charged', script: {} },
  sparse_statuses: {
    number: '01',
    happens: 'Only created, assigned, pickup_complete and delivered are reported',
    money: 'charged',
    script: { feed: 'sparse' },
  },
  shuffled_feed: {
    number: '02',
    happens: 'Reports arrive out of order, each twice',
    money: 'charged once',
    script: { feed: 'shuffled' },
  },
  late_event: {
    number: '03',
    happens: 'An old report arrives 10 minutes after delivered; nothing changes',
    money: 'charged',
    script: { feed: 'late' },
  },
  slow_assignment: {
    number: '04',
    happens: 'No driver for 25 minutes',
    money: 'charged',
    script: { assigned_after_minutes: 25 },
  },
  driver_reassigned: {
    number: '05',
    happens: 'Assigned, on the way, driver_not_assigned, then another driver',
    money: 'charged',
    script: { interruption: 'reassigned' },
  },
  no_driver: {
    number: '06',
    happens: 'provider_canceled after 20 minutes without a driver',
    money: 'refunded',
    script: { interruption: 'no_driver' },
  },
  provider_cancel_before_pickup: {
    number: '07',
    happens: 'provider_canceled on the way to the pickup',
    money: 'refunded',
    script: { interruption: 'canceled_before_pickup' },
  },
  provider_cancel_after_pickup: {
    number: '08',
    happens: 'provider_canceled after pickup',
    money: 'refunded',
    script: { interruption: 'canceled_after_pickup' },
  },
  customer_unreachable: {
    number: '09',
    happens: 'The recipient is absent: enroute_to_return, returned',
    money: 'delivery and return charged',
    script: { handover: 'recipient_unreachable' },
  },
  customer_refused: {
    number: '10',
    happens: 'The parcel is refused: enroute_to_return, returned',
    money: 'delivery and return charged',
    script: { handover: 'recipient_refused' },
  },
  wrong_address: {
    number: '11',
    happens: 'The address is wrong: enroute_to_return, returned',
    money: 'delivery and return charged',
    script: { handover: 'wrong_address' },
  },
  age_check_failed: {
    number: '12',
    happens: 'The recipient fails the age check: enroute_to_return, returned',
    money: 'delivery and return charged',
    script: { handover: 'age_check_failed' },
  },
  left_at_door: {
    number: '13',
    happens: 'Delivered with a photo, no signature',
    money: 'charged',
    script: { proof: 'photo_only' },
  },
  return_stuck: {
    number: '14',
    happens: 'enroute_to_return, then failed after 24 hours',
    money: 'refunded',
    script: { handover: 'recipient_unreachable', return: 'stuck' },
  },
  payment_declined: {
    number: '16',
    happens: 'failed: the payment is declined, and no provider is contacted',
    money: 'none',
    script: { payment: 'declined' },
  },
  payment_declined_once: {
    number: '17',
    happens: 'The payment is declined at the first dispatch and succeeds at the second',
    money: 'charged once',
    script: { payment: 'declined_once' },
  },
  no_capacity: {
    number: '18',
    happens: 'Every provider refuses at dispatch: failed',
    money: 'refunded',
    script: { capacity: 'none' },
  },
  provider_error: {
    number: '19',
    happens: 'The provider answers 503 twice at dispatch, then accepts',
    money: 'charged once',
    script: { dispatch: { fault: 'error', times: 2 } },
  },
  unknown_outcome_accepted: {
    number: '20',
    happens: 'The provider accepts and its response is lost; a lookup by reference finds the delivery',
    money: 'one delivery, one charge',
    script: { dispatch: { fault: 'lost_after_accepting', times: 1 } },
  },
  unknown_outcome_lost: {
    number: '21',
    happens: 'The request is lost before the provider accepts; a retry is accepted',
    money: 'one delivery, one charge',
    script: { dispatch: { fault: 'lost_before_accepting', times: 1 } },
  },
  quote_expired: {
    number: '22',
    happens:
      'The quotes expire before use: 409 in manual dispatch; version 1 and auto dispatch request new quotes, 8% more expensive',
    money: 'new price',
    script: { quotes: 'dead' },
  },
  no_quotes: {
    number: '24',
    happens: 'Every provider declines, each with a reason',
    money: 'none',
    script: { quotes: 'none' },
  },
  no_quotes_then: {
    number: '25',
    happens: 'Every provider declines until the fourth round, which is the fourth attempt of auto dispatch',
    money: 'charged',
    script: { quotes: 'late' },
  },
  slow_quotes: {
    number: '26',
    happens: 'Quotes are PENDING for 60 seconds',
    money: 'charged',
    script: { quotes: 'slow' },
  },
  operator_cancel: {
    number: '28',
    happens: 'burq_canceled before pickup',
    money: 'refunded',
    script: { interruption: 'operator_canceled' },
  },
  cancel_race: {
    number: '29',
    happens: 'The courier picks up during the cancellation, which is refused',
    money: 'charged',
    script: { cancel: 'crosses_pickup' },
  },
  no_location: {
    number: '30',
    happens: 'The driver has no position',
    money: 'charged',
    script: { location: 'none' },
  },
  stale_location: {
    number: '31',
    happens: "The driver's position stays where it was first reported",
    money: 'charged',
    script: { location: 'stale' },
  },
  no_courier_details: {
    number: '32',
    happens: 'No driver details are reported',
    money: 'charged',
    script: { courier: 'unknown' },
  },
  proof_late: {
    number: '33',
    happens: 'The proof arrives 10 minutes after delivered',
    money: 'charged',
    script: { proof: 'late' },
  },
  proof_missing: {
    number: '34',
    happens: 'Delivered without any proof',
    money: 'charged',
    script: { proof: 'never' },
  },
  customer_unreachable_on_route: {
    number: '36',
    happens: "This order's stop fails; the others of its route are delivered",
    money: 'by order',
    script: { handover: 'recipient_unreachable' },
  },
  rate_limited: {
    number: '38',
    happens: 'The provider answers 429 with Retry-After: 2 three times at dispatch, then accepts',
    money: 'charged once',
    script: { dispatch: { fault: 'busy', times: 3 } },
  },
  chaos: {
    number: '39',
    happens: 'A random one of the other scenarios, chosen when the order or delivery is created',
    money: 'as in the chosen scenario',
    // Replaced by a random other scenario.
    script: {},
  },
} as const satisfies Record<string, Meaning>;

export type Scenario = keyof typeof scenarios;

/** The scenario of an order, fixed at its creation. */
export interface Simulation {
  scenario: Scenario;
  /** A provider that only quotes when requested by name. */
  provider: string | null;
  /** The key of the random decisions about the order, if a seed was chosen; otherwise they depend on its IDs. */
  fate?: string;
}

export const happyPath: Simulation = { scenario: 'happy_path', provider: null };

export const scenarioNames: readonly string[] = Object.keys(scenarios);

export function scenarioScript(scenario: Scenario): Script {
  return scenarios[scenario].script;
}

export function isScenario(name: string): name is Scenario {
  return Object.hasOwn(scenarios, name);
}

type SimulationFault = { unknown: string; choices: readonly string[] };

/** The scenario of a magic dropoff phone number, digits only; null for any other number. */
export function magicScenario(phone: string): Scenario | null {
  const number = /^1\d{3}55501(\d\d)$/.exec(phone)?.[1];
  if (number === undefined) return null;
  return scenarioNames.filter(isScenario).find((name) => scenarios[name].number === number) ?? null;
}

/** Parses `name; key=value`; returns the unknown part with its choices if there is one. */
export function parseSimulation(text: string, providers: readonly string[]): Simulation | SimulationFault {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  if (!isScenario(name)) return { unknown: name, choices: scenarioNames };
  let provider: string | null = null;
  for (const parameter of parameters.filter((part) => part !== '')) {
    const [key = '', value = ''] = parameter.split('=').map((part) => part.trim());
    if (key !== 'provider') return { unknown: key, choices: ['provider'] };
    if (!providers.includes(value)) return { unknown: value, choices: providers };
    provider = value;
  }
  return { scenario: name, provider };
}

/** Picks the scenario of `chaos` for a random number in [0, 1): each of the others is equally likely. */
export function drawnScenario(fraction: number): Scenario {
  const others = scenarioNames.filter(isScenario).filter((name) => name !== 'chaos');
  return others[Math.floor(fraction * others.length)] ?? 'happy_path';
}
