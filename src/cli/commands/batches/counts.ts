import type { Batch, BatchCounts, BatchOrder } from '../../../contract/batches.ts';
import { type Outcome, outcomes } from '../../../contract/vocabulary.ts';
import { BadOutcome, Failure, type FailureDetails } from '../../kit/errors/failure.ts';
import { invocation, type NextStep } from '../../kit/result/message.ts';

type Counted = Pick<Batch, 'order_count' | 'counts'>;

/** The progress of a batch: `214 of 300: 208 dispatched, 4 unfulfilled, 2 failed, 86 pending`. */
export function countsText({ order_count, counts }: Counted, signOf?: (name: Outcome) => string): string {
  return `${order_count - counts.pending} of ${order_count}: ${partsText(counts, signOf)}`;
}

/** The counts that are not zero, pending last; `signOf` returns the prefix of each. */
export function partsText(counts: BatchCounts, signOf = (_: Outcome) => ''): string {
  return countedParts(counts)
    .map(({ name, count }) => `${signOf(name)}${count} ${name}`)
    .join(', ');
}

/** Counts the orders by outcome; leaves out zeros and puts pending last. */
export function countedParts(counts: BatchCounts): { name: Outcome; count: number }[] {
  const [first, ...ends] = outcomes;
  return [...ends, first].flatMap((name) => (counts[name] > 0 ? [{ name, count: counts[name] }] : []));
}

/** True if the order has ended without a dispatch. */
export function isLost({ status }: Pick<BatchOrder, 'status'>): boolean {
  return status !== 'pending' && status !== 'dispatched';
}

/**
 * The failure of a complete batch: null if all orders were dispatched, exit 9 if none was, exit 10 if some were not.
 */
export function endingOf(batch: Batch, details: FailureDetails = {}): Failure | null {
  const ended = countedParts({ ...batch.counts, pending: 0 });
  const total = ended.reduce((sum, { count }) => sum + count, 0);
  const missed = ended.filter(({ name }) => name !== 'dispatched').reduce((sum, { count }) => sum + count, 0);
  if (missed === 0) return null;
  const lost = partsText({ ...batch.counts, dispatched: 0, pending: 0 });
  const more = { next: nextSteps(batch), ...details };
  if (missed < total) {
    const message = `${missed} of ${total} orders ${missed === 1 ? 'was' : 'were'} not dispatched: ${lost}.`;
    return new Failure(10, 'batch_partly_dispatched', message, more);
  }
  const subject = total === 1 ? 'The order was not' : `None of ${total} orders was`;
  return new BadOutcome(`${subject} dispatched: ${lost}.`, { code: 'batch_not_dispatched', ...more });
}

function nextSteps({ batch_id, orders }: Batch): NextStep[] {
  const [first] = orders.filter(isLost);
  return [
    { ...invocation('batches get', [batch_id]), when: 'see the outcome of each order' },
    ...(first === undefined
      ? []
      : [
          {
            ...invocation('orders tries', [first.order_id]),
            when: 'see who was asked, and why not',
          },
        ]),
  ];
}
