import type { Delivery } from '../../contract/deliveries.ts';
import { dollars } from '../../domain/money.ts';
import { deliverySummary } from '../columns/deliveries.ts';
import type { Context } from '../context.ts';
import { commandLine } from '../line/command-line.ts';
import { type Result, record } from '../result.ts';
import { endingText } from './status-words.ts';

/**
 * Warns where the quote that was given had expired and another was used: what people were told before may be
 * another price. With JSON it is an object on stderr.
 */
export function warnOfReplacement(context: Context, given: string | undefined, delivery: Delivery): void {
  const { id, quote_id, fee } = delivery;
  if (given === undefined || given === quote_id) return;
  const message =
    quote_id === ''
      ? `The quote ${given} had expired, and no courier quotes for ${id} now.`
      : `The quote ${given} had expired. ${quote_id} was used instead, and the fee may differ: it is ${dollars(fee)} now.`;
  const json = { type: 'warning', code: 'quote_replaced', message, given, quote_id, fee };
  context.warn(context.output.json ? JSON.stringify(json) : `Warning: ${message}`);
}

/** A delivery just made or sent out, and what comes next; exit 9 where it failed at once. */
export function begun(delivery: Delivery): Result {
  const ending = { notes: begunNotes(delivery), ...(delivery.status === 'failed' ? { exit: 9 } : {}) };
  return record(delivery, deliverySummary(['fee', 'tracking_url', 'quote_id']), ending);
}

/** What became of it, in a line or two. */
export function begunNotes(delivery: Delivery): string[] {
  const { id, status, service, fee } = delivery;
  const next = (verb: string) => `Next: ${commandLine(['deliveries', verb, id])}`;
  if (status === 'failed') {
    return [`${id} ${endingText(delivery)} Nothing is charged for it.`, next('retry')];
  }
  if (status !== 'request') return [`${service} has it for ${dollars(fee)}.`, next('watch')];
  const price =
    service === '' ? 'No courier takes it as things stand.' : `${service} would take it for ${dollars(fee)}.`;
  return [`It is kept, and no courier is asked yet. ${price}`, next('initiate')];
}
