/** The steps after the orders: the draft route, its quotes, the choice of one, and the dispatch. */
import { isRefusal, refusedWith } from '../../../client/errors.ts';
import type { Route, RouteQuote, RouteQuotes } from '../../../contract/routes.ts';
import { minute_ms } from '../../../domain/durations.ts';
import { dollars, parseDollars } from '../../../domain/money.ts';
import { isExpired } from '../../../domain/quotes.ts';
import { countdownText, preferredQuote, quoteChoices, serviceClock } from '../../flow/agreed-quote.ts';
import { dispatchRoute, quoteKeyPart } from '../../flow/deliver.ts';
import { dispatchOutcome, type Outcome, outcomeAnswer } from '../../flow/dispatch-outcome.ts';
import {
  confirmPrice,
  fetchOrdersOfRoute,
  priceText,
  resolveTip,
  tipCheckFor,
} from '../../flow/price-limits.ts';
import { isBlank } from '../../kit/args/command-input.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { Declined, StillPending } from '../../kit/errors/failure.ts';
import type { Choice } from '../../kit/host/host.ts';
import { isRedrawn } from '../../kit/output/progress.ts';
import type { TimeContext } from '../../kit/output/times.ts';
import { invocation, plainText } from '../../kit/result/message.ts';
import { textResult } from '../../kit/result/result.ts';
import { failedDeliveryText } from '../../nouns/delivery-creation.ts';
import { noQuotes, reasonText } from '../../nouns/missing-quotes.ts';
import { getOrder } from '../../nouns/order.ts';
import { guardSentOnce } from '../../nouns/order-checks.ts';
import { getQuotes, requestQuotes, routeFacts } from '../../nouns/quote.ts';
import { comparable, usableQuotes } from '../../nouns/quote-columns.ts';
import { completeQuotes } from '../../nouns/quote-waiting.ts';
import { distanceText, fetchRoute } from '../../nouns/route.ts';
import { type Context, isOwnService } from '../../session/command.ts';
import {
  deleteRoute,
  finishUnansweredRoute,
  handleTakenRoute,
  reconcileOrders,
  rollBack,
  sendRoute,
} from './orders-and-route.ts';
import {
  isRouteCurrent,
  orderIds,
  type Plan,
  type PlannedDispatch,
  withoutQuotes,
  withoutRoute,
  writeKey,
} from './plan.ts';
import { continueText, leaveChoice, nullIfBack, Quit, type Run, type StepResult } from './run.ts';
import { maxPriceOf, showScript } from './script.ts';

type RouteAction = 'quotes' | 'optimize' | 'leave';

/** Makes sure that there is a draft route of the current orders; an outdated one is deleted first. */
export async function routeStep(run: Run): Promise<StepResult> {
  if (orderIds(run.plan).length === 0) return 'back';
  const route = await draftRoute(run);
  if (route === null) return 'again';
  if (route.status !== 'draft') return handleTakenRoute(run, route);
  for (const { sequence, kind, address } of route.stops) run.print(`  ${sequence}. ${kind} at ${address}`);
  // A service may not describe its routes.
  const isKnown = route.stops.length > 0;
  const message = `${isKnown ? `${route.stops.length} stops, ${distanceText(route)}. ` : ''}What now?`;
  const action = await nullIfBack(() => run.prompts.select(message, routeActions(run.plan), { back: true }));
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'quotes') return 'next';
  run.savePlan({ ...run.plan, optimize: !run.plan.optimize });
  return 'again';
}

function routeActions(plan: Plan): Choice<RouteAction>[] {
  const otherSequence = plan.optimize
    ? 'Keep the stops in the given order'
    : 'Optimize the order of the stops';
  return [
    { name: 'Request quotes', value: 'quotes' },
    ...(orderIds(plan).length > 1 ? [{ name: otherSequence, value: 'optimize' } as const] : []),
    leaveChoice,
  ];
}

/** Returns the draft route; null if an order is no longer open, after removing it from the plan. */
async function draftRoute(run: Run): Promise<Route | null> {
  await finishUnansweredRoute(run);
  const known = run.plan.route;
  if (known?.id && isRouteCurrent(run.plan)) {
    const route = await fetchRoute(run.context, known.id);
    if (route !== null) return route;
    run.print(`Route ${known.id} no longer exists.`);
    run.savePlan(withoutRoute(run.plan));
  }
  await deleteRoute(run);
  const { plan } = run;
  const number = plan.count + 1;
  const planned = { number, order_ids: orderIds(plan), optimize: plan.optimize, id: null };
  run.savePlan({ ...withoutRoute(plan), count: number, route: planned });
  try {
    const route = await sendRoute(run, planned);
    run.print(`Created draft route ${route.id}. Equivalent command:`);
    const flags = planned.order_ids.length > 1 && !planned.optimize ? ['--no-optimize'] : [];
    run.printCommand(invocation('routes create', [...planned.order_ids, ...flags]));
    return route;
  } catch (error) {
    if (!refusedWith(error, 'order_not_open', 'record_not_found')) throw error;
    run.savePlan(withoutRoute(run.plan));
    if (!(await reconcileOrders(run))) throw error;
    return null;
  }
}

/** The pause before quotes are requested again. */
const pause_ms = minute_ms;

/** Makes sure that there are quotes to choose from: existing ones, or new ones. */
export async function quotesStep(run: Run): Promise<StepResult> {
  const route_id = run.plan.route?.id ?? null;
  if (route_id === null) return 'route';
  try {
    const quotes = await collectQuotes(run, route_id);
    if (quotes.data?.length === 0) return await handleNoQuotes(run, route_id, quotes);
    if (usableQuotes(quotes, run.context.serviceNow()).length > 0) return 'next';
    run.print('All quotes have expired. Requesting new ones.');
    run.savePlan(withoutQuotes(run.plan));
    return 'again';
  } catch (error) {
    if (error instanceof StillPending) return handleSlowQuotes(run);
    throw error;
  }
}

/** Returns the quotes of the current round, or of a new one. */
async function collectQuotes(run: Run, route_id: string): Promise<RouteQuotes> {
  const { context } = run;
  if (run.plan.round?.isAsked) {
    const quotes = await getQuotes(context, route_id);
    if (quotes.status === 'COMPLETE') return quotes;
  } else await requestRound(run, route_id);
  const interruptionText = () => continueText(run, ' Quotes were requested.');
  const wait = { timeout_ms: undefined, isRequested: true, interruptionText };
  const quotes = await withoutEcho(context, () => completeQuotes(context, route_id, wait));
  context.setInterruptionText(() => continueText(run));
  return quotes;
}

async function requestRound(run: Run, route_id: string): Promise<void> {
  const number = run.plan.round?.number ?? run.plan.count + 1;
  run.savePlan({ ...run.plan, count: Math.max(run.plan.count, number), round: { number, isAsked: false } });
  await requestQuotes(run.context, route_id, writeKey(run.plan, `quotes-${number}`));
  run.savePlan({ ...run.plan, round: { number, isAsked: true } });
  run.print('Requesting quotes... Equivalent command:');
  run.printCommand(invocation('routes quote', [route_id], { watch: true }));
}

type QuotesAction = 'wait' | 'ask' | 'orders' | 'leave' | 'undo';

const toChange: Choice<QuotesAction> = { name: 'Change the orders', value: 'orders' };

const toStop: Choice<QuotesAction> = {
  name: 'Stop: delete the route and cancel the orders created here',
  value: 'undo',
};

/** Asks what to do if no provider quotes. */
async function handleNoQuotes(run: Run, route_id: string, quotes: RouteQuotes): Promise<StepResult> {
  const { message, details } = noQuotes(route_id, quotes);
  run.print(message);
  for (const line of plainText(details.why ?? '')
    .split('\n')
    .filter(Boolean))
    run.print(`  ${line}`);
  const actions: Choice<QuotesAction>[] = [
    { name: 'Wait a minute and request again', value: 'wait' },
    { name: 'Request again now', value: 'ask' },
    ...[toChange, leaveChoice, toStop],
  ];
  return takeAction(run, await askAction(run, 'No quotes. What now?', actions));
}

/** Asks what to do if the quotes take longer than the timeout. */
async function handleSlowQuotes(run: Run): Promise<StepResult> {
  const actions: Choice<QuotesAction>[] = [
    { name: 'Keep waiting', value: 'wait' },
    toChange,
    leaveChoice,
    toStop,
  ];
  const action = await askAction(run, 'Quotes are still pending. What now?', actions);
  return action === 'wait' ? 'again' : takeAction(run, action);
}

function askAction(
  run: Run,
  message: string,
  actions: readonly Choice<QuotesAction>[],
): Promise<QuotesAction | null> {
  return nullIfBack(() => run.prompts.select(message, actions, { back: true }));
}

async function takeAction(run: Run, action: QuotesAction | null): Promise<StepResult> {
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'orders') return 'orders';
  if (action === 'undo') {
    const text = (await rollBack(run))
      ? 'Nothing was dispatched, and everything created here was undone.'
      : 'Nothing was dispatched from here. What someone else changed stays as it is.';
    return { end: () => textResult(text) };
  }
  if (action === 'wait') await pause(run);
  run.savePlan(withoutQuotes(run.plan));
  return 'again';
}

async function pause({ context }: Run): Promise<void> {
  const progress = await context.progress('Waiting a minute');
  await withoutEcho(context, () => context.sleep(pause_ms)).finally(() => progress.stop());
}

/** Drops what is typed during a wait: the terminal would write it into the line of the spinner. */
async function withoutEcho<T>({ host, output }: Context, wait: () => Promise<T>): Promise<T> {
  if (!isRedrawn(host, output)) return wait();
  const restore = await host.onKeys(() => {});
  return wait().finally(restore);
}

type ChoiceAction = { quote: RouteQuote } | 'ask' | 'leave';

/** Asks the user to choose a quote. Expired quotes cannot be chosen: all are requested again. */
export async function choiceStep(run: Run): Promise<StepResult> {
  const { context, plan } = run;
  const route_id = plan.route?.id ?? null;
  if (route_id === null) return 'route';
  if (plan.dispatch !== null) {
    run.print('It is not known yet whether the route was dispatched. Repeating the same request.');
    return 'dispatch';
  }
  const quotes = await getQuotes(context, route_id);
  const now = await serviceClock(context);
  if (usableQuotes(quotes, now()).length === 0) return 'quotes';
  for (const reason of quotes.reasons ?? []) run.print(reasonText(reason));
  const { zone } = await routeFacts(context, route_id);
  const current = () => choicesOf(quotes, { now: now(), times: context.output.times, zone });
  const choices = current();
  const best = preferredQuote((quotes.data ?? []).map(comparable), 'cheapest');
  if (best?.too_late === true) run.print('No quote keeps the agreed time.');
  const initial = proposedOf(choices, plan.quote_id ?? best?.id ?? null);
  const action = await nullIfBack(() =>
    run.prompts.select('Choose a quote (cost + fee)', choices, {
      initial,
      current,
      back: true,
    }),
  );
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'ask') return requestAgain(run, 'Requesting new quotes.');
  if (isExpired(comparable(action.quote), now())) return replaceExpired(run, action.quote);
  run.savePlan({ ...run.plan, quote_id: action.quote.id });
  run.print(`Chose ${action.quote.provider}. List all quotes with:`);
  run.printCommand(invocation('quotes list', [route_id]));
  return 'next';
}

/**
 * The preselected quote: the one chosen before, or else the cheapest that keeps the agreed time. If it has expired,
 * requesting new quotes, as the next one may cost far more.
 */
function proposedOf(
  choices: readonly Choice<ChoiceAction>[],
  quote_id: string | null,
): ChoiceAction | undefined {
  const before = choices.find(({ value }) => isQuote(value) && value.quote.id === quote_id);
  if (before !== undefined && before.disabled === undefined) return before.value;
  return (before ?? choices[0])?.disabled === undefined ? undefined : 'ask';
}

function isQuote(action: ChoiceAction): action is { quote: RouteQuote } {
  return typeof action === 'object';
}

function choicesOf(quotes: RouteQuotes, timing: TimeContext): Choice<ChoiceAction>[] {
  return [
    ...quoteChoices(quotes, timing).map((choice) => ({ ...choice, value: { quote: choice.value } })),
    { name: 'Request new quotes', value: 'ask' },
    leaveChoice,
  ];
}

/** Requests quotes again; those of the old round can no longer be taken. */
function requestAgain(run: Run, why: string): StepResult {
  run.print(why);
  run.savePlan(withoutQuotes(run.plan));
  return 'quotes';
}

function replaceExpired(run: Run, { provider }: RouteQuote): StepResult {
  return requestAgain(run, `The quote from ${provider} has expired. Requesting new ones.`);
}

type DispatchAction = 'dispatch' | 'tip' | 'leave';

/** Dispatches the route with the chosen quote. An unanswered dispatch is sent again with the same key. */
export async function dispatchStep(run: Run): Promise<StepResult> {
  const { context, plan } = run;
  const route_id = plan.route?.id ?? null;
  if (route_id === null) return 'route';
  const quotes = await getQuotes(context, route_id);
  const now = await serviceClock(context);
  const quote_id = plan.dispatch?.quote_id ?? plan.quote_id;
  const quote = quotes.data?.find(({ id }) => id === quote_id);
  if (quote === undefined) {
    // The quote is of an older round and can no longer be taken.
    run.savePlan({ ...plan, dispatch: null });
    return 'choice';
  }
  if (plan.dispatch === null) {
    const turn = await askConsent(run, quote, now);
    if (turn !== null) return turn;
  }
  const send = run.plan.dispatch ?? { quote_id: quote.id, tip: run.plan.tip, sent_at: context.now() };
  const outcome = await sendDispatch(run, send, quote);
  if (outcome === null) return replaceExpired(run, quote);
  const isAgain = await askToTryAgain(run, outcome);
  if (isAgain) return 'route';
  await showScript(run, quote, quotes);
  return { end: () => outcomeAnswer(context, outcome) };
}

/** After a refusal by the courier, offers another round of quotes: the orders join a new route. False to end. */
async function askToTryAgain(run: Run, { route: { deliveries } }: Outcome): Promise<boolean> {
  const isRefused = deliveries.length > 0 && deliveries.every(({ status }) => status === 'failed');
  if (!isRefused) return false;
  for (const each of deliveries) run.print(failedDeliveryText(run.context, each));
  const again = await run.prompts.select('What now?', [
    { name: 'Try again with fresh quotes', value: true },
    { name: 'Stop here', value: false },
  ]);
  if (again) run.savePlan(withoutRoute(run.plan));
  return again;
}

/** Asks for consent. Null means dispatch; else the step to go to. */
async function askConsent(run: Run, quote: RouteQuote, now: () => number): Promise<StepResult | null> {
  const expired = () => isExpired(comparable(quote), now());
  const again = () => replaceExpired(run, quote);
  if (expired()) return again();
  const tip = await resolveTip(run.context, quote.route_id, run.plan.tip ?? undefined);
  const current = () => actionsOf(tip, quote, now());
  const message = `Dispatch with ${quote.provider} for ${priceText(quote, tip)}?`;
  const action = await nullIfBack(() => run.prompts.select(message, current(), { current, back: true }));
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'tip') return askTip(run, quote, tip);
  if (expired()) return again();
  try {
    await confirmPrice(run.context, quote, { maxCost: undefined, tip });
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    run.print('Nothing was dispatched.');
    return 'choice';
  }
  return expired() ? again() : null;
}

function actionsOf(tip: number, quote: RouteQuote, now: number): Choice<DispatchAction>[] {
  const left = countdownText(quote, now);
  return [
    { name: `Dispatch it (${left === '' ? 'the quote has expired' : left})`, value: 'dispatch' },
    { name: tip === 0 ? 'Add a tip for the driver' : `Change the tip (${dollars(tip)})`, value: 'tip' },
    leaveChoice,
  ];
}

async function askTip(run: Run, { route_id }: RouteQuote, tip: number): Promise<StepResult> {
  const initial = tip === 0 ? undefined : moneyText(tip);
  const faultOf = await tipCheckFor(run.context, await fetchOrdersOfRoute(run.context, route_id));
  const check = (typed: string) => {
    if (isBlank(typed)) return null;
    const cents = parseDollars(typed);
    if (cents === null) return `Enter an amount in dollars such as 12.50, not "${typed}".`;
    const fault = faultOf(cents);
    return fault === null ? null : `The tip ${fault}.`;
  };
  const question = 'Tip in dollars (--tip; 0 for none)';
  const text = await nullIfBack(() => run.prompts.text(question, { initial, check, back: true }));
  if (text !== null && !isBlank(text)) run.savePlan({ ...run.plan, tip: parseDollars(text) });
  return 'again';
}

/** Another service may have no look-up of orders, and does not know the check. */
async function guardOrders({ context, plan }: Run): Promise<boolean> {
  const ids = isOwnService(context) ? orderIds(plan) : [];
  const orders = await Promise.all(ids.map((id) => getOrder(context, id)));
  return guardSentOnce(context, orders, { allowDuplicateRef: false });
}

/** Dispatches; null if the service refuses the quote as expired. */
async function sendDispatch(run: Run, sent: PlannedDispatch, quote: RouteQuote): Promise<Outcome | null> {
  const { quote_id, tip } = sent;
  const { route_id } = quote;
  // Asks before the plan is saved: if the user declines, the plan must not say that a dispatch was sent.
  const refusesDuplicateRef = sent.refusesDuplicateRef ?? (await guardOrders(run));
  run.savePlan({ ...run.plan, dispatch: { ...sent, refusesDuplicateRef } });
  // The key names the quote and the tip, so that the same choice is the same dispatch.
  const key = writeKey(run.plan, `send-${quoteKeyPart({ id: quote_id })}-${tip ?? ''}`);
  try {
    const route = await dispatchRoute(run.context, { route_id, quote_id, tip, refusesDuplicateRef }, key);
    run.print('Equivalent command:');
    const line = invocation('dispatch', [route_id], await flagsFor(run, sent, quote));
    run.printCommand({ ...line, isOwnLine: true });
    return dispatchOutcome(route, quote);
  } catch (error) {
    if (isRefusal(error)) run.savePlan({ ...run.plan, dispatch: null });
    if (!refusedWith(error, 'quote_expired', 'quote_outdated')) throw error;
    return null;
  }
}

/** In live mode the command is limited to the price that the user confirmed. */
async function flagsFor({ context }: Run, { quote_id, tip }: PlannedDispatch, quote: RouteQuote) {
  const max_price = await maxPriceOf(context, quote, tip);
  const dollarsOf = (cents: number | null) => (cents === null ? undefined : moneyText(cents));
  return { quote: quote_id, tip: dollarsOf(tip), yes: max_price !== null, maxCost: dollarsOf(max_price) };
}
