import { ApiError } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { dollars } from '../../domain/money.ts';
import { Failure } from '../kit/errors/failure.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import { type Result, record } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { deliverySummary, trackingNotes } from './delivery.ts';
import { endingText } from './order.ts';

/** The quote that the caller expects to be used, with its price in cents if known. */
export interface Expected {
  quote_id: string | undefined;
  fee: number | null;
}

/**
 * Warns that the expected quote had expired and another was used, as the price may differ. With JSON the warning is an
 * object on stderr, or the hint of the error if the delivery failed.
 */
export function warnOfReplacement(context: Context, expected: Expected, delivery: Delivery): void {
  const message = replacementText(expected, delivery);
  const { json } = context.output;
  if (message === null || (json && delivery.status === 'failed')) return;
  const { quote_id, fee } = delivery;
  const facts = { given: expected.quote_id, quote_id, fee, fee_before: expected.fee };
  const object = { type: 'warning', code: 'quote_replaced', message, ...facts };
  context.warn(json ? JSON.stringify(object) : `Warning: ${message}`);
}

function replacementText({ quote_id: given, fee: before }: Expected, delivery: Delivery): string | null {
  const { id, quote_id, fee } = delivery;
  if (given === undefined || given === '' || given === quote_id) return null;
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
export const createdFields = deliverySummary(['fee', 'tracking_url', 'quote_id']);

/**
 * The result for a delivery that was just created or dispatched, with next steps; exit 9 if it failed immediately. A
 * failure includes the expected quote, for programs.
 */
export function creationResult(context: Context, delivery: Delivery, expected?: Expected): Result {
  const isFailed = delivery.status === 'failed';
  if (isFailed && context.output.json) {
    const hint = expected === undefined ? null : replacementText(expected, delivery);
    throw failedAtOnce([delivery], record(delivery, createdFields), hint);
  }
  return record(delivery, createdFields, {
    notes: [...creationNotes(delivery), ...trackingNotes(context, delivery)],
    ...(isFailed ? { exit: 9 } : {}),
  });
}

/** The error for programs if deliveries failed immediately, out of `of` created: exit 9, or 10 if only some failed. */
export function failedAtOnce(
  failed: readonly Delivery[],
  answer: Result,
  hint: string | null = null,
  of = failed.length,
): Failure {
  const message = failed
    .map((each) => `${each.id} ${endingText(each)} Nothing is charged for it.`)
    .join('\n');
  const next = failed.map(({ id }) => ({
    ...invocation('deliveries retry', [id]),
    when: 'try it again, with fresh quotes',
  }));
  const details = { next, answer, ...(hint === null ? {} : { hint }) };
  return new Failure(failed.length === of ? 9 : 10, 'delivery_failed', message, details);
}

/** Notes on the outcome of a new delivery. */
export function creationNotes(delivery: Delivery): Text[] {
  const { id, status, service, fee } = delivery;
  const next = (verb: string) => phrase`Next: ${invocation(`deliveries ${verb}`, [id])}`;
  if (status === 'failed') {
    return [`${id} ${endingText(delivery)} Nothing is charged for it.`, next('retry')];
  }
  if (status !== 'request') return [`${service} has it for ${dollars(fee)}.`, next('watch')];
  if (service === '') {
    const initiate = invocation('deliveries initiate', [id]);
    return ['It is kept, and no courier takes it now.', phrase`Try it again later: ${initiate}`];
  }
  const price = `${service} would take it for ${dollars(fee)}.`;
  return [`It is kept, and no courier is asked yet. ${price}`, next('initiate')];
}
