/** Quotes that are requested within a call, without the delays of the couriers and without storing them; and the best of them. */
import type { Decline } from '../../contract/routes.ts';
import { addressKey } from '../../domain/addresses.ts';
import { cheapest, fastest, punctualQuotes } from '../../domain/quotes.ts';
import type { Stop } from '../../domain/stops.ts';
import type { QuoteAnswer, Quoted } from '../../providers/port.ts';
import type { QuoteRow } from '../../storage/database.ts';
import type { CallBase } from '../http/handler.ts';
import type { OrderRecord } from '../orders/order.ts';
import { providersOfStore } from '../orders/store-terms.ts';
import { findOutage } from '../runtime/account-settings.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import type { QuoteRecord } from './quote.ts';
import { newQuoteRow, quoteRequestOf, withLateness } from './quote-request.ts';
import { askableProviders } from './quote-rounds.ts';

/** A quote request that is answered within the call, without the couriers' delays. */
export interface Question {
  /** The round of the quotes: one response per provider. */
  job_id: string;
  /** Empty without a route. */
  route_id: string;
  prefix: 'quo' | 'rq';
  record: OrderRecord;
  /** The order's own reference; absent without one, and for a parcel that is only quoted. */
  external_order_ref?: string | undefined;
  stops: readonly Stop[];
  round: number;
  /** The only provider to ask; default: all that quote without being named. */
  provider?: string | undefined;
  /** The driver of the own fleet who is to take it. */
  driver_id?: string | undefined;
}

/** A quote with the values for comparing it. */
export type Estimate = QuoteRow & { dropoff_eta: number; too_late: boolean };

/** Requests quotes from all providers that the account may use, without storing them; `declined` gets why others do not quote. */
export async function estimate(
  call: CallBase,
  question: Question,
  declined: (decline: Decline) => void = () => {},
): Promise<Estimate[]> {
  const chance = await call.service.chance();
  const answers = await askProviders(call, question, (provider) =>
    declined({ provider, code: 'unreachable', reason: 'it did not answer' }),
  );
  return answers.flatMap(({ provider, answer }) => {
    if (answer.kind === 'declined') {
      declined({ provider, code: answer.code, reason: answer.reason });
      return [];
    }
    const id = newId(chance, question.prefix, call.now, question.job_id, provider);
    return estimateOf(call, question, { id, provider, answer });
  });
}

/** The first reason for which a provider declines the request, other than that no courier is free; null without one. */
export async function mismatchReason(call: CallBase, question: Question): Promise<string | null> {
  const answers = await askProviders(call, question);
  const declines = answers.flatMap(({ answer }) => (answer.kind === 'declined' ? [answer] : []));
  return declines.find(({ code }) => code !== 'no_courier_free')?.reason ?? null;
}

interface Answered {
  provider: string;
  answer: Exclude<QuoteAnswer, Quoted> | (Quoted & Pick<QuoteRecord, 'too_late'>);
}

/** The providers' responses. A provider without a response is only passed to `onSilence`. */
async function askProviders(
  call: CallBase,
  question: Question,
  onSilence: (provider: string) => void = () => {},
): Promise<Answered[]> {
  const { service, caller, now } = call;
  const providers = await service.storage.read((db) => availableProviders(service, db, caller.scope));
  const chance = await service.chance();
  const named = question.record.simulation.provider;
  const preferred = await service.storage.read((db) => providersOfStore(db, question.record));
  const names = question.provider === undefined ? preferred : [question.provider];
  const askable = askableProviders(providers, { providers: names, simulated: named });
  // The stops name the order, if it has an id.
  const id = question.stops[0]?.order_ids[0] ?? '';
  const { record, external_order_ref = '' } = question;
  const answers = askable.map(async (provider) => {
    const isDown = findOutage(caller.settings, provider.name, now)?.state === 'down';
    const request = quoteRequestOf(chance, {
      key: question.route_id === '' ? question.job_id : question.route_id,
      job_id: question.job_id,
      account_id: caller.scope.account_id,
      now,
      test_mode: caller.test_mode,
      stops: question.stops,
      is_simulated: provider.simulation !== undefined,
      orders: [{ id, external_order_ref, record }],
      round: question.round,
      asked_by_name: provider.name === named || provider.name === question.provider,
      driver_id: question.driver_id,
    });
    const response = isDown ? null : withTimeout(service, provider.quote(request), provider);
    const answer = (await response?.catch(() => null)) ?? null;
    if (answer === null) {
      onSilence(provider.name);
      return [];
    }
    const terms = { orders: [{ id, record }], stops: question.stops, now };
    return [{ provider: provider.name, answer: withLateness(answer, terms) }];
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
  // A route has its stops: an erasure of its people would not find them in the quotes that were not chosen.
  const place = { isTest: caller.test_mode, text: placesText(question.record) };
  const context = route_id === '' ? { round, place } : { round };
  const origin = { id, account_id, route_id, job_id, provider, created_at: now, context };
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
  // If all quotes are too late, all remain, and the fastest is the least late.
  const punctual = punctualQuotes(estimates);
  const isFastest = preference === 'fastest' || punctual.some(({ too_late }) => too_late);
  const chosen = isFastest ? fastest(punctual) : cheapest(punctual);
  return chosen === null ? null : quoteRow(chosen);
}
