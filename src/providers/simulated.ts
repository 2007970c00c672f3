import { planTimes } from '../domain/eta.ts';
import { halfUp } from '../domain/money.ts';
import { costOfDelivery } from '../domain/pricing.ts';
import { scriptOf } from '../domain/scenarios.ts';
import { countHalts } from '../domain/stops.ts';
import { cancelAnswer, cancelTerms, returnPrice } from './cancelling.ts';
import type { Courier, QuoteExtra } from './couriers.ts';
import { declineReason } from './declining.ts';
import { portrait, vehicleNumber } from './drivers.ts';
import { feedOf } from './feeds.ts';
import type {
  CancelAnswer,
  Chance,
  CreateAnswer,
  CreateRequest,
  Provider,
  Quoted,
  QuoteRequest,
} from './port.ts';
import { takeStep } from './steps.ts';

const MINUTE = 60_000;

/** Quotes that replace dead ones are so much dearer. */
const DEARER_PERCENT = 108;

/** A courier that exists only as figures: the same route at the same instant always gets the same answer. */
export function simulatedProvider(courier: Courier): Provider {
  const accepted = new Map<string, CreateAnswer>();
  const canceled = new Map<string, CancelAnswer>();
  return {
    name: courier.name,
    answer_delay_ms: courier.quote_answer_seconds * 1000,
    only_when_named: courier.only_when_named,
    is_remote: false,
    idempotent_create: courier.idempotent_create,
    quote: async (request) => declineReason(courier, request) ?? offer(courier, request),
    create: async (request) => {
      const answer = acceptance(courier, request);
      accepted.set(request.reference, answer);
      return answer;
    },
    find: async (reference) => accepted.get(reference) ?? null,
    cancelTerms: async (request) => cancelTerms(courier, request),
    cancel: async (request) => {
      const key = `${request.reference}:${request.order_id}`;
      const answer = canceled.get(key) ?? cancelAnswer(courier, request);
      if (answer.kind === 'taken') canceled.set(key, answer);
      return answer;
    },
    returnPrice: (cost_of_delivery) => returnPrice(courier, cost_of_delivery),
    feed: (route) => feedOf(courier, route),
    step: (route, step) => takeStep(courier, route, step),
  };
}

function acceptance({ name }: Courier, { reference, scenario }: CreateRequest): CreateAnswer {
  if (scriptOf(scenario).capacity !== 'none') return { kind: 'accepted', reference };
  return { kind: 'refused', reason: `no courier of ${name} is free` };
}

function offer(courier: Courier, request: QuoteRequest): Quoted {
  const { pickup_eta, dropoff_eta, stop_etas } = planTimes(courier.pace, request.stops, request);
  const price = (tenths: number, halts: number) => priceOf(courier, request, tenths, halts);
  return {
    kind: 'quoted',
    cost_of_delivery: price(request.distance_tenths, countHalts(request.stops)),
    order_costs: request.direct_tenths.map((tenths) => price(tenths, 2)),
    pickup_eta,
    dropoff_eta,
    stop_etas,
    expires_at: expiryOf(courier, request),
    ...extras(courier, request.chance, pickup_eta),
  };
}

function priceOf(courier: Courier, request: QuoteRequest, tenths: number, halts: number): number {
  const cost = costOfDelivery(courier.tariff, tenths, halts);
  return isReplacing(request) ? halfUp(cost * DEARER_PERCENT, 100) : cost;
}

function expiryOf({ quote_life_minutes: life }: Courier, request: QuoteRequest): number | null {
  if (scriptOf(request.scenario).quotes === 'dead' && !isReplacing(request)) return request.now;
  return life === null ? null : request.now + life * MINUTE;
}

/** Whether the quote stands in for one that died. */
function isReplacing({ scenario, round }: QuoteRequest): boolean {
  return scriptOf(scenario).quotes === 'dead' && round > 1;
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
