import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isRefusal, refusedWith } from '../../../client/errors.ts';
import type { RouteQuote, RouteQuotes } from '../../../contract/routes.ts';
import { dollars, parseDollars } from '../../../domain/money.ts';
import { cheapest, fastest, isExpired, quotePrice } from '../../../domain/quotes.ts';
import {
  confirmPrice,
  ordersOfRoute,
  priceText,
  serviceClock,
  timeLeft,
  tipCheckFor,
  tipOf,
} from '../../flow/agreed-quote.ts';
import { dispatchOutcome, dispatchRoute, type Outcome, outcomeAnswer } from '../../flow/deliver.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { isBlank } from '../../kit/args/input.ts';
import { Declined, UsageError } from '../../kit/errors/failure.ts';
import type { Choice } from '../../kit/host/host.ts';
import { type Invocation, invocation, quoted } from '../../kit/result/message.ts';
import { reasonOf, writeWhole } from '../../kit/system/files.ts';
import { comparable, getQuotes, usableQuotes } from '../../nouns/quote.ts';
import type { Context } from '../../session/command.ts';
import { creationLine } from './answers.ts';
import { keyOf, type Plan, type PlannedDispatch } from './plan.ts';
import { askForExpired } from './route-steps.ts';
import { leave, Quit, type Run, type Turn, unlessBack } from './run.ts';

/** The last step: consent to the price, the dispatch, and the script that does it all again. */

type DispatchAction = 'dispatch' | 'tip' | 'leave';

/** Dispatches the route with the chosen quote. An unanswered dispatch is sent again with the same key. */
export async function dispatchStep(run: Run): Promise<Turn> {
  const { context, plan } = run;
  const route_id = plan.route?.id ?? null;
  if (route_id === null) return 'route';
  const quotes = await getQuotes(context, route_id);
  const now = await serviceClock(context);
  const quote_id = plan.dispatch?.quote_id ?? plan.quote_id;
  const quote = quotes.data?.find(({ id }) => id === quote_id);
  if (quote === undefined) {
    // The quote is of an older round and can no longer be taken.
    run.keep({ ...plan, dispatch: null });
    return 'choice';
  }
  if (plan.dispatch === null) {
    const turn = await askConsent(run, quote, now);
    if (turn !== null) return turn;
  }
  const send = run.plan.dispatch ?? { quote_id: quote.id, tip: run.plan.tip, sent_at: context.now() };
  const outcome = await sendDispatch(run, send, quote);
  if (outcome === null) return askForExpired(run, quote);
  await showScript(run, quote, quotes);
  return { end: () => outcomeAnswer(context, outcome) };
}

/** Asks for consent. Null means dispatch; else the step to go to. */
async function askConsent(run: Run, quote: RouteQuote, now: () => number): Promise<Turn | null> {
  const expired = () => isExpired(comparable(quote), now());
  const again = () => askForExpired(run, quote);
  if (expired()) return again();
  const tip = await tipOf(run.context, quote.route_id, run.plan.tip ?? undefined);
  const current = () => actionsOf(tip, quote, now());
  const message = `Dispatch with ${quote.provider} for ${priceText(quote, tip)}?`;
  const action = await unlessBack(() => run.prompts.select(message, current(), { current, back: true }));
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'tip') return askTip(run, quote, tip);
  if (expired()) return again();
  try {
    await confirmPrice(run.context, quote, { maxCost: undefined, tip });
  } catch (error) {
    if (!(error instanceof Declined)) throw error;
    run.say('Nothing was dispatched.');
    return 'choice';
  }
  return expired() ? again() : null;
}

function actionsOf(tip: number, quote: RouteQuote, now: number): Choice<DispatchAction>[] {
  const left = timeLeft(quote, now);
  return [
    { name: `Dispatch it (${left === '' ? 'the quote has expired' : left})`, value: 'dispatch' },
    { name: tip === 0 ? 'Add a tip for the driver' : `Change the tip (${dollars(tip)})`, value: 'tip' },
    leave,
  ];
}

async function askTip(run: Run, { route_id }: RouteQuote, tip: number): Promise<Turn> {
  const initial = tip === 0 ? undefined : moneyText(tip);
  const faultOf = await tipCheckFor(run.context, await ordersOfRoute(run.context, route_id));
  const check = (text: string) => {
    if (isBlank(text)) return null;
    const cents = parseDollars(text);
    if (cents === null) return `Enter an amount in dollars such as 12.50, not "${text}".`;
    const fault = faultOf(cents);
    return fault === null ? null : `The tip ${fault}.`;
  };
  const question = 'Tip in dollars (--tip; 0 for none)';
  const text = await unlessBack(() => run.prompts.text(question, { initial, check, back: true }));
  if (text !== null && !isBlank(text)) run.keep({ ...run.plan, tip: parseDollars(text) });
  return 'again';
}

/** Dispatches; null if the service refuses the quote as expired. */
async function sendDispatch(run: Run, sent: PlannedDispatch, quote: RouteQuote): Promise<Outcome | null> {
  const { quote_id, tip } = sent;
  const { route_id } = quote;
  run.keep({ ...run.plan, dispatch: sent });
  // The key names the quote and the tip, so that the same choice is the same dispatch.
  const key = keyOf(run.plan, `send-${quote_id.slice(-10)}-${tip ?? ''}`);
  try {
    const route = await dispatchRoute(run.context, { route_id, quote_id, tip }, key);
    run.say('Equivalent command:');
    run.tell(invocation('dispatch', [route_id], await flagsFor(run, sent, quote)));
    return dispatchOutcome(route, quote);
  } catch (error) {
    if (isRefusal(error)) run.keep({ ...run.plan, dispatch: null });
    if (!refusedWith(error, 'quote_expired')) throw error;
    return null;
  }
}

/** In live mode the command is limited to the price that the user confirmed. */
async function flagsFor({ context }: Run, { quote_id, tip }: PlannedDispatch, quote: RouteQuote) {
  const most = priceFor(quote, await context.mode());
  const dollarsOf = (cents: number | null) => (cents === null ? undefined : moneyText(cents));
  return { quote: quote_id, tip: dollarsOf(tip), yes: most !== null, maxCost: dollarsOf(most) };
}

/** The maximum price that a script pays in live mode. */
function priceFor(quote: RouteQuote, mode: 'test' | 'live'): number | null {
  return mode === 'live' ? quotePrice(quote) : null;
}

/** Shows the script, or writes it to its file. A failure is only a warning, as the route is dispatched. */
async function showScript(run: Run, quote: RouteQuote, quotes: RouteQuotes): Promise<void> {
  const { context, plan } = run;
  const path = plan.script;
  const taken = takenOf(quote, quotes, Date.parse(quote.created_at));
  const text = scriptOf(run, taken, priceFor(quote, await context.mode()));
  if (path === null) {
    run.say('Full script (--emit-script FILE saves it):');
    for (const line of text.trimEnd().split('\n')) run.quote(`  ${line}`);
    return;
  }
  try {
    // The script contains names, addresses and phone numbers.
    writeWhole(path, text, { mode: 0o700 });
    run.say(`Saved the full script to ${path}.`);
  } catch (error) {
    context.warn(`The script was not written to ${path}: ${reasonOf(error)}.`);
  }
}

/** How a script selects the quote: as the cheapest, as the fastest, or by its provider. */
type Taken = '--cheapest' | '--fastest' | { provider: string };

/** How to select a quote among those that were valid at `now`, the service's time. */
function takenOf(quote: RouteQuote, quotes: RouteQuotes, now: number): Taken {
  const usable = usableQuotes(quotes, now);
  if (cheapest(usable)?.quote.id === quote.id) return '--cheapest';
  if (fastest(usable)?.quote.id === quote.id) return '--fastest';
  return { provider: quote.provider };
}

/**
 * The flow as a POSIX script: each run creates the same delivery again. Orders that existed before are copied. `price`
 * is the maximum in live mode, else null.
 */
function scriptOf({ context, plan }: Run, taken: Taken, price: number | null): string {
  const lineOf = (line: Invocation) => context.commandText(line);
  const orders = plan.orders.map(({ isOurs, answers, id }, index) => {
    const like = invocation('orders create', ['--like', id ?? '', '-o', 'id']);
    const line = isOurs ? creationLine(answers, ['-o', 'id']) : like;
    return `order_${index + 1}=$(${lineOf(line)})`;
  });
  const ids = plan.orders.map((_, index) => ` "$order_${index + 1}"`).join('');
  const optimize = plan.optimize || plan.orders.length < 2 ? '' : ' --no-optimize';
  return [
    '#!/bin/sh',
    '# Each run creates these orders again and dispatches them.',
    'set -eu',
    ...orders,
    `route=$(${lineOf(invocation('routes create'))}${ids}${optimize} -o id)`,
    `${lineOf(invocation('routes quote'))} "$route" --wait`,
    `${lineOf(invocation('dispatch'))} "$route" ${dispatchFlags(plan, taken, price)}`,
    '',
  ].join('\n');
}

function dispatchFlags({ tip }: Plan, taken: Taken, price: number | null): string {
  return [
    typeof taken === 'string' ? taken : `--provider ${quoted(taken.provider)}`,
    ...(tip === null ? [] : [`--tip ${moneyText(tip)}`]),
    ...(price === null ? [] : [`--yes --max-cost ${moneyText(price)}`]),
  ].join(' ');
}

/** The absolute path of the file for the script, or null. Throws UsageError if its folder is not writable. */
export function scriptPlace({ host }: Pick<Context, 'host'>, path: string | undefined): string | null {
  if (path === undefined) return null;
  const place = resolve(host.folder, path);
  try {
    accessSync(dirname(place), constants.W_OK);
    return place;
  } catch (error) {
    throw new UsageError(`The script cannot be written to ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}
