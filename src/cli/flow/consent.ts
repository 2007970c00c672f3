import type { RouteQuote } from '../../contract/quotes.ts';
import type { Context } from '../context.ts';
import { priceText, tipOf } from '../dispatching/price.ts';
import { UsageError } from '../failures/failure.ts';

/** What somebody is ready to pay, in cents. */
export interface Terms {
  maxCost: number | undefined;
  tip: number | undefined;
}

/**
 * In test mode no money moves, so nobody is asked. In live mode a yes given beforehand only counts together
 * with the most that may be paid.
 */
export async function confirmPrice(
  context: Context,
  quote: RouteQuote,
  { maxCost, tip }: Terms,
): Promise<void> {
  if (context.asked.dryRun || (await context.mode()) === 'test') return;
  if (context.asked.yes && maxCost !== undefined) return;
  const given = tip ?? null;
  const paid = context.interactive ? await tipOf(context, quote.route_id, given) : (given ?? 0);
  const question = `Dispatch to ${quote.provider} for ${priceText(quote, paid)}, for real money, with the profile ${context.settings.name}?`;
  if (maxCost === undefined && !context.interactive) throw nobodyToAsk(question, ['--yes', '--max-cost']);
  await context.confirm(question, { despiteYes: maxCost === undefined });
}

/** The same, before anything is made: fails with exit 2 where the price could not be confirmed later. */
export async function checkConsent(context: Context, { maxCost }: Pick<Terms, 'maxCost'>): Promise<void> {
  if (context.interactive || context.asked.dryRun || (await context.mode()) === 'test') return;
  const missing = [...(context.asked.yes ? [] : ['--yes']), ...(maxCost === undefined ? ['--max-cost'] : [])];
  if (missing.length > 0) throw nobodyToAsk('Dispatch for real money, and for how much?', missing);
}

/** Exit 2: money would be spent without anybody having said yes. */
export function nobodyToAsk(question: string, missing: readonly string[]): UsageError {
  return new UsageError(`Confirmation required: ${question}`, {
    code: 'confirmation_needed',
    missing,
    hint: 'In live mode --yes goes together with --max-cost.',
  });
}
