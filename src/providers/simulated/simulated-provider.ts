/** What a simulated courier answers to requests for quotes, dispatches and cancellations. Its reports: `timeline.ts`. */
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { minute_ms } from '../../domain/durations.ts';
import { miles } from '../../domain/geography.ts';
import { halfUp, serviceFee } from '../../domain/money.ts';
import { sizeNames } from '../../domain/order-rules.ts';
import { type Script, scenarioScript } from '../../domain/scenarios.ts';
import { countHalts } from '../../domain/stops.ts';
import { planTimes, stopEtas } from '../../domain/timetable.ts';
import {
  type AcceptedRoute,
  type CancelAnswer,
  type CancelRequest,
  type CancelTerms,
  type Chance,
  type CourierRecords,
  type CreateAnswer,
  type CreateRequest,
  type DeclineCode,
  type Declined,
  type DueReport,
  type Provider,
  ProviderBusy,
  ProviderFault,
  type Quoted,
  type QuoteRequest,
  type RecordEntry,
  type Step,
  type Stepped,
} from '../port.ts';
import {
  type CancelRule,
  type Courier,
  portrait,
  type QuoteExtra,
  type Tariff,
  vehicleNumber,
} from './couriers.ts';
import { scheduleReports, takeStep } from './reports.ts';

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
    quote: async (request) => quoteRoute(courier, request),
    create: (request) => acceptRoute(recording, request),
    find: ({ reference }) => findAnswer(recording, reference),
    cancelTerms: async (request) => cancelTerms(courier, request),
    cancel: (request) => cancelOnce(recording, request),
    returnPrice: (cost_of_delivery) => returnPrice(courier, cost_of_delivery),
    feed: (route) => scheduleReports(courier, route),
    step: (route, step) => takeStep(courier, route, step),
  };
}

/** A courier with its records. */
interface RecordingCourier {
  courier: Courier;
  records: CourierRecords;
}

type Fault = NonNullable<Script['dispatch']>['fault'];

/**
 * Accepts or refuses a route and records it. On a repeat with the same key, an idempotent courier returns its first
 * response; any other accepts the route again. Rejects if the scenario says so.
 */
async function acceptRoute(
  { courier, records }: RecordingCourier,
  request: CreateRequest,
): Promise<CreateAnswer> {
  const before = await records.named(courier.name, request.key);
  const fault = scriptedFault(request, before);
  if (fault === null || fault === 'lost_after_accepting') {
    const first = courier.idempotent_create ? firstAnswer(before) : null;
    const answer = first ?? answerTo(courier, request);
    if (first === null) await records.enter(answeredEntry(courier, request, answer));
    if (fault === null) return answer;
  }
  await records.enter({ ...entryOf(courier, request), kind: 'fault', answer: null });
  throw thrownFor[fault](courier);
}

/** A courier's recorded response to a dispatch; null if it does not know it. */
async function findAnswer(
  { courier, records }: RecordingCourier,
  reference: string,
): Promise<CreateAnswer | null> {
  return firstAnswer(await records.about(courier.name, reference));
}

/** Cancels a delivery once; a refusal is evaluated again on a repeat. */
async function cancelOnce(
  { courier, records }: RecordingCourier,
  request: CancelRequest,
): Promise<CancelAnswer> {
  const { reference, order_id, now: entered_at } = request;
  const name = `cancel:${reference}:${order_id}`;
  const before = await records.named(courier.name, name);
  const first = before.flatMap((entry) => (entry.kind === 'canceled' ? [entry.answer] : [])).at(0);
  const answer = first ?? cancelAnswer(courier, request);
  if (first !== undefined || answer.kind === 'refused') return answer;
  await records.enter({ provider: courier.name, reference, name, kind: 'canceled', answer, entered_at });
  return answer;
}

function firstAnswer(entries: readonly RecordEntry[]): CreateAnswer | null {
  const answers = entries.flatMap((entry) =>
    entry.kind === 'created' || entry.kind === 'refused' ? [entry.answer] : [],
  );
  return answers.at(0) ?? null;
}

/** How the courier fails this time; null if it responds. */
function scriptedFault({ scenario }: CreateRequest, before: readonly RecordEntry[]): Fault | null {
  const { dispatch } = scenarioScript(scenario);
  const times = before.filter(({ kind }) => kind === 'fault').length;
  return dispatch === undefined || times >= dispatch.times ? null : dispatch.fault;
}

const lost = ({ name }: Courier) =>
  new ProviderFault(`the connection to ${name} was lost before it responded`);

const thrownFor: Readonly<Record<Fault, (courier: Courier) => ProviderFault>> = {
  error: ({ name }) => new ProviderFault(`${name} answers 503`),
  lost_after_accepting: lost,
  lost_before_accepting: lost,
  busy: ({ name }) => new ProviderBusy(`${name} answers 429`, 2),
};

function answerTo({ name }: Courier, { reference, scenario }: CreateRequest): CreateAnswer {
  if (scenarioScript(scenario).capacity !== 'none') return { kind: 'accepted', reference };
  return { kind: 'refused', reason: `${name} has no courier available` };
}

function answeredEntry(courier: Courier, request: CreateRequest, answer: CreateAnswer): RecordEntry {
  const kind = answer.kind === 'accepted' ? 'created' : 'refused';
  return { ...entryOf(courier, request), kind, answer };
}

function entryOf({ name: provider }: Courier, { key: name, reference, now: entered_at }: CreateRequest) {
  return { provider, reference, name, entered_at };
}

/** Deadlines are exclusive. */
function cancelTerms({ name, cancel }: Courier, request: CancelRequest): CancelTerms {
  const { status, cost_of_delivery } = request;
  if (isPickedUp(status)) return { kind: 'refused', reason: `${name} has picked it up` };
  if (isEnded(status)) return { kind: 'refused', reason: 'it has ended' };
  if (isFree(cancel.free, request)) return { kind: 'taken', fee: 0 };
  if (cancel.later === 'refused') {
    return { kind: 'refused', reason: `${name} does not accept a cancellation once a driver is assigned` };
  }
  if ('cents' in cancel.later) return { kind: 'taken', fee: cancel.later.cents };
  return { kind: 'taken', fee: halfUp(cost_of_delivery * cancel.later.percent, 100) };
}

/** Cancels; in one scenario the pickup has happened just before. */
function cancelAnswer(courier: Courier, request: CancelRequest): CancelAnswer {
  const terms = cancelTerms(courier, request);
  const crosses = scenarioScript(request.scenario).cancel === 'crosses_pickup';
  if (!crosses || isPickedUp(request.status) || isEnded(request.status)) return terms;
  return { kind: 'refused', reason: `${courier.name} has just picked it up`, crossed: 'pickup_complete' };
}

/** The price of a return, in cents. */
function returnPrice({ return_percent }: Courier, cost_of_delivery: number): number {
  return halfUp(cost_of_delivery * return_percent, 100);
}

function isFree(free: CancelRule['free'], request: CancelRequest): boolean {
  const { now, status, accepted_at, pickup_eta } = request;
  if (free === null) return false;
  if (free === 'until_assigned') return !isAssigned(status);
  if ('minutes_from_acceptance' in free) return now < accepted_at + free.minutes_from_acceptance * minute_ms;
  return now < pickup_eta - free.minutes_before_pickup * minute_ms;
}

function isAssigned(status: CancelRequest['status']): boolean {
  return !['request', 'delivery_created', 'scheduled', 'driver_not_assigned'].includes(status);
}

// Quotes of simulated couriers: their price and times, or the reason for declining a route.

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
