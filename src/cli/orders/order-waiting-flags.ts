import { type OrderStatus, orderStatuses } from '../../contract/vocabulary.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-targets.ts';

const vocabulary = { statuses: orderStatuses };

const preset = { default: 'dispatched' } as const;

/** What is waited for of an order, and where waiting is given up. */
export const orderGoalFlags = {
  until: presetStatuses(vocabulary, {
    ...preset,
    summary: 'Status to wait for (comma-separated for any of several)',
  }),
  failOn: statusesFlag(vocabulary, {
    summary: 'Statuses that mean failure (default: any that makes --until unreachable)',
  }),
};

interface GoalValues {
  until: NamedStatuses<OrderStatus>;
  failOn: NamedStatuses<OrderStatus> | null;
}

export function orderGoalOf({ until, failOn }: GoalValues) {
  return { until: until.statuses, fail_on: failOn?.statuses ?? null };
}
