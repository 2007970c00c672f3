import type { listTries, Try } from '../../contract/batches.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { isExpired, selectQuote } from '../../domain/quotes.ts';
import type { Provider } from '../../providers/port.ts';
import { type Account, findAccount } from '../../storage/accounts.ts';
import {
  attemptsOfOrders,
  changeAttempt,
  changePending,
  insertAttempt,
  latestAttempt,
  listOrderAttempts as listRows,
} from '../../storage/batches.ts';
import type {
  AttemptRow,
  Connection,
  DeliveryRow,
  JobRow,
  OrderRow,
  QuoteRow,
  RouteRow,
  Scope,
  TaskRow,
} from '../../storage/database.ts';
import { addToRoute, findOrder, lockFreeOrders, lockOrders } from '../../storage/orders.ts';
import { findJob, findJobs, listDeclines, listQuotes, preloadAnswers } from '../../storage/quotes.ts';
import { insertRoute, loadRoute, loadRoutes, setRouteStatus } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import {
  endAttempt,
  type PendingOrder,
  pendingOrder,
  planNextAttempt,
  preloadPendingOrders,
  recordRefusal,
  refusalsOf,
} from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { writeIntent } from '../dispatch/intent.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { orderNotFound } from '../orders/order-handlers.ts';
import { orderRecord } from '../orders/order-view.ts';
import { quoteRecord } from '../quotes/quote-handlers.ts';
import { askableProviders, type SelectQuotePayload, startQuoteRound } from '../quotes/quote-rounds.ts';
import { draftRow } from '../routes/route-handlers.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { chanceOf, idsOf, newId } from '../runtime/ids.ts';
import type { Chance } from '../runtime/random.ts';
import { instant, instantOrNull } from '../runtime/time.ts';

/** Lists the attempts of an order; a manually dispatched order has none. */
export const pageOfAttempts: Handler<typeof listTries> = async ({ service, caller, params, query }) =>
  service.storage.read(async (db) => {
    const order = await findOrder(db, caller.scope, params.order_id);
    if (order === undefined) throw orderNotFound(params.order_id);
    const page = { ...caller.scope, ...pageRequest(query, 'try'), order_id: order.id };
    return pageOf(await listRows(db, page), attemptView);
  });

function attemptView(row: AttemptRow): Try {
  const { id, order_id, batch_id, number, status, route_id, provider, quote_id, delivery_id, reason } = row;
  return {
    id,
    object: 'try',
    ...{ order_id, batch_id, number, status, route_id, provider, quote_id, delivery_id, reason },
    left_out: JSON.parse(row.left_out),
    created_at: instant(row.created_at),
    ended_at: instantOrNull(row.ended_at),
  };
}

export const attemptTask: TaskKind = {
  run: startAttempt,
  abandon: abandonAttempt,
  lockSubjects: lockFreeOrders,
  preload: preloadPendingOrders,
};

/** Starts an attempt of auto dispatch: puts the order on its own draft route and requests quotes. */
async function startAttempt(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    // Who cancels an order locks it before its tasks.
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    if (pending === null) return;
    const { order, batch, entry } = pending;
    const now = order.test_mode === 1 ? task.now : Math.max(task.now, service.clock.now());
    const context: WriteContext = { db, chance, now };
    if (await isMissed(context, pending, task.now)) return;
    const account = await findAccount(db, order);
    if (account === undefined) return;
    const number = entry.attempts + 1;
    const parts = ['try', order.id, String(number)];
    const call = backgroundCall(service, chance, { account, scope: order, now, parts });
    const route = await draftOf(context, call, order);
    await changePending(db, {
      order_id: order.id,
      to: { attempts: number, next_attempt_at: null },
      now,
    });
    await insertAttempt(db, {
      id: newId(chance, 'try', now, order.id, String(number)),
      account_id: order.account_id,
      test_mode: order.test_mode,
      order_id: order.id,
      batch_id: batch.id,
      number,
      status: 'quoting',
      route_id: route.id,
      ...{ provider: null, quote_id: null, delivery_id: null, reason: '', left_out: '[]' },
      created_at: now,
      ended_at: null,
    });
    const { providers } = pending.settings;
    const without = excludedProviders(pending, await availableProviders(service, db, order));
    await startQuoteRound(context, call, { route, providers, without });
  }, 'read committed');
}

/** Schedules the next attempt if one could not start, so that an internal error does not lose the order. */
async function abandonAttempt(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    const context = { db, chance, now: task.now };
    const planned = { last: task.now, reason: 'the service failed to start an attempt' };
    if (pending !== null) await planNextAttempt(context, pending, planned);
  }, 'read committed');
}

/**
 * Live attempts are never made in the past: if the service was down for more than an interval, the order waits for
 * its next scheduled attempt.
 */
async function isMissed(context: WriteContext, pending: PendingOrder, due_at: number): Promise<boolean> {
  const { settings, entry } = pending;
  const isLate = context.now - due_at >= settings.retry_interval * 1000;
  // The first attempt is made however late it is.
  if (!isLate || entry.attempts === 0) return false;
  await planNextAttempt(context, pending, { last: due_at, reason: 'the scheduled attempt was missed' });
  return true;
}

/** The order's draft route; a new one if it has none, or if the last one was refused. */
async function draftOf({ db, now }: WriteContext, call: CallBase, order: OrderRow): Promise<RouteRow> {
  const current = order.route_id === null ? undefined : await loadRoute(db, order.route_id);
  if (current?.status === 'draft') return current;
  const { scope } = call.caller;
  const route = draftRow(call, [order], { optimize: true });
  await insertRoute(db, route);
  const joined = await addToRoute(db, { ...scope, ids: [order.id], route_id: route.id, now });
  if (joined !== 1) throw new Error(`order ${order.id} is ${order.status} and cannot join a route`);
  return route;
}

interface Origin {
  account: Account;
  scope: Scope;
  /** Service time of the task. */
  now: number;
  /** Identifies the task: the same parts give the same ids. */
  parts: readonly string[];
}

/** A call made by a background task on behalf of a merchant. */
function backgroundCall(service: ServiceContext, chance: Chance, origin: Origin): CallBase {
  const { account, now } = origin;
  const { account_id, test_mode } = origin.scope;
  const parts = origin.parts.map(chanceOf);
  return {
    service,
    accept_language: null,
    client_address: null,
    caller: {
      scope: { account_id, test_mode },
      test_mode: test_mode === 1,
      permission: 'write',
      key_id: '',
      key_last_four: '',
      key_last_used_at: null,
      settings: settingsOf(account),
    },
    now,
    request_key: parts.join(' '),
    simulation: null,
    last_event_id: null,
    isAllowed: async () => true,
    ...idsOf(chance, { at: now }, parts),
    commit: service.storage.transaction,
  };
}

/** The providers to exclude from a round: those that refused, unless no other is left. */
function excludedProviders(
  { entry, order, settings }: PendingOrder,
  providers: readonly Provider[],
): string[] {
  const refusals = refusalsOf(entry).filter(({ isExcluded }) => isExcluded);
  const excluded = refusals.flatMap(({ provider }) => provider ?? []);
  const { simulation } = orderRecord(order);
  const askable = askableProviders(providers, {
    providers: settings.providers,
    simulated: simulation.provider,
  });
  return askable.every(({ name }) => excluded.includes(name)) ? [] : excluded;
}

/** Includes the providers again that refused before, because no other offers a quote. */
async function includeRefusingProviders(
  { db, now }: WriteContext,
  { entry, order }: PendingOrder,
): Promise<void> {
  const refusals = refusalsOf(entry).map((refusal) => ({ ...refusal, isExcluded: false }));
  if (refusals.length === 0) return;
  await changePending(db, { order_id: order.id, to: { refusals: JSON.stringify(refusals) }, now });
}

/** A complete quote round with its order and attempt. */
interface Selection {
  context: TransitionContext;
  call: CallBase;
  pending: PendingOrder;
  attempt: AttemptRow;
  route: RouteRow;
  job: JobRow;
  quotes: (QuoteRow & { dropoff_eta: number })[];
  token: string;
}

export const quoteSelectionTask: TaskKind = {
  run: selectRoundQuote,
  abandon: abandonSelection,
  lockSubjects: lockFreeOrders,
  preload: preloadSelections,
};

async function preloadSelections(db: Connection, tasks: readonly TaskRow[]): Promise<void> {
  await preloadPendingOrders(db, tasks);
  await attemptsOfOrders(
    db,
    tasks.map(({ subject }) => subject),
  );
  const job_ids = tasks.map(({ payload }) => {
    const { job_id }: SelectQuotePayload = JSON.parse(payload);
    return job_id;
  });
  const jobs = await findJobs(db, job_ids);
  await loadRoutes(
    db,
    jobs.map(({ route_id }) => route_id),
  );
  await preloadAnswers(db, job_ids);
}

/** Selects a quote of an attempt and dispatches the route with it, or ends the attempt if no quote is acceptable. */
async function selectRoundQuote(service: ServiceContext, task: Task): Promise<void> {
  const token = await service.secrets.base62(22);
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    // Who cancels an order locks it before its tasks.
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const context: TransitionContext = { db, chance, now: task.now, providers: service.providers };
    const selection = await loadSelection(service, context, task);
    if (selection !== null) await applySelection({ ...selection, token });
  }, 'read committed');
  service.crash('intent.after_write');
}

/** Ends an attempt whose quote could not be selected, so that an internal error does not lose the order. */
async function abandonSelection(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    if (pending === null) return;
    const context = { db, chance, now: task.now };
    const reason = 'the service failed to select a quote';
    const attempt = await endAttempt(context, pending.order.id, { status: 'no_quotes', reason });
    await planNextAttempt(context, pending, { last: attempt?.created_at ?? task.now, reason });
  }, 'read committed');
}

/** Loads the parts of a selection; null if the order is no longer pending or its route no longer a draft. */
async function loadSelection(
  service: ServiceContext,
  context: TransitionContext,
  task: Task,
): Promise<Omit<Selection, 'token'> | null> {
  const { db, chance, now } = context;
  const { job_id }: SelectQuotePayload = JSON.parse(task.row.payload);
  const pending = await pendingOrder(db, task.row.subject);
  const attempt = await latestAttempt(db, task.row.subject);
  const job = await findJob(db, job_id);
  const route = job === undefined ? undefined : await loadRoute(db, job.route_id);
  if (pending === null || attempt === undefined || job === undefined || route?.status !== 'draft')
    return null;
  const account = await findAccount(db, route);
  if (account === undefined) return null;
  const rows = await listQuotes(db, job.id);
  const quotes = rows.map((row) => ({ ...row, dropoff_eta: quoteRecord(row).dropoff_eta }));
  const parts = ['choice', pending.order.id, String(attempt.number), String(job.round)];
  const call = backgroundCall(service, chance, { account, scope: route, now, parts });
  return { context, call, pending, attempt, route, job, quotes };
}

async function applySelection(selection: Selection): Promise<void> {
  const { context, pending, attempt, quotes } = selection;
  const { settings, order } = pending;
  const { db, now } = context;
  const { quote_preference: preference, providers, max_cost } = settings;
  const { chosen, left_out } = selectQuote(quotes, { preference, providers, max_cost, now });
  const everyone = [...left_out, ...(await othersLeftOut(selection))];
  const to = { left_out: JSON.stringify(everyone) };
  if (chosen !== null) return dispatchWith(selection, chosen, to);
  await changeAttempt(db, attempt, to);
  if (await requoteExpired(selection)) return;
  const reason = noQuoteReason(left_out, quotes);
  await includeRefusingProviders(context, pending);
  await endAttempt(context, order.id, { status: 'no_quotes', reason });
  await planNextAttempt(context, pending, { last: attempt.created_at, reason });
}

/** The providers that declined, and those that were not asked. */
async function othersLeftOut({ context, call, pending, job, quotes }: Selection) {
  const declines = await listDeclines(context.db, job.id);
  const answered = new Set([...quotes, ...declines].map(({ provider }) => provider));
  const available = await availableProviders(call.service, context.db, pending.order);
  const excluded = new Set(excludedProviders(pending, available));
  const { providers } = pending.settings;
  const others = available.filter((provider) => !answered.has(provider.name));
  const reasons = others.flatMap(({ name: provider, only_when_named }) => {
    if (excluded.has(provider)) {
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
  const without = excludedProviders(
    pending,
    await availableProviders(call.service, context.db, pending.order),
  );
  await startQuoteRound(context, call, { route, providers: pending.settings.providers, without });
  return true;
}

function noQuoteReason(
  left_out: readonly { code: string; reason: string }[],
  quotes: readonly QuoteRow[],
): string {
  if (quotes.length === 0) return 'no provider offered a quote';
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
