/** The end of an attempt of auto dispatch: a quote is selected and dispatched, or the next attempt is planned. */
import type { LeftOut } from '../../contract/batches.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { isExpired, selectQuote } from '../../domain/quotes.ts';
import { findAccount } from '../../storage/accounts.ts';
import { changePending } from '../../storage/batches.ts';
import type {
  AttemptRow,
  Connection,
  DeliveryRow,
  JobRow,
  QuoteRow,
  RouteRow,
} from '../../storage/database.ts';
import {
  attemptBeforeLatest,
  attemptsOfOrders,
  changeAttempt,
  countAsRepeat,
  latestAttempt,
} from '../../storage/order-attempts.ts';
import { lockFreeOrders, lockOrders } from '../../storage/orders.ts';
import {
  deleteOtherJobs,
  listDeclines,
  listQuotes,
  loadJob,
  loadJobs,
  preloadAnswers,
} from '../../storage/quotes.ts';
import { loadRoute, loadRoutes, setRouteStatus } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import {
  endAttempt,
  finishWithPending,
  type PendingOrder,
  pendingOrder,
  planNextAttempt,
  preloadPendingOrders,
  readRefusals,
  recordRefusal,
  waitForStore,
} from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { writeIntent } from '../dispatch/write-intent.ts';
import { hasRoomNow, noDriverReason } from '../fleet/fleet-calls.ts';
import type { CallBase } from '../http/handler.ts';
import { findPauseEnd, pauseText, storesOfOrders } from '../orders/store-terms.ts';
import { quoteRecord } from '../quotes/quote.ts';
import { publishRound, startQuoteRound } from '../quotes/quote-rounds.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { timeOfPeople } from '../runtime/time.ts';
import { backgroundCall, excludedProviders } from './attempts.ts';

/** A complete quote round with its order and attempt. */
interface Selection {
  context: TransitionContext;
  call: CallBase;
  pending: PendingOrder;
  attempt: AttemptRow;
  route: RouteRow;
  job: JobRow;
  /** Whether the round is still to be published. */
  publishes_round: boolean;
  quotes: (QuoteRow & { dropoff_eta: number; too_late?: true | undefined })[];
  token: string;
}

export const quoteSelectionTask: TaskHandler<'order.choose'> = {
  run: selectRoundQuote,
  abandon: abandonSelection,
  lockSubjects: lockFreeOrders,
  preload: preloadSelections,
};

async function preloadSelections(db: Connection, tasks: readonly Task<'order.choose'>[]): Promise<void> {
  await preloadPendingOrders(db, tasks);
  const order_ids = tasks.map(({ row }) => row.subject);
  await attemptsOfOrders(db, order_ids);
  const job_ids = tasks.map(({ payload }) => payload.job_id);
  const jobs = await loadJobs(db, job_ids);
  const route_ids = jobs.map(({ route_id }) => route_id);
  await loadRoutes(db, route_ids);
  await preloadAnswers(db, job_ids);
}

/** Selects a quote of an attempt and dispatches the route with it, or ends the attempt if no quote is acceptable. */
async function selectRoundQuote(service: ServiceContext, task: Task<'order.choose'>): Promise<void> {
  const token = await service.secrets.base62(22);
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    // Who cancels an order locks it before its tasks.
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const now = timeOfPeople(service, task);
    const context: TransitionContext = { db, chance, now, providers: service.providers };
    const selection = await loadSelection(service, context, task);
    if (selection !== null) await applySelection({ ...selection, token });
  }, 'read committed');
  service.crash('intent.after_write');
}

/** Ends an attempt whose quote could not be selected, so that an internal error does not lose the order. */
async function abandonSelection(service: ServiceContext, task: Task<'order.choose'>): Promise<void> {
  await finishWithPending(service, task, async (context, pending) => {
    const reason = 'the service failed to select a quote';
    const attempt = await endAttempt(context, pending.order.id, { status: 'no_quotes', reason });
    await planNextAttempt(context, pending, { last: attempt?.created_at ?? task.now, reason });
  });
}

/** Loads the parts of a selection; null if the order is no longer pending or its route no longer a draft. */
async function loadSelection(
  service: ServiceContext,
  context: TransitionContext,
  task: Task<'order.choose'>,
): Promise<Omit<Selection, 'token'> | null> {
  const { db, chance, now } = context;
  const { job_id, publishes_round = false } = task.payload;
  const pending = await pendingOrder(db, task.row.subject);
  const attempt = await latestAttempt(db, task.row.subject);
  const job = await loadJob(db, job_id);
  const route = job === undefined ? undefined : await loadRoute(db, job.route_id);
  if (pending === null || attempt === undefined || job === undefined || route?.status !== 'draft')
    return null;
  const account = await findAccount(db, route);
  if (account === undefined) return null;
  const rows = await listQuotes(db, job.id);
  const quotes = rows.map((row) => {
    const { dropoff_eta, too_late } = quoteRecord(row);
    return { ...row, dropoff_eta, too_late };
  });
  const parts = ['choice', pending.order.id, String(attempt.number), String(job.round)];
  const call = backgroundCall(service, chance, { account, scope: route, now, parts });
  return { context, call, pending, attempt, route, job, publishes_round, quotes };
}

/** Dispatches the route with the selected quote, or ends the attempt if there is none. */
async function applySelection(selection: Selection): Promise<void> {
  const { context, job, route } = selection;
  if (await endForPausedStore(selection)) return;
  const { chosen, left_out } = await selectWithRoom(selection);
  const everyone = [...left_out, ...(await othersLeftOut(selection))];
  const noted = { left_out: JSON.stringify(everyone) };
  const repeated = chosen === null ? await repeatedAttempt(selection, everyone) : null;
  if (repeated === null && selection.publishes_round) await publishRound(context, job, route);
  if (chosen !== null) return dispatchWith(selection, chosen, noted);
  await changeAttempt(context.db, selection.attempt, noted);
  if (await requoteExpired(selection)) return;
  await endWithoutQuote(selection, left_out, repeated);
}

/** Ends an attempt whose store was paused after its start: it is repeated when the store is resumed. */
async function endForPausedStore({ context, pending }: Selection): Promise<boolean> {
  const { order } = pending;
  const [store] = await storesOfOrders(context.db, [order]);
  const until = store === undefined ? null : findPauseEnd(store, context.now);
  if (store === undefined || until === null) return false;
  await endAttempt(context, order.id, { status: 'no_quotes', reason: pauseText(store, until) });
  await waitForStore(context, pending);
  return true;
}

/** Selects a quote by the settings of the batch; without the own drivers if they have no room anymore. */
async function selectWithRoom(selection: Selection) {
  const { context, pending, quotes } = selection;
  const { quote_preference: preference, providers, max_cost } = pending.settings;
  const criteria = { preference, providers, max_cost, now: context.now };
  const first = selectQuote(quotes, criteria);
  if (!(await lacksRoom(selection, first.chosen))) return first;
  const others = quotes.filter(({ provider }) => provider !== fleet_provider);
  const { chosen, left_out } = selectQuote(others, criteria);
  left_out.push({ provider: fleet_provider, code: 'no_courier_free', reason: noDriverReason });
  return { chosen, left_out };
}

/** Ends an attempt without a quote, or counts it as a repeat of the one before, and plans the next one. */
async function endWithoutQuote(
  { context, pending, attempt, route, job, quotes }: Selection,
  left_out: readonly LeftOut[],
  repeated: AttemptRow | null,
): Promise<void> {
  const { db } = context;
  const reason = noQuoteReason(left_out, quotes);
  await includeRefusingProviders(context, pending);
  if (repeated === null) await endAttempt(context, pending.order.id, { status: 'no_quotes', reason });
  else {
    await countAsRepeat(db, attempt, repeated);
    await deleteOtherJobs(db, { route_id: route.id, since: repeated.created_at, kept_id: job.id });
  }
  await planNextAttempt(context, pending, { last: attempt.created_at, reason });
}

/** The attempt before, if it ended without a quote for the same reasons; null otherwise. */
async function repeatedAttempt(
  { context, pending }: Selection,
  left_out: readonly LeftOut[],
): Promise<AttemptRow | null> {
  const before = await attemptBeforeLatest(context.db, pending.order.id);
  if (before?.status !== 'no_quotes') return null;
  return reasonCodes(JSON.parse(before.left_out)) === reasonCodes(left_out) ? before : null;
}

/** Who was left out with which code, as a text to compare. */
function reasonCodes(left_out: readonly LeftOut[]): string {
  const pairs = left_out.map(({ provider, code }) => `${provider} ${code}`);
  return [...new Set(pairs)].sort().join('\n');
}

/** Whether a quote is one of the own drivers, who have got other orders since. */
async function lacksRoom({ context, route, pending }: Selection, quote: QuoteRow | null): Promise<boolean> {
  if (quote?.provider !== fleet_provider) return false;
  const { pickup_eta } = quoteRecord(quote);
  return !(await hasRoomNow(context, route, { orders: [pending.order], pickup_eta }));
}

/** Includes the providers again that refused before, because no other offers a quote. */
async function includeRefusingProviders(
  { db, now }: WriteContext,
  { entry, order }: PendingOrder,
): Promise<void> {
  const refusals = readRefusals(entry).map((refusal) => ({ ...refusal, isExcluded: false }));
  if (refusals.length === 0) return;
  await changePending(db, { order_id: order.id, to: { refusals: JSON.stringify(refusals) }, now });
}

/** The providers that declined, and those that were not asked. */
async function othersLeftOut({ context, call, pending, job, quotes }: Selection) {
  const declines = await listDeclines(context.db, job.id);
  const answered = new Set([...quotes, ...declines].map(({ provider }) => provider));
  const available = await availableProviders(call.service, context.db, pending.order);
  const excluded = await excludedProviders(call.service, context.db, pending);
  const { providers } = pending.settings;
  const others = available.filter((provider) => !answered.has(provider.name));
  const reasons = others.flatMap(({ name: provider, only_when_named }) => {
    if (excluded.includes(provider)) {
      return [{ provider, code: 'refused_before', reason: 'refused an earlier dispatch of this order' }];
    }
    if (providers === null || providers.includes(provider) || only_when_named) return [];
    return [{ provider, code: 'not_named', reason: `only ${providers.join(', ')} may be used` }];
  });
  return [...declines.map(({ provider, code, reason }) => ({ provider, code, reason })), ...reasons];
}

const requotedReason = 'every quote had expired; new quotes were requested';

/** Requests quotes again if all of a round have expired, once per attempt. */
async function requoteExpired({
  context,
  call,
  pending,
  attempt,
  route,
  quotes,
}: Selection): Promise<boolean> {
  const isDead = quotes.length > 0 && quotes.every((quote) => isExpired(quote, context.now));
  if (!isDead || attempt.reason === requotedReason) return false;
  await changeAttempt(context.db, attempt, { reason: requotedReason });
  const excluded = await excludedProviders(call.service, context.db, pending);
  await startQuoteRound(context, call, { route, providers: pending.settings.providers, excluded });
  return true;
}

function noQuoteReason(
  left_out: readonly { code: string; reason: string }[],
  quotes: readonly QuoteRow[],
): string {
  if (quotes.length === 0) return 'no provider offered a quote';
  const isFull = left_out.some(({ code }) => code === 'no_courier_free');
  if (isFull && quotes.length === 1) return `${fleet_provider}: ${noDriverReason}`;
  const tooDear = left_out.find(({ code }) => code === 'above_max_cost');
  return tooDear === undefined
    ? 'every quote had expired'
    : `no quote is within the price limit: ${tooDear.reason}`;
}

async function dispatchWith(
  selection: Selection,
  quote: QuoteRow,
  noted: Pick<AttemptRow, 'left_out'>,
): Promise<void> {
  const { context, call, pending, attempt, route, token } = selection;
  const { order, settings } = pending;
  const { db, now } = context;
  if (!(await setRouteStatus(db, { id: route.id, from: 'draft', to: 'dispatched', now }))) {
    throw new Error(`route ${route.id} is no longer a draft`);
  }
  const { deliveries, task } = await writeIntent(context, { call, route, quote, orders: [order], token });
  if (task !== null) await insertTasks(context.db, [task.row]);
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('a route of one order has no delivery');
  const { provider, id: quote_id } = quote;
  const delivery_id = delivery.id;
  const to = {
    ...noted,
    status: 'asking',
    provider,
    quote_id,
    delivery_id,
    reason: reasons[settings.quote_preference],
  } as const;
  await changeAttempt(db, attempt, to);
  await changePending(db, { order_id: order.id, to: { delivery_id, reason: '' }, now });
  await recordDeclinedPayment(context, pending, delivery);
}

const reasons = {
  cheapest: 'the cheapest quote',
  fastest: 'the quote with the earliest dropoff',
  preferred: 'the first of the preferred providers that quoted',
} as const;

/** Ends the attempt if the payment was declined, without excluding a provider. */
async function recordDeclinedPayment(
  context: TransitionContext,
  { order }: PendingOrder,
  delivery: DeliveryRow,
): Promise<void> {
  if (delivery.status !== 'failed') return;
  await recordRefusal(context, [order], { provider: null, reason: failureMessages.payment_declined });
}
