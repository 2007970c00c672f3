import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import type { RetryTerms } from '../../../contract/delivery-changes.ts';
import { dollars } from '../../../domain/money.ts';
import { defined } from '../../nouns/order-flags.ts';
import type { Context } from '../../session/command.ts';

/** How the quote of a retry is selected. */
export interface RetryChoice {
  preference: 'cheapest' | 'fastest';
  provider: string | undefined;
  not: string | undefined;
  /** In cents. */
  maxCost: number | undefined;
}

/** The choice in the form of the contract. */
export function choiceOf({ preference, provider, not, maxCost }: RetryChoice) {
  return {
    quote_preference: preference,
    ...defined({ max_cost: maxCost, provider, exclude_provider: not }),
  };
}

/** Gets what a retry costs now; null if the service does not report it. */
export async function getRetryTerms(
  context: Context,
  deliveryid: string,
  choice: RetryChoice,
): Promise<RetryTerms | null> {
  const client = await context.client();
  const call = client.deliveries.retryTerms({ params: { deliveryid }, query: choiceOf(choice) });
  return unlessMissing(
    ifSupported(
      call.then(({ data }) => data),
      null,
    ),
  );
}

/** `Nothing is charged for dlv_1 so far. A retry costs about $11.59 with swiftly (includes $2.00 tip).` */
export function retryPriceText({ delivery_id, paid, service, cost, tip }: RetryTerms): string {
  const before = `${paid === 0 ? 'Nothing' : dollars(paid)} is charged for ${delivery_id} so far.`;
  if (cost === null) return `${before} No provider offers a quote for a retry now.`;
  const tipped = tip === 0 ? '' : ` (includes ${dollars(tip)} tip)`;
  return `${before} A retry costs about ${dollars(cost + tip)} with ${service}${tipped}.`;
}
