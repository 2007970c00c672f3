/** `deliveries retry` of several deliveries: the price of each, the question about the total, and the request. */
import type { Delivery } from '../../../contract/deliveries.ts';
import { dollars } from '../../../domain/money.ts';
import { isWithin } from '../../../domain/quotes.ts';
import { checkConsent, requireLimits, warnOfNoLimit } from '../../flow/price-limits.ts';
import { getRetryTerms, type RetryChoice, retryBody } from '../../flow/retry-terms.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { readUnreturnedText } from '../../nouns/courier-contact.ts';
import { endingText } from '../../nouns/delivery.ts';
import type { Context } from '../../session/command.ts';
import { agreeTo } from './bulk.ts';
import type { BulkAction } from './bulk-action.ts';
import { deliveriesText } from './bulk-rows.ts';

/**
 * Retries each delivery; `maxCost` limits what is charged for all together. A delivery that --where finds is left out if
 * it was retried already, or if its order was closed.
 */
export function bulkRetry(context: Context, quoteChoice: RetryChoice, isWhere: boolean): BulkAction {
  const { maxCost } = quoteChoice;
  return {
    command: 'deliveries retry',
    done: 'retried',
    period: 'today',
    limit: { flag: 'maxCost', max: maxCost },
    price: (delivery_id) => priceRetry(context, delivery_id, { quoteChoice, isWhere }),
    agree: (priced, refused) => agreeToAll(context, priced, { refused, maxCost }),
    act: async ({ delivery_id, cost: expected, tip = 0 }, { remaining, idempotencyKey }) => {
      const client = await context.client();
      // The limit is for all together: each keeps its own price, to which the user agreed.
      const limit = remaining === undefined ? undefined : Math.min(remaining, (expected ?? remaining) + tip);
      const { data } = await client.deliveries.retry({
        params: { deliveryid: delivery_id },
        body: retryBody({ ...quoteChoice, maxCost: limit }, tip),
        idempotencyKey,
      });
      // A service other than waybill's may leave out what it charged.
      const cost = Number.isNaN(data.payment_amount) ? expected : data.payment_amount;
      return retriedRow(delivery_id, data, cost);
    },
  };
}

/** The outcome of a retry, which may have failed at once. */
function retriedRow(
  delivery_id: string,
  resent: Delivery,
  cost: number | null,
): Awaited<ReturnType<BulkAction['act']>> {
  const row = { object: 'bulk_result', delivery_id, new_delivery_id: resent.id, refund: null } as const;
  if (resent.status !== 'failed') return { ...row, result: 'retried', cost, code: null, reason: null };
  const reason = `It ${endingText(resent)}`;
  return { ...row, result: 'failed', cost: null, code: 'delivery_failed', reason };
}

/** One question about the total, which a dry run prints; exit 6 if that is above the maximum. `refused` cannot be retried. */
async function agreeToAll(
  context: Context,
  priced: Parameters<BulkAction['agree']>[0],
  { refused, maxCost }: { refused: number; maxCost: number | undefined },
): Promise<void> {
  const cost = priced.reduce((sum, each) => sum + (each.cost ?? 0), 0);
  const tips = priced.reduce((sum, each) => sum + (each.tip ?? 0), 0);
  requireLimits(context, maxCost);
  if (maxCost !== undefined && !isWithin(cost + tips, maxCost)) {
    const message = `The retries cost about ${dollars(cost + tips)} in all, more than --max-cost ${dollars(maxCost)}.`;
    throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was changed.' });
  }
  const tipped = tips === 0 ? '' : ` plus ${dollars(tips)} in tips`;
  const unknown = priced.filter((each) => each.cost === null).length;
  const others = [
    ...(unknown === 0 ? [] : [` For ${unknown} of them there is no price now.`]),
    ...(refused === 0 ? [] : [` ${refused} more cannot be retried.`]),
  ];
  const question = `Retry ${deliveriesText(priced)} for about ${dollars(cost)}${tipped}?${others.join('')}`;
  await checkConsent(context, { maxCost });
  if (!context.globals.dryRun) {
    const about = `Retry ${deliveriesText(priced)} for about ${dollars(cost + tips)} together`;
    await warnOfNoLimit(context, maxCost, async () => about);
  }
  // In live mode --yes counts only together with a maximum.
  const isUnlimited = maxCost === undefined && !context.globals.dryRun && (await context.mode()) === 'live';
  await agreeTo(context, question, isUnlimited);
}

/** The price of one retry of several; one that --where finds, and that cannot be retried, counts as done already. */
async function priceRetry(
  context: Context,
  delivery_id: string,
  { quoteChoice, isWhere }: { quoteChoice: RetryChoice; isWhere: boolean },
): ReturnType<BulkAction['price']> {
  const terms = await getRetryTerms(context, delivery_id, { ...quoteChoice, maxCost: undefined }, 0);
  if (terms === null) return { kind: 'priced', delivery_id, cost: null, refund: 0 };
  const held = terms.retryable ? await readUnreturnedText(context, delivery_id) : null;
  if (held !== null) context.warning('picked_up_before', held);
  if (terms.retryable) return { kind: 'priced', delivery_id, cost: terms.cost, refund: 0, tip: terms.tip };
  if (terms.code === 'order_not_open') return { kind: 'closed' };
  if (isWhere) return { kind: 'gone' };
  const code = terms.code || 'delivery_not_initiable';
  return { kind: 'refused', delivery_id, code, reason: terms.reason };
}
