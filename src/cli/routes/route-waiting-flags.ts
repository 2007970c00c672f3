import { type RouteStatus, routeStatuses } from '../../contract/vocabulary.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-targets.ts';

const vocabulary = { statuses: routeStatuses };

/** What is waited for of a route, and where waiting is given up. */
export const routeGoalFlags = {
  until: presetStatuses(vocabulary, {
    default: 'completed',
    summary: 'Status to wait for (comma-separated for any of several)',
  }),
  failOn: statusesFlag(vocabulary, {
    summary: 'Statuses that mean failure (default: any that makes --until unreachable)',
  }),
};

interface GoalValues {
  until: NamedStatuses<RouteStatus>;
  failOn: NamedStatuses<RouteStatus> | null;
}

export function routeGoalOf({ until, failOn }: GoalValues) {
  return { until: until.statuses, fail_on: failOn?.statuses ?? null };
}
