import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { RetryTerms } from '../../contract/delivery-changes.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import type { Context } from '../session/command.ts';
import { limitWithoutTip } from './agreed-quote.ts';

/** What a retry costs, and how its quote is selected. */

/** How the quote of a retry is selected. */
export interface RetryChoice {
  /** Whether it is refused if a later order has the reference. */
  isUnique: boolean;
  preference: 'cheapest' | 'fastest';
  provider: string | undefined;
  not: string | undefined;
  /** As typed, and the ID. */
  driver: string | undefined;
  driver_id: string | undefined;
  /** In cents. */
  maxCost: number | undefined;
}

/** The choice in the form of the contract. */
export function retryBody(quoteChoice: RetryChoice, tip: number) {
  const { preference, provider, not, driver_id, maxCost, isUnique } = quoteChoice;
  const max_cost = limitWithoutTip(maxCost, tip);
  return {
    quote_preference: preference,
    ...(isUnique && { unique_ref: true }),
    ...withoutAbsent({ max_cost, provider, exclude_provider: not, driver_id }),
  };
}

/** Gets what a retry costs now; null if the service does not report it. */
export async function getRetryTerms(
  context: Context,
  deliveryid: string,
  quoteChoice: RetryChoice,
  tip: number,
): Promise<RetryTerms | null> {
  const client = await context.client();
  const query = retryBody(quoteChoice, tip);
  const call = client.deliveries.retryTerms({ params: { deliveryid }, query });
  return unlessMissing(
    ifSupported(
      call.then(({ data }) => data),
      null,
    ),
  );
}
