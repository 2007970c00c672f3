import { type OrderStatus, orderStatuses } from '../../contract/vocabulary.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-targets.ts';

const vocabulary = { statuses: orderStatuses };

const preset = { default: 'dispatched' } as const;

/** What is waited for of an order, and where waiting is given up. */
export const orderGoalFlags = {
  until: presetStatuses(vocabulary, { ...preset, summary: 'What to wait for, any of them' }),
  failOn: statusesFlag(vocabulary, {
    summary: 'Give up at any of these; without it, where --until is out of reach',
  }),
};

interface GoalValues {
  until: NamedStatuses<OrderStatus>;
  failOn: NamedStatuses<OrderStatus> | null;
}

export function orderGoalOf({ until, failOn }: GoalValues) {
  return { until: until.statuses, fail_on: failOn?.statuses ?? null };
}
