/** The cancellation of a delivery: what it costs, how the user agrees to that, and what came of it. */
import { ifSupported } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import { cancellationFeeOf } from '../../domain/charges.ts';
import { dollars } from '../../domain/money.ts';
import { moneyText } from '../kit/args/flags.ts';
import { Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { type Invocation, invocation, type NextStep } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { withWhomToCall } from './courier-contact.ts';

/** The cost of a cancellation: `cancel it for $2.99: you get $3.48 of $6.47 back`. */
export function cancelText({ fee, fee_unknown = false, refund }: Cancellation): string {
  const priced = fee === 0 ? 'cancel it for nothing' : `cancel it for ${dollars(fee)}`;
  const price = fee_unknown ? 'cancel it for a fee that the courier does not say' : priced;
  return refund === 0 ? price : `${price}: ${backText(fee, refund)}`;
}

/** The cost of a cancellation; unknown at a service that cancels deliveries but does not say what that costs. */
export async function cancellationTerms(context: Context, deliveryid: string): Promise<Cancellation> {
  const client = await context.client();
  const answer = await ifSupported(client.deliveries.cancellation({ params: { deliveryid } }), null);
  return answer === null ? unknownTerms(deliveryid) : answer.data;
}

function unknownTerms(delivery_id: string): Cancellation {
  const reason = 'this service does not say what a cancellation costs';
  const terms = { cancelable: true, reason, fee: 0, fee_unknown: true, refund: 0 };
  return { object: 'cancellation', delivery_id, ...terms };
}

/** The change that the refusal of a cancellation names. */
type RefusedChange = 'canceled' | 'rescheduled';

/** The question that a user confirms before a cancellation. */
interface Agreement {
  what: string;
  max_fee: number | undefined;
  /** A sentence about what happens after the cancellation; it begins with a space. */
  follows?: string;
  /** Asks although --yes is given. */
  despiteYes?: boolean;
  /** The command, without its flags, that cancels for what is asked now. */
  command?: Invocation;
  /** The change to name if the delivery cannot be canceled; default: canceled. */
  refused?: RefusedChange;
}

/**
 * Shows the cost of a cancellation and asks for confirmation. Fails with exit 6 if the courier does not allow it, or if
 * it costs more than `max_fee` cents.
 */
export async function agreeToTerms(
  context: Context,
  terms: Cancellation,
  { what, max_fee, follows = '', despiteYes = false, command, refused }: Agreement,
): Promise<void> {
  const { idempotencyKey, dryRun } = context.globals;
  // A repeated command finds it canceled: the service recognizes the key and repeats its first response, or refuses the
  // request itself.
  if (!terms.cancelable && idempotencyKey !== undefined && !dryRun) return;
  try {
    checkTerms(terms, max_fee, refused);
  } catch (error) {
    throw await withWhomToCall(context, terms.delivery_id, error);
  }
  const question = `Cancel ${what}? ${feeText(terms)}${follows}`;
  // No command is offered for a fee that nobody can agree to yet.
  const answer = terms.fee_unknown
    ? { hint: 'Pass --yes without --max-fee only if any fee is agreed.' }
    : { next: command && agreedStep(command, terms) };
  if (dryRun) return context.output.json ? undefined : context.note(question);
  await context.confirm(question, { despiteYes, ...answer });
  const isAsked = !context.globals.yes || despiteYes;
  if (isAsked) await checkAgreed(context, terms, refused);
}

/** Fails with exit 6 if it costs more by now than was agreed: a courier may have set out while somebody was asked. */
export async function checkAgreed(
  context: Context,
  agreed: Pick<Cancellation, 'delivery_id' | 'fee' | 'fee_unknown'>,
  refused?: RefusedChange,
): Promise<void> {
  const now = await cancellationTerms(context, agreed.delivery_id);
  if (!now.cancelable) throw notCancelable(now, {}, refused);
  if (agreed.fee_unknown === true || (now.fee <= agreed.fee && now.fee_unknown !== true)) return;
  const message = `Not canceled: the terms of ${now.delivery_id} are others by now. ${feeText(now)}`;
  throw new Failure(6, 'fee_not_agreed', message, { hint: 'Run it again to agree to that.' });
}

/** The command that cancels for what it costs now, and for no more: `… --yes --max-fee 2.99`. */
export function agreedStep(command: Invocation, { fee }: Cancellation): NextStep {
  const args = [...command.args, '--yes', '--max-fee', moneyText(fee)];
  return { ...command, args, when: `cancel it for at most ${dollars(fee)}` };
}

/** Fails with exit 6 if the courier does not allow a cancellation, or if it costs more than the limit, in cents. */
function checkTerms(terms: Cancellation, max_fee: number | undefined, refused?: RefusedChange): void {
  const { delivery_id, cancelable, fee, fee_unknown = false } = terms;
  if (!cancelable) throw notCancelable(terms, {}, refused);
  if (max_fee === undefined || (fee <= max_fee && !fee_unknown)) return;
  const message = fee_unknown
    ? `The courier does not say what canceling ${delivery_id} costs; it may be more than --max-fee ${dollars(max_fee)}.`
    : `Canceling ${delivery_id} costs ${dollars(fee)}, more than --max-fee ${dollars(max_fee)}.`;
  throw new Failure(6, 'above_max_fee', message, { hint: 'Nothing was changed.' });
}

/** Exit 6: the courier does not allow a cancellation, or the delivery has ended. */
export function notCancelable(
  { delivery_id, reason }: Cancellation,
  details: FailureDetails = {},
  refused: RefusedChange = 'canceled',
): Failure {
  const why = reason === '' ? '' : `: ${reason}`;
  const next = [{ ...invocation('deliveries explain', [delivery_id]), when: 'see its status' }];
  return new Failure(6, 'delivery_not_cancelable', `${delivery_id} cannot be ${refused}${why}.`, {
    next,
    ...details,
  });
}

function feeText({ fee, fee_unknown = false, refund, reason }: Cancellation): string {
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

/** The courier's fee of a canceled delivery: from its charges, or the quoted fee if they cannot be read. */
export async function canceledFee(
  context: Context,
  { id }: Delivery,
  terms: Pick<Cancellation, 'fee'>,
): Promise<number> {
  const client = await context.client();
  // It is canceled, also if that cannot be read.
  const charges = await client.charges.list({ query: { delivery_id: id } }).catch(() => null);
  return charges === null ? terms.fee : cancellationFeeOf(charges.data.data);
}

export function canceledText(
  { id, refunded_amount: refunded }: Delivery,
  fee: number,
  terms: Pick<Cancellation, 'fee_unknown'>,
): string {
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

/** The fee in cents; null if the courier does not say it. */
export function knownFee({ fee, fee_unknown }: Cancellation): number | null {
  return fee_unknown === true ? null : fee;
}
