import { ifSupported } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import { dollars } from '../../domain/money.ts';
import { Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

/** The cost of a cancellation; unknown at a service that cancels deliveries but does not say what that costs. */
export async function cancellationTerms(context: Context, deliveryid: string): Promise<Cancellation> {
  const client = await context.client();
  const known = await ifSupported(client.deliveries.cancellation({ params: { deliveryid } }), null);
  return known === null ? unknownTerms(deliveryid) : known.data;
}

function unknownTerms(delivery_id: string): Cancellation {
  const reason = 'this service does not say what a cancellation costs';
  const terms = { cancelable: true, reason, fee: 0, fee_unknown: true, refund: 0 };
  return { object: 'cancellation', delivery_id, ...terms };
}

/**
 * Shows the cost of a cancellation and asks for confirmation. Fails with exit 6 if the courier does not allow it, or if
 * it costs more than `max_fee` cents.
 */
export async function agreeToTerms(
  context: Context,
  terms: Cancellation,
  { what, max_fee }: { what: string; max_fee: number | undefined },
): Promise<void> {
  const { idempotencyKey, dryRun } = context.globals;
  // A repeated command finds it canceled: the service recognizes the key and repeats its first response, or refuses the
  // request itself.
  if (!terms.cancelable && idempotencyKey !== undefined && !dryRun) return;
  checkTerms(terms, max_fee);
  if (!dryRun) await context.confirm(`Cancel ${what}? ${priceText(terms)}`);
}

/** Fails with exit 6 if the courier does not allow a cancellation, or if it costs more than the limit, in cents. */
function checkTerms(terms: Cancellation, max_fee: number | undefined): void {
  const { delivery_id, cancelable, fee, fee_unknown = false } = terms;
  if (!cancelable) throw notCancelable(terms);
  if (max_fee === undefined || (fee <= max_fee && !fee_unknown)) return;
  const message = fee_unknown
    ? `The courier does not say what canceling ${delivery_id} costs; it may be more than --max-fee ${dollars(max_fee)}.`
    : `Canceling ${delivery_id} costs ${dollars(fee)}, more than --max-fee ${dollars(max_fee)}.`;
  throw new Failure(6, 'above_max_fee', message, { hint: 'Nothing was changed.' });
}

/** Exit 6: the courier does not allow a cancellation, or the delivery has ended. */
export function notCancelable({ delivery_id, reason }: Cancellation, details: FailureDetails = {}): Failure {
  const why = reason === '' ? '' : `: ${reason}`;
  const next = [{ ...invocation('deliveries explain', [delivery_id]), when: 'see its status' }];
  return new Failure(6, 'delivery_not_cancelable', `${delivery_id} cannot be canceled${why}.`, {
    next,
    ...details,
  });
}

function priceText({ fee, fee_unknown = false, refund, reason }: Cancellation): string {
  if (fee_unknown && reason !== '') return `The fee is not known: ${reason}.`;
  const back = refund === 0 ? '' : `: ${backText(fee, refund)}`;
  if (!fee_unknown) return `Canceling ${fee === 0 ? 'is free' : `costs ${dollars(fee)}`}${back}.`;
  const less = back === '' ? '' : `${back}, less that fee`;
  return `The courier may charge a fee, and does not say how much${less}.`;
}

/** The refund less the fee, as text: `you get $3.48 of $6.47 back`. `paid` is refunded before the fee is taken. */
export function backText(fee: number, paid: number): string {
  if (fee === 0) return `you get ${dollars(paid)} back`;
  return fee < paid
    ? `you get ${dollars(paid - fee)} of ${dollars(paid)} back`
    : `you get nothing of ${dollars(paid)} back`;
}

/** The refund and the courier's fee of a canceled delivery: from its charges, or from the quoted fee if they cannot be read. */
export async function canceledText(
  context: Context,
  { id, refunded_amount: refunded }: Delivery,
  terms: Pick<Cancellation, 'fee' | 'fee_unknown'>,
): Promise<string> {
  const client = await context.client();
  const query = { delivery_id: id, kind: 'cancellation' } as const;
  // It is canceled, also if that cannot be read.
  const charges = await client.charges.list({ query }).catch(() => null);
  const fee = charges?.data.data.reduce((sum, { amount }) => sum + amount, 0) ?? terms.fee;
  const parts = [
    ...(refunded === 0 || Number.isNaN(refunded) ? [] : [`${dollars(refunded)} refunded`]),
    ...(fee === 0 ? [] : [`cancellation fee ${dollars(fee)}`]),
  ];
  const isOpen = fee === 0 && terms.fee_unknown === true;
  return [
    `${id} is canceled${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`,
    ...(isOpen ? ['The courier may still charge a cancellation fee.'] : []),
  ].join(' ');
}
