import { planTimes, stopEtas } from '../../domain/eta.ts';
import { halfUp, serviceFee } from '../../domain/money.ts';
import { costOfDelivery } from '../../domain/pricing.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import { countHalts } from '../../domain/stops.ts';
import type {
  AcceptedRoute,
  Chance,
  CourierRecords,
  DueReport,
  Provider,
  Quoted,
  QuoteRequest,
  Step,
  Stepped,
} from '../port.ts';
import { cancelTerms, returnPrice } from './cancellation.ts';
import { acceptRoute, cancelOnce, findAnswer } from './courier-records.ts';
import type { Courier, QuoteExtra } from './couriers.ts';
import { declineReason } from './declines.ts';
import { portrait, vehicleNumber } from './drivers.ts';
import { scheduleReports } from './report-schedule.ts';
import { takeStep } from './steps.ts';

const MINUTE = 60_000;

/** The price of a quote that replaces an expired one, in percent. */
const REPLACEMENT_PERCENT = 108;

/** The calls that a simulated courier implements. It plans all its reports on acceptance. */
export interface Simulated extends Pick<Provider, 'quote' | 'create' | 'find' | 'cancelTerms' | 'cancel'> {
  returnPrice(cost_of_delivery: number): number;
  feed(route: AcceptedRoute): readonly DueReport[];
  step(route: AcceptedRoute, step: Step): Stepped;
}

/**
 * A courier that consists of figures and its records of accepted routes. The same route at the same time always gets
 * the same quote.
 */
export function simulated(courier: Courier, records: CourierRecords): Simulated {
  const recording = { courier, records };
  return {
    quote: async (request) => declineReason(courier, request) ?? offer(courier, request),
    create: (request) => acceptRoute(recording, request),
    find: ({ reference }) => findAnswer(recording, reference),
    cancelTerms: async (request) => cancelTerms(courier, request),
    cancel: (request) => cancelOnce(recording, request),
    returnPrice: (cost_of_delivery) => returnPrice(courier, cost_of_delivery),
    feed: (route) => scheduleReports(courier, route),
    step: (route, step) => takeStep(courier, route, step),
  };
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
  return isReplacing(request) ? halfUp(cost * REPLACEMENT_PERCENT, 100) : cost;
}

function expiryOf({ quote_life_minutes: life }: Courier, request: QuoteRequest): number | null {
  if (scriptOf(request.scenario).quotes === 'dead' && !isReplacing(request)) return request.now;
  return life === null ? null : request.now + life * MINUTE;
}

/** True for a quote that replaces one that expired by its scenario. */
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
