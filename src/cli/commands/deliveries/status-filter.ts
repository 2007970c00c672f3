/**
 * `--status` of a list of deliveries: the names it takes, the words that people type instead, and the statuses that are sent
 * to the service.
 */
import {
  activeStatuses,
  beforePickupStatuses,
  deliveryStatusNames,
  expandStatusNames,
} from '../../../contract/vocabulary.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { statusNamed } from '../../../domain/status-words.ts';
import { choicesFlag, type Flag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { didYouMean, suggestionText } from '../../kit/result/message.ts';
import { type Context, isOwnService } from '../../session/command.ts';

type SentStatus = (typeof deliveryStatusNames)[number];

/** Groups that only the command line has: the service is asked for their statuses. */
const ownGroups: ReadonlyMap<string, readonly SentStatus[]> = new Map<string, readonly SentStatus[]>([
  ['active', activeStatuses],
  ['not_picked_up', beforePickupStatuses],
]);

const statusNames = ['active', 'not_picked_up', ...deliveryStatusNames] as const;

const knownStatuses = choicesFlag({
  summary: 'Filter by statuses or status groups (comma-separated)',
  choices: statusNames,
  placeholder: 'STATUSES',
});

/** Other words that people type for a status. */
const meantStatuses: Readonly<Record<string, readonly string[]>> = {
  active: ['open', 'under_way', 'ongoing', 'running', 'live', 'current'],
  not_picked_up: ['pending', 'waiting_for_courier'],
  canceled: ['cancelled', 'cancel', 'aborted'],
  delivered: ['done', 'completed', 'complete', 'finished', 'arrived', 'success'],
  enroute_to_return: ['returning', 'going_back'],
  failed: ['refused', 'rejected', 'declined', 'lost', 'failure', 'undelivered', 'not_delivered'],
  delivery_created: ['unassigned', 'waiting', 'new', 'searching', 'created'],
  in_transit: ['en_route', 'enroute', 'on_the_way', 'driving', 'out_for_delivery'],
  pickup_complete: ['picked', 'pickedup', 'collected'],
  dropoff_complete: ['handed_over'],
};

/** `--status`: also takes names that only another service has. */
export const statusFlag: Flag<string[] | undefined> = {
  ...knownStatuses,
  read: (texts) => {
    const names = texts.flatMap((given) => given.split(',')).map(statusNamed);
    return names.every((name) => /^[a-z]\w*$/.test(name)) ? [...new Set(names)] : knownStatuses.read(texts);
  },
};

/**
 * The statuses that `--status` or `--active` names. If both are given, only those that both name. UsageError for a status
 * that waybill's own service does not have.
 */
export function readStatuses(
  context: Context,
  { status, active }: { status: string[] | undefined; active: boolean },
) {
  const named = status ?? (active ? ['active'] : undefined);
  const unknown = named?.find((name) => !statusNames.some((each) => each === name));
  if (unknown !== undefined && isOwnService(context)) {
    const hint = hintForStatus(unknown);
    throw new UsageError(`--status must be one of ${statusNames.length} names, not "${unknown}".`, {
      code: 'bad_value',
      choices: statusNames,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const sent = named?.flatMap((name) => (isSent(name) ? [name] : [...(ownGroups.get(name) ?? [])]));
  if (!active || sent === undefined || status === undefined) return sent;
  const both = expandStatusNames(sent).filter((each) => expandStatusNames(activeStatuses).includes(each));
  if (both.length > 0) return both;
  throw new UsageError(`Nothing with --status ${status.join(',')} is under way: leave out --active.`);
}

/** Suggests a flag or a status for an unknown status, such as `--late` for "late". */
function hintForStatus(unknown: string) {
  if (/^(?:late|stuck)$/i.test(unknown)) return suggestionText([`--${unknown.toLowerCase()}`]);
  const [meant] = Object.entries(meantStatuses).find(([, words]) => words.includes(unknown)) ?? [];
  return meant === undefined ? didYouMean(unknown, statusNames) : suggestionText([`--status ${meant}`]);
}

export function isEndedName(name: string): boolean {
  return expandStatusNames([name]).some(isEnded);
}

/** Whether a name is sent as it is: it is a status or group of the service, or may be one of another service. */
function isSent(name: string): name is SentStatus {
  return !ownGroups.has(name);
}
