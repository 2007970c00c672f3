/** `deliveries cancel` of several deliveries: the fee of each, the question about the total, and the request. */
import { dollars } from '../../../domain/money.ts';
import { Failure } from '../../kit/errors/failure.ts';
import {
  backText,
  canceledFee,
  cancellationTerms,
  checkAgreed,
  knownFee,
  notCancelable,
} from '../../nouns/cancellation.ts';
import type { Context } from '../../session/command.ts';
import { agreeTo } from './bulk.ts';
import type { BulkAction, BulkOutcome } from './bulk-action.ts';
import { deliveriesText } from './bulk-rows.ts';

/** Cancels each delivery with the same reason; `max_fee` limits the fees of all together, in cents. */
export function bulkCancel(
  context: Context,
  { reason, max_fee }: { reason: string | undefined; max_fee: number | undefined },
): BulkAction {
  return {
    command: 'deliveries cancel',
    done: 'canceled',
    limit: { flag: 'maxFee', max: max_fee },
    price: async (delivery_id) => {
      const data = await cancellationTerms(context, delivery_id);
      if (data.cancelable) return { kind: 'priced', delivery_id, cost: knownFee(data), refund: data.refund };
      const client = await context.client();
      const { data: found } = await client.deliveries.get({ params: { deliveryid: delivery_id } });
      if (found.status === 'customer_canceled') {
        const cost = await canceledFee(context, found, { fee: 0 });
        const sums = { cost, refund: found.refunded_amount };
        return {
          kind: 'done',
          delivery_id,
          outcome: canceledOutcome(delivery_id, sums, 'was canceled already'),
        };
      }
      const { code, message } = notCancelable(data);
      return { kind: 'refused', delivery_id, code, reason: message };
    },
    agree: (priced, refused) => agreeToFees(context, priced, { refused, max_fee }),
    act: async ({ delivery_id, cost }, { idempotencyKey }) => {
      const client = await context.client();
      await checkAgreed(context, { delivery_id, fee: cost ?? 0, fee_unknown: cost === null });
      const { data } = await client.deliveries.cancel({
        params: { deliveryid: delivery_id },
        body: reason === undefined ? {} : { reason },
        idempotencyKey,
      });
      return canceledOutcome(delivery_id, { cost, refund: data.refunded_amount });
    },
  };
}

function canceledOutcome(
  delivery_id: string,
  sums: Pick<BulkOutcome, 'cost' | 'refund'>,
  reason: string | null = null,
): BulkOutcome {
  const none = { new_delivery_id: null, code: null };
  return { object: 'bulk_result', delivery_id, result: 'canceled', ...none, reason, ...sums };
}

/** One question about the fees of several; fails if they are above the maximum. `refused` cannot be canceled. */
async function agreeToFees(
  context: Context,
  priced: Parameters<BulkAction['agree']>[0],
  { refused, max_fee }: { refused: number; max_fee: number | undefined },
): Promise<void> {
  const fee = priced.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const refund = priced.reduce((sum, each) => sum + each.refund, 0);
  const unknown = priced.filter(({ cost }) => cost === null).length;
  if (max_fee !== undefined && (fee > max_fee || unknown > 0)) {
    const message =
      unknown > 0
        ? `The couriers of ${unknown} do not say what a cancellation costs; it may be more than --max-fee ${dollars(max_fee)}.`
        : `The cancellation fees are ${dollars(fee)} in all, more than --max-fee ${dollars(max_fee)}.`;
    throw new Failure(6, 'above_max_fee', message, { hint: 'Nothing was changed.' });
  }
  const price = fee === 0 ? 'Canceling is free' : `Canceling costs ${dollars(fee)}`;
  const back = refund === 0 ? '.' : `: ${backText(fee, refund)}.`;
  const unsaid = unknown === 0 ? '' : ` The couriers of ${unknown} may charge more, and do not say how much.`;
  const others = refused === 0 ? '' : ` ${refused} more cannot be canceled.`;
  await agreeTo(context, `Cancel ${deliveriesText(priced)}? ${price}${back}${unsaid}${others}`);
}
