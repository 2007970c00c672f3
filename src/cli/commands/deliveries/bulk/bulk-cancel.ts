import { dollars } from '../../../../domain/money.ts';
import { moneyText } from '../../../kit/args/flags.ts';
import { Failure } from '../../../kit/errors/failure.ts';
import { backText, cancellationTerms, notCancelable } from '../../../nouns/cancellation.ts';
import type { Context } from '../../../session/command.ts';
import { type BulkAction, refusedAs } from './run-bulk.ts';

/** Cancels each delivery with the same reason; `max_fee` limits the fees of all together, in cents. */
export function bulkCancel(
  context: Context,
  { reason, max_fee }: { reason: string | undefined; max_fee: number | undefined },
): BulkAction {
  return {
    ...{ command: 'deliveries cancel', done: 'canceled' },
    flags: { reason, maxFee: max_fee === undefined ? undefined : moneyText(max_fee) },
    price: async (delivery_id) => {
      const data = await cancellationTerms(context, delivery_id);
      if (data.cancelable) {
        return { delivery_id, cost: data.fee_unknown === true ? null : data.fee, refund: data.refund };
      }
      const { code, message } = notCancelable(data);
      return refusedAs(delivery_id, code, message);
    },
    agree: async (priced, left) => {
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
      const unsaid =
        unknown === 0 ? '' : ` The couriers of ${unknown} may charge more, and do not say how much.`;
      const others = left === 0 ? '' : ` ${left} more cannot be canceled.`;
      await agreeTo(context, `Cancel ${countOf(priced)}? ${price}${back}${unsaid}${others}`);
    },
    act: async ({ delivery_id, cost }, idempotencyKey) => {
      const client = await context.client();
      const { data } = await client.deliveries.cancel({
        params: { deliveryid: delivery_id },
        body: reason === undefined ? {} : { reason },
        idempotencyKey,
      });
      const nothing = { new_delivery_id: null, code: null, reason: null };
      const result = { object: 'bulk_result', delivery_id, result: 'canceled' } as const;
      return { ...result, ...nothing, cost, refund: data.refunded_amount };
    },
  };
}

/** `12 deliveries` */
export function countOf({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'delivery' : 'deliveries'}`;
}

/** Has the total confirmed; with --yes it is only printed. */
export async function agreeTo(context: Context, question: string, despiteYes = false): Promise<void> {
  if (context.globals.dryRun) return;
  if (context.globals.yes && !despiteYes && !context.output.json) context.note(question);
  await context.confirm(question, { despiteYes });
}
