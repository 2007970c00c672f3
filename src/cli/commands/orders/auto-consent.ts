import { dollars } from '../../../domain/money.ts';
import { confirmationRequired } from '../../flow/consent.ts';
import type { Context } from '../../session/context.ts';

/** What somebody has to agree to before auto dispatch spends money. */
export interface Spending {
  order_count: number;
  /** The most for each order, in cents. */
  max_cost: number | undefined;
}

/**
 * Nobody sees a price before auto dispatch takes it. In test mode no money moves, so nobody is asked. In live mode a
 * yes given beforehand only counts together with the most that each order may cost.
 */
export async function agreeToAuto(context: Context, { order_count, max_cost }: Spending): Promise<void> {
  if (context.asked.dryRun || (await context.mode()) === 'test') return;
  const question = `Have ${what(order_count)} dispatched at ${price(order_count, max_cost)}, for real money, with the profile ${context.settings.name}?`;
  if (max_cost === undefined && !context.interactive)
    throw confirmationRequired(question, ['--yes', '--max-cost']);
  await context.confirm(question, { despiteYes: max_cost === undefined });
}

function what(count: number): string {
  return count === 1 ? 'the order' : `${count} orders`;
}

function price(count: number, max_cost: number | undefined): string {
  if (max_cost === undefined) return 'whatever the chosen quotes ask';
  const all = count === 1 ? '' : ` each (${dollars(max_cost * count)} together)`;
  return `no more than ${dollars(max_cost)}${all}`;
}
