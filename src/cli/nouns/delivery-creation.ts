/** How a command ends that has created a delivery: its result, its notes, and the failure if it failed at once. */
import type { Answer } from '../../client/answers.ts';
import { ApiError } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { isCanceled, isEnded } from '../../domain/delivery-states.ts';
import { dollars } from '../../domain/money.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import { availableSteps } from '../errors/error-codes.ts';
import { Failure } from '../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../kit/result/message.ts';
import { type Result, recordResult } from '../kit/result/result.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { deliverySummary, endingText, trackingNotes } from './delivery.ts';
import { initiateStep } from './delivery-steps.ts';
import { awaitArrival, createWait, isAwaited, type WaitValues } from './delivery-waiting.ts';
import { retryInvocation, retryReason } from './retry-steps.ts';

/** How a command ends that creates deliveries. */
export const creation = {
  exits: { 9: 'courier or payment failed at once; with --wait: ended unsuccessfully' },
  errors: ['delivery_failed', 'still_pending', 'delivery_STATUS'],
} as const;

/** The delivery of an answer; of the answer to a repeat, which is that of the first time, as it is now. */
export async function deliveryNow(context: Context, { data, replayed }: Answer<Delivery>): Promise<Delivery> {
  if (!replayed) return data;
  const client = await context.client();
  return (await client.deliveries.get({ params: { deliveryid: data.id } })).data;
}

/** Returns a new delivery immediately, or once it has arrived if a wait was requested. */
export async function createdOrArrived(
  context: Context,
  delivery: Delivery,
  flags: WaitValues,
  expected?: ExpectedQuote,
): Promise<Result> {
  const wait = createWait(context, flags);
  if (!isAwaited(wait, [delivery])) return creationResult(context, delivery, expected);
  const [note] = creationNotes(context, delivery);
  if (note !== undefined && !context.output.json) context.note(note);
  return awaitArrival(context, [delivery], wait, ([last = delivery]) =>
    recordResult(last, createdFields, { notes: trackingNotes(context, last) }),
  );
}

/** The quote that the caller expects to be used, with its price in cents if known. */
interface ExpectedQuote {
  quote_id: string | undefined;
  fee: number | null;
}

/**
 * Warns that the expected quote had expired and another was used, as the price may differ. With JSON the warning is an
 * object on stderr, or the hint of the error if the delivery failed.
 */
export function warnOfReplacement(context: Context, expected: ExpectedQuote, delivery: Delivery): void {
  const message = replacementText(expected, delivery);
  const { json } = context.output;
  if (message === null || (json && delivery.status === 'failed')) return;
  const { quote_id, fee } = delivery;
  const facts = { given: expected.quote_id, quote_id, fee, fee_before: expected.fee };
  const object = { type: 'warning', code: 'quote_replaced', message, ...facts };
  context.warn(json ? JSON.stringify(object) : `Warning: ${message}`);
}

function replacementText({ quote_id: given, fee: before }: ExpectedQuote, delivery: Delivery): string | null {
  const { id, quote_id, fee } = delivery;
  // A service may not say which quote it used.
  const isKnown = Object.hasOwn(delivery, 'quote_id');
  if (given === undefined || given === '' || given === quote_id || !isKnown) return null;
  if (quote_id === '') return `The quote ${given} had expired, and no courier quotes for ${id} now.`;
  return `The quote ${given} had expired. ${quote_id} was used instead, and ${priceText(before, fee)}.`;
}

function priceText(before: number | null, fee: number): string {
  if (before === null) return `the fee may differ: it is ${dollars(fee)} now`;
  if (before === fee) return `the fee is ${dollars(fee)} as before`;
  return `the fee is ${dollars(fee)} now: it was ${dollars(before)}`;
}

/** Explains that the quote is unknown: quotes of a delivery are requested without a route. */
export function unknownQuote(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'quote_not_found') return error;
  const line = invocation('deliveries quote');
  return new Failure(5, error.code, error.message, {
    hint: phrase`Ask for quotes for the same two addresses: \`${line}\`.`,
    next: [{ ...line, when: 'Ask for quotes for the same two addresses' }],
    cause: error,
  });
}

/** Fields of a delivery that was just created or dispatched. */
const createdFields = deliverySummary(['fee', 'tracking_url', 'quote_id']);

/**
 * The result for a delivery that was just created or dispatched, with next steps; exit 9 if it failed immediately. A
 * failure includes the expected quote, for programs.
 */
export function creationResult(context: Context, delivery: Delivery, expected?: ExpectedQuote): Result {
  const isFailed = delivery.status === 'failed';
  if (isFailed && context.output.json) {
    const hint = expected === undefined ? null : replacementText(expected, delivery);
    throw failedAtOnce(context, [delivery], recordResult(delivery, createdFields), hint);
  }
  return recordResult(delivery, createdFields, {
    notes: [...creationNotes(context, delivery), ...trackingNotes(context, delivery)],
    ...(isFailed ? { exit: 9 } : {}),
  });
}

/** The error for programs if deliveries failed immediately, out of `of` created: exit 9, or 10 if only some failed. */
export function failedAtOnce(
  context: Pick<Context, 'has'>,
  failed: readonly Delivery[],
  answer: Result,
  hint: string | null = null,
  of = failed.length,
): Failure {
  const message = failed.map((each) => failedDeliveryText(context, each)).join('\n');
  const next = failed.map((each) => ({
    ...retryInvocation(each),
    when: retryReason(each),
  }));
  const details = { next, answer, ...(hint === null ? {} : { hint }) };
  return new Failure(failed.length === of ? 9 : 10, 'delivery_failed', message, details);
}

/**
 * `dlv_1 failed: no capacity. Nothing is charged for it.` Another service is not known to charge nothing for a failed
 * delivery.
 */
export function failedDeliveryText(context: Pick<Context, 'has'>, delivery: Delivery): string {
  const charge = isOwnService(context) ? ' Nothing is charged for it.' : '';
  return `${delivery.id} ${endingText(delivery)}${charge}`;
}

/** How a delivery is followed. One that an earlier run has created may have ended since. */
export function followStep({ id, status }: Pick<Delivery, 'id' | 'status'>): FollowStep {
  if (!isEnded(status)) return { before: 'Next', line: invocation('deliveries watch', [id]) };
  const before = isCanceled(status) ? 'It was canceled since' : `It is ${statusPhrase(status)}`;
  return { before, line: invocation('deliveries explain', [id]) };
}

interface FollowStep {
  /** Stands before the command and a colon. */
  before: string;
  line: Invocation;
}

/** Notes on the outcome of a new delivery. A service may leave out its courier and its fee. */
export function creationNotes(context: Pick<Context, 'has'>, delivery: Delivery): Text[] {
  const { status, service, fee, payment_amount, tip } = delivery;
  const steps = (line: Invocation, before = 'Next') =>
    availableSteps([line], context.has).map((each) => phrase`${before}: ${each}`);
  if (status === 'failed')
    return [failedDeliveryText(context, delivery), ...steps(retryInvocation(delivery))];
  // Recipients may be shown another fee than what is charged.
  const charged = Number.isNaN(payment_amount) ? fee : payment_amount;
  const price = Number.isNaN(charged) ? '' : ` for ${dollars(charged)}`;
  const tipped = tip ? `, and a tip of ${dollars(tip)}` : '';
  const taker = service === '' ? 'It is dispatched' : `${service} has it`;
  const follow = followStep(delivery);
  if (status !== 'request')
    return [...(isEnded(status) ? [] : [`${taker}${price}${tipped}.`]), ...steps(follow.line, follow.before)];
  if (service === '' && Object.hasOwn(delivery, 'service'))
    return [
      'It is kept, and no courier takes it now.',
      ...steps(initiateStep(delivery, ''), 'Try it again later'),
    ];
  const offer = service === '' ? '' : ` ${service} would take it${price}.`;
  return [`It is kept, and no courier is asked yet.${offer}`, ...steps(initiateStep(delivery, ''))];
}
