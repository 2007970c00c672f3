/** Quote requests to providers, the rows of the quotes that they return, and quotes within a call. */
import { addressKey } from '../../domain/addresses.ts';
import { isHouse, readPrecision } from '../../domain/geography.ts';
import { isTooLate } from '../../domain/lateness.ts';
import { cheapest, fastest, punctualQuotes } from '../../domain/quotes.ts';
import { planStops, type Stop, totalTenths, zipLegs } from '../../domain/stops.ts';
import type { CourierOrder, CourierStop } from '../../providers/courier.ts';
import type { QuoteAnswer, Quoted, QuoteRequest } from '../../providers/port.ts';
import type { OrderRow, QuoteRow } from '../../storage/database.ts';
import type { CallBase } from '../http/handler.ts';
import { type OrderEnd, type OrderRecord, orderRecord } from '../orders/order.ts';
import { largestSize } from '../orders/order-request.ts';
import { providersOfStore } from '../orders/store-terms.ts';
import type { AccountSettings, Outage } from '../runtime/account-settings.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { newId, takeRandomPart } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { type Chance, fraction } from '../runtime/random.ts';
import type { QuoteRecord } from './quote.ts';

/** The common part of a quote request: orders in the route's order, and the stops of the route. */
interface Asking {
  /** The key of the couriers' random decisions without a chosen seed: the id of the route, or of the round without one. */
  key: string;
  account_id: string;
  now: number;
  test_mode: boolean;
  stops: readonly Stop[];
  /** Whether a simulated courier is asked: it charges by the centres of ZIP codes. */
  is_simulated: boolean;
  orders: readonly AskedOrder[];
  /** From 1. */
  round: number;
  asked_by_name: boolean;
  driver_id?: string | undefined;
}

/** An order as providers are asked about it. */
interface AskedOrder {
  /** Empty if the order is not stored. */
  id: string;
  external_order_ref: string;
  record: OrderRecord;
}

/** A stored order, with the tip of its delivery if that is another one. */
export function askedOrder(row: OrderRow, tip?: number | null): AskedOrder {
  const record = orderRecord(row);
  const { id, external_order_ref } = row;
  return { id, external_order_ref, record: tip === undefined ? record : { ...record, tip } };
}

export function quoteRequestOf(chance: Chance, asking: Asking): QuoteRequest {
  const { key, orders, is_simulated, ...rest } = asking;
  const legs = is_simulated ? zipLegs : (stops: readonly Stop[]) => stops;
  const stops = legs(asking.stops);
  const records = orders.map(({ record }) => record);
  return {
    ...rest,
    stops,
    distance_tenths: totalTenths(stops),
    route_id: key,
    orders: courierOrders(orders, asking.now),
    direct_tenths: records.map((record) => totalTenths(legs(directStops(record, '')))),
    largest_size: largestSize(records),
    vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
    signature: records.some(({ request_signature }) => request_signature),
    ...agreedTime(records, asking.now),
    scenario: readScenario(records),
    chance: courierChance(chance, records, key),
  };
}

/** Random decisions of couriers: by the fates of the orders with a chosen seed, otherwise by a key. */
export function courierChance(chance: Chance, records: readonly OrderRecord[], key: string) {
  const fates = records.flatMap(({ simulation }) => simulation.fate ?? []);
  const decided = records.length > 0 && fates.length === records.length;
  const by = decided ? fates.toSorted().join(' ') : takeRandomPart(key);
  return (purpose: string) => fraction(chance('provider', by, purpose));
}

/** The scenario of a whole route is that of its first order. */
export function readScenario(records: readonly OrderRecord[]): OrderRecord['simulation']['scenario'] {
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

/** Everything that a courier needs to know about the orders of a route. */
export function courierOrders(orders: readonly AskedOrder[], now: number): CourierOrder[] {
  const time = agreedTime(
    orders.map(({ record }) => record),
    now,
  );
  return orders.map(({ id, external_order_ref, record }) => ({
    order_id: id,
    pickup: courierStop(record.pickup),
    dropoff: courierStop(record.dropoff),
    items: record.items,
    items_description: record.items_description,
    external_order_ref,
    order_value: record.order_value,
    tip: record.tip ?? 0,
    request_signature: record.request_signature,
    request_contactless: record.request_contactless,
    vehicle: record.vehicle,
    undeliverable_action: record.undeliverable_action ?? 'return',
    ...time,
  }));
}

/** Couriers find an address themselves if its house is not known: a street may be miles long. */
function courierStop(end: OrderEnd): CourierStop {
  const { name, phone, address, unit, notes, coordinates } = end;
  return {
    name,
    phone: phone === '' ? '' : `+${phone}`,
    address,
    unit,
    notes,
    ...(coordinates !== undefined && isHouse(readPrecision(end))
      ? { latitude: coordinates.lat, longitude: coordinates.lng }
      : {}),
  };
}

/** The stops of a single order. */
export function directStops({ pickup, dropoff }: OrderRecord, order_id: string): Stop[] {
  return planStops([{ id: order_id, pickup, dropoff }], { optimize: false });
}

/** The orders of a quote request, and what was asked when. */
interface Asked extends Pick<Asking, 'stops' | 'now'> {
  orders: readonly Pick<AskedOrder, 'id' | 'record'>[];
}

/** An answer, marked if it cannot keep the agreed time of one of the orders. Times that have passed do not count. */
export function withLateness<T extends { kind: string }>(
  answer: T | Quoted,
  asked: Asked,
): T | (Quoted & Pick<QuoteRecord, 'too_late'>) {
  if (!isQuoted(answer)) return answer;
  const isLate = asked.orders.some((order) => {
    const eta = (kind: Stop['kind'], otherwise: number) => {
      const isAt = ({ order_ids }: Stop) => asked.orders.length === 1 || order_ids.includes(order.id);
      const place = asked.stops.findIndex((stop) => stop.kind === kind && isAt(stop));
      return answer.stop_etas[place] ?? otherwise;
    };
    const pickup_eta = eta('pickup', answer.pickup_eta);
    const dropoff_eta = eta('dropoff', answer.dropoff_eta);
    return isTooLate({ ...agreedTime([order.record], asked.now), pickup_eta, dropoff_eta });
  });
  return isLate ? { ...answer, too_late: true } : answer;
}

function isQuoted(answer: { kind: string }): answer is Quoted {
  return answer.kind === 'quoted';
}

/** The columns of a quote that the answer of a provider does not contain. */
interface QuoteOrigin
  extends Omit<QuoteRow, 'cost_of_delivery' | 'service_fee' | 'expires_at' | 'record' | 'used_at'> {
  /** Further fields of the record. */
  context: Pick<QuoteRecord, 'round' | 'place'>;
}

export function newQuoteRow(
  quoted: Quoted & Pick<QuoteRecord, 'too_late'>,
  { context, ...origin }: QuoteOrigin,
): QuoteRow {
  const { kind: _, cost_of_delivery, expires_at, service_fee, ...rest } = quoted;
  const record: QuoteRecord = { ...rest, ...context };
  return {
    ...origin,
    cost_of_delivery,
    service_fee,
    expires_at,
    record: JSON.stringify(record),
    used_at: null,
  };
}

/** The active outage of a simulated provider; null if absent. */
export function findOutage({ outages }: AccountSettings, provider: string, now: number): Outage | null {
  const outage = outages[provider];
  if (outage === undefined || (outage.until !== null && outage.until <= now)) return null;
  return outage;
}

/** A quote request that is answered within the call, without the couriers' delays. */
export interface Question {
  /** The round of the quotes: one response per provider. */
  job_id: string;
  /** Empty without a route. */
  route_id: string;
  prefix: 'quo' | 'rq';
  record: OrderRecord;
  stops: readonly Stop[];
  round: number;
  /** The only provider to ask; default: all that quote without being named. */
  provider?: string | undefined;
  /** The driver of the own fleet who is to take it. */
  driver_id?: string | undefined;
}

/** A quote with the values for comparing it. */
export type Estimate = QuoteRow & { dropoff_eta: number; too_late: boolean };

/** Requests quotes from all providers that the account may use, without storing them. */
export async function estimate(call: CallBase, question: Question): Promise<Estimate[]> {
  const chance = await call.service.chance();
  const answers = await askProviders(call, question);
  return answers.flatMap(({ provider, answer }) => {
    if (answer.kind === 'declined') return [];
    const id = newId(chance, question.prefix, call.now, question.job_id, provider);
    return estimateOf(call, question, { id, provider, answer });
  });
}

/** Why a provider declines the request regardless of its availability; null if it does not. */
export async function mismatchReason(call: CallBase, question: Question): Promise<string | null> {
  const answers = await askProviders(call, question);
  const declines = answers.flatMap(({ answer }) => (answer.kind === 'declined' ? [answer] : []));
  return declines.find(({ code }) => code !== 'no_courier_free')?.reason ?? null;
}

interface Answered {
  provider: string;
  answer: Exclude<QuoteAnswer, Quoted> | (Quoted & Pick<QuoteRecord, 'too_late'>);
}

/** The providers' responses; those without a response are omitted. */
async function askProviders(call: CallBase, question: Question): Promise<Answered[]> {
  const { service, caller, now } = call;
  const providers = await service.storage.read((db) => availableProviders(service, db, caller.scope));
  const chance = await service.chance();
  const named = question.record.simulation.provider;
  const preferred = await service.storage.read((db) => providersOfStore(db, question.record));
  const asked = providers.filter(({ name, only_when_named }) => {
    if (question.provider !== undefined) return name === question.provider;
    if (preferred) return preferred.includes(name);
    return !only_when_named || name === named;
  });
  const answers = asked.map(async (provider) => {
    if (findOutage(caller.settings, provider.name, now)?.state === 'down') return [];
    const request = quoteRequestOf(chance, {
      key: question.route_id === '' ? question.job_id : question.route_id,
      account_id: caller.scope.account_id,
      now,
      test_mode: caller.test_mode,
      stops: question.stops,
      is_simulated: provider.simulation !== undefined,
      orders: [{ id: '', external_order_ref: '', record: question.record }],
      round: question.round,
      asked_by_name: provider.name === named || provider.name === question.provider,
      driver_id: question.driver_id,
    });
    const answer = await withTimeout(service, provider.quote(request), provider).catch(() => null);
    const asked = { orders: [{ id: '', record: question.record }], stops: question.stops, now };
    return answer === null ? [] : [{ provider: provider.name, answer: withLateness(answer, asked) }];
  });
  return (await Promise.all(answers)).flat();
}

function estimateOf(
  { caller, now }: CallBase,
  question: Question,
  { id, provider, answer }: { id: string; provider: string; answer: Quoted & Pick<QuoteRecord, 'too_late'> },
): Estimate {
  const { job_id, route_id, round } = question;
  const { account_id } = caller.scope;
  const place = { isTest: caller.test_mode, text: placesText(question.record) };
  const origin = { id, account_id, route_id, job_id, provider, created_at: now, context: { round, place } };
  const { dropoff_eta, too_late = false } = answer;
  return { ...newQuoteRow(answer, origin), dropoff_eta, too_late };
}

/** The stops and time of a version 1 quote: it is valid for nothing else. */
export function placesText({ pickup, dropoff }: Pick<OrderRecord, 'pickup' | 'dropoff'>): string {
  const given = [pickup, dropoff].map(({ coordinates }) =>
    coordinates?.precision === 'exact' ? [`${coordinates.lat},${coordinates.lng}`] : [],
  );
  const places = [pickup.address, dropoff.address, pickup.at, dropoff.at, ...given.flat()];
  return places.join('\n').toLowerCase();
}

/** Whether two such texts are about the same stops and times, even if an address is spelled in another way. */
export function isSamePlaces(left: string, right: string): boolean {
  const keyOf = (text: string) => {
    const [pickup = '', dropoff = '', ...others] = text.split('\n');
    return [addressKey(pickup), addressKey(dropoff), ...others].join('\n');
  };
  return left === right || keyOf(left) === keyOf(right);
}

/** The row as stored. */
export function quoteRow({ dropoff_eta: _, too_late: __, ...row }: Estimate): QuoteRow {
  return row;
}

/** The best quote by a preference, of those that keep the agreed time if any does; or null. */
export function bestQuote(
  estimates: readonly Estimate[],
  preference: 'cheapest' | 'fastest' = 'cheapest',
): QuoteRow | null {
  const punctual = punctualQuotes(estimates);
  const isFastest = preference === 'fastest' || punctual.some(({ too_late }) => too_late);
  const chosen = isFastest ? fastest(punctual) : cheapest(punctual);
  return chosen === null ? null : quoteRow(chosen);
}
