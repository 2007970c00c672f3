import { failureMessages } from '../../domain/failures.ts';
import { selectQuote } from '../../domain/quote-selection.ts';
import { isExpired } from '../../domain/quotes.ts';
import { findAccount } from '../../storage/accounts.ts';
import { changePending } from '../../storage/batch-orders.ts';
import type { DeliveryRow, JobRow, QuoteRow, RouteRow, TryRow } from '../../storage/database.ts';
import { findJob } from '../../storage/jobs.ts';
import { listDeclines, listQuotes } from '../../storage/quotes.ts';
import { loadRoute, moveRoute } from '../../storage/routes.ts';
import { changeTry, latestTry } from '../../storage/tries.ts';
import { endTry, noteRefused, type PendingOrder, pendingOrder, tryLater } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { writeIntent } from '../dispatch/intent.ts';
import type { CallBase } from '../http/handler.ts';
import { quoteRecord } from '../quotes/quote-handlers.ts';
import { beginRound, type ChoosePayload } from '../quotes/quote-rounds.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { backgroundCall } from './background-call.ts';
import { excludedFrom, forgive } from './excluded-providers.ts';

/** A round of quotes that is complete, and whose it is. */
interface Choosing {
  context: TransitionContext;
  call: CallBase;
  pending: PendingOrder;
  attempt: TryRow;
  route: RouteRow;
  job: JobRow;
  quotes: (QuoteRow & { dropoff_eta: number })[];
  token: string;
}

export const quoteSelectionTask: TaskKind = { run: chooseQuote, abandon: abandonChoice };

/** Chooses among the quotes of a try and hands the route over, as a merchant would by hand; or ends the try. */
async function chooseQuote(service: ServiceContext, task: Task): Promise<void> {
  const token = await service.secrets.base62(22);
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const context: TransitionContext = { db, chance, now: task.now, providers: service.providers };
    const choosing = await choosingOf(service, context, task);
    if (choosing !== null) await choose({ ...choosing, token });
  });
  service.crash('intent.after_write');
}

/** Whatever keeps the service from choosing, the order is not lost. */
async function abandonChoice(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    if (pending === null) return;
    const context = { db, chance, now: task.now };
    const reason = 'the service could not choose';
    const attempt = await endTry(context, pending.order.id, { status: 'no_quotes', reason });
    await tryLater(context, pending, { last: attempt?.created_at ?? task.now, reason });
  });
}

/** Null where there is nothing to choose any more. */
async function choosingOf(
  service: ServiceContext,
  context: TransitionContext,
  task: Task,
): Promise<Omit<Choosing, 'token'> | null> {
  const { db, chance, now } = context;
  const { job_id }: ChoosePayload = JSON.parse(task.row.payload);
  const pending = await pendingOrder(db, task.row.subject);
  const attempt = await latestTry(db, task.row.subject);
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

async function choose(choosing: Choosing): Promise<void> {
  const { context, pending, attempt, quotes } = choosing;
  const { settings, order } = pending;
  const { db, now } = context;
  const { quote_preference: preference, providers, max_cost } = settings;
  const { chosen, left_out } = selectQuote(quotes, { preference, providers, max_cost, now });
  const everyone = [...left_out, ...(await othersLeftOut(choosing))];
  await changeTry(db, { id: attempt.id, to: { left_out: JSON.stringify(everyone) } });
  if (chosen !== null) return handOverTo(choosing, chosen);
  if (await askedAgain(choosing)) return;
  const reason = whyNobody(left_out, quotes);
  await forgive(context, pending);
  await endTry(context, order.id, { status: 'no_quotes', reason });
  await tryLater(context, pending, { last: attempt.created_at, reason });
}

/** Those who gave no quote, and those who were not asked. */
async function othersLeftOut({ context, call, pending, job, quotes }: Choosing) {
  const declines = await listDeclines(context.db, job.id);
  const answered = new Set([...quotes, ...declines].map(({ provider }) => provider));
  const excluded = new Set(excludedFrom(pending, call.service.providers));
  const { providers } = pending.settings;
  const others = call.service.providers.filter((provider) => !answered.has(provider.name));
  const reasons = others.flatMap(({ name: provider, only_when_named }) => {
    if (excluded.has(provider)) {
      return [{ provider, code: 'refused_before', reason: 'it refused an earlier dispatch of this order' }];
    }
    if (providers === null || providers.includes(provider) || only_when_named) return [];
    return [{ provider, code: 'not_named', reason: `only ${providers.join(', ')} may be asked` }];
  });
  return [...declines.map(({ provider, code, reason }) => ({ provider, code, reason })), ...reasons];
}

const askedAgainText = 'every quote had expired, so that they were asked for again';

/** Quotes that are dead on arrival are replaced at once, one time in each try. */
async function askedAgain({ context, call, pending, attempt, route, quotes }: Choosing): Promise<boolean> {
  const isDead = quotes.length > 0 && quotes.every((quote) => isExpired(quote, context.now));
  if (!isDead || attempt.reason === askedAgainText) return false;
  await changeTry(context.db, { id: attempt.id, to: { reason: askedAgainText } });
  const without = excludedFrom(pending, call.service.providers);
  await beginRound(context, call, { route, providers: pending.settings.providers, without });
  return true;
}

function whyNobody(
  left_out: readonly { code: string; reason: string }[],
  quotes: readonly QuoteRow[],
): string {
  if (quotes.length === 0) return 'no provider quoted';
  const tooDear = left_out.find(({ code }) => code === 'above_max_cost');
  return tooDear === undefined
    ? 'every quote had expired'
    : `no quote fits: of the cheapest, ${tooDear.reason}`;
}

async function handOverTo(choosing: Choosing, quote: QuoteRow): Promise<void> {
  const { context, call, pending, attempt, route, token } = choosing;
  const { order, settings } = pending;
  const { db, now } = context;
  if (!(await moveRoute(db, { id: route.id, from: 'draft', to: 'dispatched', now }))) {
    throw new Error(`route ${route.id} was taken out of draft`);
  }
  const [delivery] = await writeIntent(context, { call, route, quote, orders: [order], token });
  if (delivery === undefined) throw new Error('a route of one order has no delivery');
  const { provider, id: quote_id } = quote;
  const delivery_id = delivery.id;
  const to = {
    status: 'asking',
    provider,
    quote_id,
    delivery_id,
    reason: reasons[settings.quote_preference],
  } as const;
  await changeTry(db, { id: attempt.id, to });
  await changePending(db, { order_id: order.id, to: { delivery_id, reason: '' }, now });
  await noteDeclined(context, pending, delivery);
}

const reasons = {
  cheapest: 'the cheapest quote',
  fastest: 'the quote with the earliest dropoff',
  preferred: 'the first of the preferred providers that quoted',
} as const;

/** A payment that is declined ends the try where it is; no provider is to blame. */
async function noteDeclined(
  context: TransitionContext,
  { order }: PendingOrder,
  delivery: DeliveryRow,
): Promise<void> {
  if (delivery.status !== 'failed') return;
  await noteRefused(context, [order], { provider: null, reason: failureMessages.payment_declined });
}
