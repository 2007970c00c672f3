import {
  type DeliveryStatus,
  deliveryStatuses,
  groupNames,
  type StatusGroup,
  statusGroups,
} from '../../contract/vocabulary.ts';
import { hasReached, isEnded, nextStatuses } from '../../domain/delivery-states.ts';
import { BadValue, type Flag, type FlagOptions, text } from '../line/flags.ts';

/** What somebody waits for. */
export interface Goal {
  until: DeliveryStatus;
  /** Where waiting is given up; null: wherever `until` cannot be reached any more. */
  fail_on: readonly DeliveryStatus[] | null;
}

interface Standing {
  status: DeliveryStatus;
  status_history: readonly { status: DeliveryStatus }[];
}

/**
 * How a wait stands: `reached` at the status or a later one, as couriers skip some; `lost` where it is given up, or
 * where it ended elsewhere. What lies beside the way to the dropoff, such as a return, is reached once it was entered.
 */
export function outcomeOf({ status, status_history }: Standing, goal: Goal): 'reached' | 'lost' | 'open' {
  const entered = status_history.some((each) => each.status === goal.until);
  if (hasReached(status, goal.until) || (entered && isBeside(goal.until))) return 'reached';
  const canReach = leadsTo(status, goal.until);
  const isGivenUp = goal.fail_on?.includes(status) ?? !canReach;
  return isGivenUp || (isEnded(status) && !canReach) ? 'lost' : 'open';
}

/** Whether no status on the way to the dropoff counts as later than this one. */
function isBeside(status: DeliveryStatus): boolean {
  return !hasReached('disputed', status);
}

/** Whether one status can still follow another, be it after many others. */
function leadsTo(from: DeliveryStatus, to: DeliveryStatus): boolean {
  const found = new Set<DeliveryStatus>();
  const waiting = [...nextStatuses(from)];
  for (let status = waiting.pop(); status !== undefined; status = waiting.pop()) {
    if (hasReached(status, to)) return true;
    if (!found.has(status)) waiting.push(...nextStatuses(status));
    found.add(status);
  }
  return false;
}

/** `canceled,failed,returned`: statuses and groups of them; a name that is both is the group. */
export function statusesFlag(options: FlagOptions): Flag<readonly DeliveryStatus[] | null> {
  const base = text({ placeholder: 'STATUSES', ...options });
  return { ...base, read: (texts) => readStatuses(texts.at(-1) ?? ''), absent: () => null };
}

/** Throws BadValue. */
export function readStatuses(given: string): readonly DeliveryStatus[] {
  return given.split(',').flatMap((part) => {
    const name = part.trim();
    const group = groupNames.find((each) => each === name);
    const found = group === undefined ? deliveryStatuses.filter((each) => each === name) : statusesIn(group);
    if (found.length > 0) return found;
    const choices = [...new Set<string>([...groupNames, ...deliveryStatuses])];
    throw new BadValue(`takes statuses and groups of them with commas between, not "${name}"`, choices, name);
  });
}

function statusesIn(group: StatusGroup): readonly DeliveryStatus[] {
  return statusGroups[group];
}
