import type { Batch, BatchOrder } from '../../contract/batches.ts';
import type { BatchStatus, Outcome } from '../../contract/vocabulary.ts';
import { BadOutcome, type FailureDetails } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';

/** What is waited for of a batch. */
export interface BatchGoal {
  until: readonly BatchStatus[];
  /** Outcomes of an order at which waiting is given up, whatever becomes of the others. */
  fail_on: readonly Exclude<Outcome, 'pending' | 'dispatched'>[];
}

/** To its very end. */
export const completion: BatchGoal = { until: ['complete'], fail_on: [] };

/** Whether the wait is over; one that is complete has passed every other status. */
export function isReached({ status }: Batch, { until }: BatchGoal): boolean {
  return status === 'complete' || until.includes(status);
}

/** The first order at which waiting is given up; it is of no account where the whole batch is complete. */
export function lostOrder({ status, orders }: Batch, { fail_on }: BatchGoal): BatchOrder | undefined {
  if (status === 'complete') return undefined;
  return orders.find((order) => fail_on.some((name) => name === order.status));
}

/** Exit 9: the first order that ended as it was not to; the others go on. */
export function lostEarly({ order_id, status, reason }: BatchOrder, details: FailureDetails): BadOutcome {
  return new BadOutcome(
    `${order_id} is ${status}${reason === '' ? '' : `: ${reason.replace(/\.+$/, '')}`}.`,
    {
      code: `order_${status}`,
      hint: 'The other orders of the batch go on.',
      next: [{ ...invocation('orders tries', [order_id]), when: 'see who was asked, and why not' }],
      ...details,
    },
  );
}
