/** The periods of lists: when deliveries and orders were created, due, delivered, ended or charged. */
import type { Answer } from '../../client/answers.ts';
import type { Page } from '../../contract/schema.ts';
import { type DeliveryStatus, expandStatusNames, statusGroups } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import type { Flag, FlagOptions } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { flagArgs, type Invocation, type InvocationFlags, phrase, withArgs } from '../kit/result/message.ts';
import type { Context } from './command.ts';
import { createdFilters, createdQuery } from './created-periods.ts';
import type { Moment } from './time-arguments.ts';
import { periodFlag, type TypedPeriod, typedPeriod } from './typed-periods.ts';

/** A period in which something was delivered or ended; `ever` for that of `--since`, `--until` and `--period`, or any. */
type Reached = TypedPeriod | 'ever';

function reachedFlag(options: FlagOptions): Flag<Reached | undefined> {
  return {
    ...periodFlag(options),
    hasOptionalValue: /^[^-]/,
    read: (texts) => {
      const typed = texts.at(-1) ?? '';
      return typed === '' ? 'ever' : typedPeriod(typed, 'ago');
    },
  };
}

/** Flags that restrict a list to what is due, was delivered or ended in a period. */
export const dueFlags = {
  due: periodFlag({
    direction: 'ahead',
    summary: 'Due by the promise: in the next 15m, today, tomorrow, saturday, week, 2026-03-07',
    aliases: ['due-on', 'promised'],
  }),
  delivered: reachedFlag({
    summary: 'Only what was delivered; in the last 2h, or a whole day, week or month: yesterday, monday',
  }),
  ended: reachedFlag({
    summary:
      'Only what came to its end: was delivered, canceled, failed or came back, in the last 2h, yesterday, monday',
    aliases: ['finished', 'closed'],
  }),
};

/** The flag for what was charged or refunded in a period. */
export const chargedFlag = {
  charged: periodFlag({
    summary:
      'Charged or refunded in a day, week or month, with what it cost then: as charges and report have it',
    aliases: ['charged-on', 'booked'],
  }),
};

/** The flags that only fit some statuses of deliveries, what they say of a delivery, and whether a status fits. */
const aboutStatuses: readonly (readonly [
  name: 'ended' | 'delivered' | 'stuck' | 'unchangedSince',
  what: string,
  holds: (status: DeliveryStatus) => boolean,
])[] = [
  ['ended', 'has ended', isEnded],
  ['delivered', 'was delivered', (status) => statusGroups.fulfilled.some((each) => each === status)],
  ['stuck', 'is under way', (status) => !isEnded(status)],
  ['unchangedSince', 'is under way', (status) => !isEnded(status)],
];

/** Throws UsageError for statuses of which none fits another flag: `--status active --ended today`. */
export function refuseContradiction(
  flags: Partial<Record<(typeof aboutStatuses)[number][0], unknown>>,
  names: readonly string[],
  typed: string,
): void {
  const statuses = expandStatusNames(names);
  const unmet = aboutStatuses.find(([name, , holds]) => flags[name] !== undefined && !statuses.some(holds));
  if (statuses.length === 0 || unmet === undefined) return;
  const [name, what] = unmet;
  throw new UsageError(`Nothing with ${typed} ${what}: leave out ${typed} or ${flagLabel(name)}.`);
}

interface ListPeriods {
  since: Moment | undefined;
  until: Moment | undefined;
  period: TypedPeriod | undefined;
  due: TypedPeriod | undefined;
  delivered: Reached | undefined;
  ended: Reached | undefined;
  charged?: TypedPeriod | undefined;
}

/**
 * The periods as query fields of the contract, and as flags of the command that continues the list. `--since`, `--until`
 * and `--period` are about the creation, or else the promise in a list of late deliveries, the arrival or the end.
 */
export async function listPeriods(
  context: Context,
  { since, until, period, due, delivered, ended, charged }: ListPeriods,
  { store, isOfLate = false }: { store?: string | undefined; isOfLate?: boolean } = {},
) {
  const isBounded = [since, until, period].some((each) => each !== undefined);
  const isOfArrivals = delivered === 'ever' && isBounded;
  const isOfEnds = ended === 'ever' && isBounded;
  const isOfPromises = isOfLate && due === undefined && !isOfArrivals && !isOfEnds;
  const isOfCreation = !isOfPromises && !isOfArrivals && !isOfEnds;
  const boundsOf = (typedPeriod: TypedPeriod | undefined) =>
    createdQuery(context, { period: typedPeriod, store, coming: 'all' });
  const coming = isOfCreation ? 'none' : 'all';
  const typed = await createdQuery(context, { since, until, period, store, coming });
  if (until?.span && isOfCreation) await warnOfCreation(context, until.typed);
  const none = { created_after: undefined, created_before: undefined };
  const created = isOfCreation ? typed : none;
  const promised = isOfPromises ? typed : await boundsOf(due);
  const reached = async (when: Reached | undefined) => {
    const everBounds = isBounded ? typed : none;
    const { created_after, created_before } = when === 'ever' ? everBounds : await boundsOf(when);
    const after = justBefore(created_after);
    // Without a start, any time after the epoch: only what has been delivered or has ended has such a time.
    return [after ?? (when === undefined ? undefined : '1970-01-01T00:00:00Z'), created_before];
  };
  const [delivered_after, delivered_before] = await reached(delivered);
  const [ended_after, ended_before] = await reached(ended);
  const booked = charged === undefined ? none : await boundsOf(charged);
  return {
    query: {
      ...created,
      ...(charged === undefined
        ? {}
        : { charged_after: booked.created_after, charged_before: booked.created_before }),
      due_after: justBefore(promised.created_after),
      due_before: promised.created_before,
      delivered_after,
      delivered_before,
      ended_after,
      ended_before,
    },
    filters: {
      ...createdFilters({ since, until, period }, typed),
      due: due?.typed,
      charged: charged?.typed,
      delivered: delivered === 'ever' ? true : delivered?.typed,
      ended: ended === 'ever' ? true : ended?.typed,
    },
  };
}

/** Warns that `--until 2h` is about the creation, as it is often typed for what is due soon. */
async function warnOfCreation(context: Context, length: string): Promise<void> {
  // The connection shows the profile above the warning.
  await context.client();
  context.warning(
    'created_until',
    `--until ${length} lists what was created more than ${length} ago; --due ${length} what is promised for the next ${length}.`,
  );
}

/** The start of a period as an exclusive bound. Only the bounds of creations and charges are inclusive. */
function justBefore(start: string | undefined): string | undefined {
  return start && new Date(Date.parse(start) - 1).toISOString();
}

export type Periods = Partial<Record<keyof ListPeriods, unknown>>;

/** Whether a list is of a period of any kind. */
export function isOfPeriod({ since, until, period, due, delivered, ended, charged }: Periods): boolean {
  return [since, until, period, due, delivered, ended, charged].some((each) => each !== undefined);
}

/** A list of ended records, and how to read it by another period. */
interface EndedReading<T, Q> {
  list: (input: { query: Q }) => Promise<Answer<Page<T>>>;
  query: Q;
  keep(record: T): boolean;
  command: Invocation;
  filters: InvocationFlags;
}

export type EndedQuery = Partial<
  Record<'created_after' | 'created_before' | 'ended_after' | 'ended_before', string | undefined>
>;

/** The most ended records that are counted. */
const max_ended = 100;

/** Notes that the period of a list of ended records is that of their creation, and how many ended in it. */
export async function noteEnded<T, Q extends EndedQuery>(
  context: Context,
  statuses: readonly string[] | undefined,
  { list, query, keep, command, filters }: EndedReading<T, Q>,
): Promise<void> {
  const { created_after: after, created_before: before } = query;
  const isOfEnded = statuses?.every((name) => expandStatusNames([name]).some(isEnded)) === true;
  if (!isOfEnded || (after ?? before) === undefined || query.ended_after !== undefined) return;
  if (context.output.json || context.output.quiet) return;
  const ended = {
    ended_after: justBefore(after),
    ended_before: before,
    created_after: undefined,
    created_before: undefined,
  };
  const { data } = await list({ query: { ...query, ...ended, limit: max_ended } });
  const count = data.data.filter(keep).length;
  const { period, ...others } = filters;
  const flags = period === undefined ? { ...others, ended: true } : { ...others, ended: period };
  const some = phrase`${data.has_more ? 'More than ' : ''}${count} ended in it: ${withArgs(command, flagArgs(flags))}`;
  const endedText = count === 0 && !data.has_more ? 'None ended in it.' : some;
  context.note(phrase`The period is when they were created. ${endedText}`);
}
