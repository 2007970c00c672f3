/** The whole flow as a shell script, which the wizard shows or writes to a file at its end. */
import { accessSync, constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RouteQuote, RouteQuotes } from '../../../contract/routes.ts';
import { cheapest, fastest, quotePrice } from '../../../domain/quotes.ts';
import { resolveTip } from '../../flow/price-limits.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, quoted } from '../../kit/result/message.ts';
import { explainFileError, replaceFile } from '../../kit/system/files.ts';
import { usableQuotes } from '../../nouns/quote-columns.ts';
import type { Context } from '../../session/command.ts';
import { creationLine } from './answers.ts';
import type { Plan } from './plan.ts';
import type { Run } from './run.ts';

/** The maximum price of the repeated command in live mode, its tip included; null in test mode. */
export async function maxPriceOf(
  context: Context,
  quote: RouteQuote,
  tip: number | null,
): Promise<number | null> {
  if ((await context.mode()) === 'test') return null;
  return quotePrice(quote) + (await resolveTip(context, quote.route_id, tip ?? undefined));
}

/** Shows the script, or writes it to its file. A failure is only a warning, as the route is dispatched. */
export async function showScript(run: Run, quote: RouteQuote, quotes: RouteQuotes): Promise<void> {
  const { context, plan } = run;
  const path = plan.script;
  const selector = quoteSelectorOf(quote, quotes, Date.parse(quote.created_at));
  const text = scriptOf(run, selector, await maxPriceOf(context, quote, plan.tip));
  if (path === null) {
    run.print('Full script (--emit-script FILE saves it):');
    for (const line of text.trimEnd().split('\n')) run.printScriptLine(`  ${line}`);
    return;
  }
  try {
    // The script contains names, addresses and phone numbers.
    replaceFile(path, text, { mode: 0o700 });
    run.print(`Saved the full script to ${path}.`);
  } catch (error) {
    context.warn(`The script was not written to ${path}: ${explainFileError(error)}.`);
  }
}

/** How a script selects the quote: as the cheapest, as the fastest, or by its provider. */
type QuoteSelector = '--cheapest' | '--fastest' | { provider: string };

/** How to select a quote among those that were valid at `now`, the service's time. */
function quoteSelectorOf(quote: RouteQuote, quotes: RouteQuotes, now: number): QuoteSelector {
  const usable = usableQuotes(quotes, now);
  if (cheapest(usable)?.quote.id === quote.id) return '--cheapest';
  if (fastest(usable)?.quote.id === quote.id) return '--fastest';
  return { provider: quote.provider };
}

/**
 * The flow as a POSIX script: each run creates the same delivery again. Orders that existed before are copied. `price`
 * is the maximum in live mode, else null.
 */
function scriptOf({ context, plan }: Run, selector: QuoteSelector, price: number | null): string {
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
    `${lineOf(invocation('dispatch'))} "$route" ${dispatchFlags(plan, selector, price)}`,
    '',
  ].join('\n');
}

function dispatchFlags({ tip }: Plan, selector: QuoteSelector, price: number | null): string {
  return [
    typeof selector === 'string' ? selector : `--provider ${quoted(selector.provider)}`,
    ...(tip === null ? [] : [`--tip ${moneyText(tip)}`]),
    ...(price === null ? [] : [`--yes --max-cost ${moneyText(price)}`]),
  ].join(' ');
}

/** The absolute path of the file for the script, or null. Throws UsageError if its folder is not writable. */
export function scriptPath({ host }: Pick<Context, 'host'>, path: string | undefined): string | null {
  if (path === undefined) return null;
  const absolute = resolve(host.folder, path);
  try {
    accessSync(dirname(absolute), constants.W_OK);
    return absolute;
  } catch (error) {
    throw new UsageError(`The script cannot be written to ${path}: ${explainFileError(error)}.`, {
      cause: error,
    });
  }
}
