import { dollars } from '../../../../domain/money.ts';
import { moneyText } from '../../../kit/args/flags.ts';
import { Failure } from '../../../kit/errors/failure.ts';
import { endingText } from '../../../nouns/order.ts';
import type { Context } from '../../../session/command.ts';
import { choiceOf, getRetryTerms, type RetryChoice } from '../retry-terms.ts';
import { agreeTo, countOf } from './bulk-cancel.ts';
import { type BulkAction, refusedAs } from './run-bulk.ts';

/**
 * Retries each delivery; `maxCost` limits the costs of all together, without tips. Those found by --where that were
 * retried already are left out.
 */
export function bulkRetry(context: Context, choice: RetryChoice & { isWhere: boolean }): BulkAction {
  const { preference, provider, not, maxCost, isWhere } = choice;
  let remaining = maxCost;
  return {
    ...{ command: 'deliveries retry', done: 'retried' },
    flags: {
      ...{ preference, provider, not },
      maxCost: maxCost === undefined ? undefined : moneyText(maxCost),
    },
    price: async (delivery_id) => {
      const terms = await getRetryTerms(context, delivery_id, { ...choice, maxCost: undefined });
      if (terms === null) return { delivery_id, cost: null, refund: 0 };
      if (terms.retryable) return { delivery_id, cost: terms.cost, refund: 0, tip: terms.tip };
      return isWhere ? null : refusedAs(delivery_id, 'delivery_not_initiable', terms.reason);
    },
    agree: async (priced, left) => {
      const cost = priced.reduce((sum, each) => sum + (each.cost ?? 0), 0);
      const tips = priced.reduce((sum, each) => sum + (each.tip ?? 0), 0);
      if (maxCost !== undefined && cost > maxCost) {
        const message = `The retries cost about ${dollars(cost)} in all, more than --max-cost ${dollars(maxCost)}.`;
        throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was changed.' });
      }
      const tipped = tips === 0 ? '' : ` plus ${dollars(tips)} in tips`;
      const unknown = priced.filter((each) => each.cost === null).length;
      const others = [
        ...(unknown === 0 ? [] : [` For ${unknown} of them there is no price now.`]),
        ...(left === 0 ? [] : [` ${left} more cannot be retried.`]),
      ];
      const question = `Retry ${countOf(priced)} for about ${dollars(cost)}${tipped}?${others.join('')}`;
      const isLive = !context.globals.dryRun && (await context.mode()) === 'live';
      await agreeTo(context, question, isLive && maxCost === undefined);
    },
    act: async ({ delivery_id }, idempotencyKey) => {
      const client = await context.client();
      const { data } = await client.deliveries.retry({
        params: { deliveryid: delivery_id },
        body: choiceOf({ ...choice, maxCost: remaining }),
        idempotencyKey,
      });
      const isFailed = data.status === 'failed';
      if (remaining !== undefined && !isFailed) remaining -= data.payment_amount;
      return {
        object: 'bulk_result',
        delivery_id,
        result: isFailed ? 'failed' : 'retried',
        new_delivery_id: data.id,
        cost: isFailed ? null : data.payment_amount,
        refund: null,
        code: isFailed ? 'delivery_failed' : null,
        reason: isFailed ? `It ${endingText(data)}` : null,
      };
    },
  };
}
