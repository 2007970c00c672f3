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
 * A status of `fail_on` is given up though it is later than `until`. Where a delivery begins, as `delivery_created` or
 * as `scheduled`, depends on its times alone: who waits for either has it with both.
 */
export function outcomeOf({ status, status_history }: Standing, goal: Goal): 'reached' | 'lost' | 'open' {
  const isNamed = goal.fail_on?.includes(status) ?? false;
  if (isNamed && status !== goal.until) return 'lost';
  const until = goal.until === 'delivery_created' ? 'scheduled' : goal.until;
  const entered = status_history.some((each) => each.status === until);
  if (hasReached(status, until) || (entered && isBeside(until))) return 'reached';
  const canReach = leadsTo(status, until);
  const isGivenUp = goal.fail_on === null && !canReach;
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

/** Statuses, and the text that named them. */
export interface NamedStatuses {
  text: string;
  statuses: readonly DeliveryStatus[];
}

/** `canceled,failed,returned`: statuses and groups of them; a name that is both is the group. */
export function statusesFlag(options: FlagOptions): Flag<NamedStatuses | null> {
  const base = text({ placeholder: 'STATUSES', ...options });
  const read = (given: string) => ({ text: given, statuses: readStatuses(given) });
  return { ...base, read: (texts) => read(texts.at(-1) ?? ''), absent: () => null };
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
