import type { Batch } from '../../../contract/batches.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';

/** The confirmation question before a batch is canceled. */
export function cancelQuestion({ batch_id, counts }: Batch): string {
  const { pending, dispatched } = counts;
  const kept = dispatched === 0 ? '' : ` ${dispatchedText(dispatched)}`;
  return `Cancel the ${ordersText(pending)} pending in ${batch_id}?${kept}`;
}

/** Notes on the orders that were canceled and those that could not be. */
export function canceledNotes(before: Batch, after: Batch): Text[] {
  const { batch_id, counts } = after;
  if (before.counts.pending === 0) return [`${batch_id} has no pending orders. Nothing was changed.`];
  const canceled = counts.canceled - before.counts.canceled;
  return [
    `${ordersText(canceled)} ${canceled === 1 ? 'was' : 'were'} canceled.`,
    ...(counts.pending === 0 ? [] : [courierAskedText(counts.pending)]),
    ...(counts.dispatched === 0
      ? []
      : [phrase`${dispatchedText(counts.dispatched)} To cancel one: ${cancelOne}`]),
  ];
}

const cancelOne = invocation('orders cancel', ['ORDER']);

/** `3 orders`, `1 order`. */
function ordersText(count: number): string {
  return `${count} ${count === 1 ? 'order' : 'orders'}`;
}

function dispatchedText(count: number): string {
  return `${ordersText(count)} ${count === 1 ? 'is dispatched and stays so' : 'are dispatched and stay so'}.`;
}

function courierAskedText(count: number): string {
  const what =
    count === 1 ? 'it is canceled only if that one refuses' : 'each is canceled only if that one refuses';
  return `A courier is being asked for ${ordersText(count)}: ${what}.`;
}
