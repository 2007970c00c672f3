/** The periods of lists of deliveries and orders: when they were created, are due, were delivered, or ended. */
import type { Answer } from '../../client/answers.ts';
import { ifSupported } from '../../client/errors.ts';
import type { Page } from '../../contract/schema.ts';
import { type DeliveryStatus, expandStatusNames, statusGroups } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import { type Flag, type FlagOptions, parsedTextFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { fullTime } from '../kit/output/times.ts';
import {
  flagArgs,
  type Invocation,
  type InvocationFlags,
  invocation,
  phrase,
  type Text,
  withArgs,
} from '../kit/result/message.ts';
import type { Context } from './command.ts';
import { readPastInstant, shopZone, toApiInstant, zoneOfPlace } from './service-times.ts';
import { isLocalTime, type Moment, momentFlag, readMoment } from './time-arguments.ts';
import {
  isTimeRange,
  partOfDay,
  periodAt,
  periodFlag,
  readPeriod,
  type TypedPeriod,
  typedPeriod,
} from './typed-periods.ts';

/** A period, or any that the flags of the creation name. */
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

/** What a flag is about, and whether the status of a delivery is of that. */
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

/** UsageError for statuses of which none is what another flag is about: `--status active --ended today`. */
export function refuseContradiction(
  flags: Partial<Record<(typeof aboutStatuses)[number][0], unknown>>,
  names: readonly string[],
  typed: string,
): void {
  const statuses = expandStatusNames(names);
  const found = aboutStatuses.find(([name, , holds]) => flags[name] !== undefined && !statuses.some(holds));
  if (statuses.length === 0 || found === undefined) return;
  throw new UsageError(`Nothing with ${typed} ${found[1]}: leave out ${typed} or ${flagLabel(found[0])}.`);
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
 * The periods as query fields of the contract, and as flags of the command that continues the list. `--on`, `--since` and
 * `--until` are about the creation; in a list of late ones about the promise, with `--delivered` alone about the arrival,
 * and with `--ended` alone about the end.
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
  const between = (of: TypedPeriod | undefined) =>
    createdQuery(context, { period: of, store, coming: 'all' });
  const typed = await createdQuery(context, {
    since,
    until,
    period,
    store,
    coming: isOfCreation ? 'none' : 'all',
  });
  if (until?.span !== undefined && isOfCreation) {
    await context.client();
    context.warning(
      'created_until',
      `--until ${until.typed} lists what was created more than ${until.typed} ago; --due ${until.typed} what is promised for the next ${until.typed}.`,
    );
  }
  const none = { created_after: undefined, created_before: undefined };
  const created = isOfCreation ? typed : none;
  const promised = isOfPromises ? typed : await between(due);
  const reached = async (of: Reached | undefined) => {
    const { created_after, created_before } = of === 'ever' ? (isBounded ? typed : none) : await between(of);
    const after = justBefore(created_after);
    return [after ?? (of === undefined ? undefined : '1970-01-01T00:00:00Z'), created_before];
  };
  const [delivered_after, delivered_before] = await reached(delivered);
  const [ended_after, ended_before] = await reached(ended);
  const booked = charged === undefined ? none : await between(charged);
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
      ...createdFilters(period, typed),
      due: due?.typed,
      charged: charged?.typed,
      delivered: delivered === 'ever' ? true : delivered?.typed,
      ended: ended === 'ever' ? true : ended?.typed,
    },
  };
}

/** The start of a period as a bound that is exclusive, as all are but those of creations and charges. */
function justBefore(start: string | undefined): string | undefined {
  return start && new Date(Date.parse(start) - 1).toISOString();
}

/** Flags that restrict a list to a time range. */
export const createdFlags = {
  // A range of times has its end, too.
  since: parsedTextFlag(
    (typed): Moment => (isTimeRange(typed) ? readPeriod(typed) : null) ?? readMoment(typed),
    {
      placeholder: 'WHEN',
      summary: 'Created after a time, such as today, 2h or 1d ago',
      aliases: ['created-after'],
    },
  ),
  until: momentFlag({
    isPast: true,
    summary: 'Created before a time, such as 2h or 1d ago',
    aliases: ['created-before'],
  }),
  period: periodFlag({
    summary: 'Created in a whole day, week or month: yesterday, monday, "last week", 2026-03-02',
    aliases: ['on', 'date'],
  }),
};

export type Periods = Partial<Record<keyof ListPeriods, unknown>>;

/** Whether a list is of a period of any kind. */
export function isOfPeriod({ since, until, period, due, delivered, ended, charged }: Periods): boolean {
  return [since, until, period, due, delivered, ended, charged].some((each) => each !== undefined);
}

/**
 * `since` and `until`, or a period, as query fields of the contract. Durations are counted from the service's time, or
 * from `now`; days are those of the store, or else of the shop that shipped last. UsageError for a start that is still
 * to come.
 */
export function createdQuery(
  context: Context,
  period: CreatedPeriod & ({ since: Moment } | { period: TypedPeriod }),
): Promise<CreatedQuery & { created_after: string }>;
export function createdQuery(context: Context, period: CreatedPeriod): Promise<CreatedQuery>;
export async function createdQuery(
  context: Context,
  { since, until, period, now, store, isSaid = false, coming = 'none' }: CreatedPeriod,
): Promise<CreatedQuery> {
  const range = since?.period !== undefined && isTimeRange(since.typed) ? since : undefined;
  const part = period && (since ?? until) && partOfDay(period, since?.typed, until?.typed);
  const whole = part ?? (range && until === undefined && period === undefined ? range : undefined);
  if (whole)
    return createdQuery(context, {
      ...{ period: { period: whole.period, typed: whole.typed }, store, isSaid, coming },
      ...(now === undefined ? {} : { now }),
    });
  if (range) throw new UsageError(`Use --since "${range.typed}" alone: it has its end.`);
  const isLocal = [since, until].some((each) => each !== undefined && isLocalTime(each));
  const zone = period || isLocal ? await dayZone(context, store) : null;
  if (period !== undefined) {
    if (since || until) throw new UsageError(`Use the period ${period.typed} alone, or --since and --until.`);
    return periodQuery(context, period, { now: now ?? context.serviceNow(), zone, isSaid, coming });
  }
  const created_after = since && (await readPastInstant(context, since, { now, zone }));
  const created_before = until && (await toApiInstant(context, until, 'ago', { from: now, zone }));
  if (since && until && Date.parse(created_after ?? '') >= Date.parse(created_before ?? '')) {
    // The start is not always typed: that of a report is today by default.
    throw new UsageError(`--until ${until.typed} must be after the start of the period, ${since.typed}.`, {
      hint: 'Set the start with --since.',
    });
  }
  if (isLocal) noteShopDay(context, [since, until], [created_after, created_before], zone);
  return { created_after, created_before };
}

/** A period that has not ended has only a start, unless its end counts. */
async function periodQuery(
  context: Context,
  period: TypedPeriod,
  { now, zone, isSaid, coming }: { now: number; zone: string | null; isSaid: boolean; coming: Coming },
): Promise<CreatedQuery & { created_after: string }> {
  const [from, to] = periodAt(period, now, zone);
  if (coming !== 'all') {
    const at = { at: from, typed: period.typed };
    await readPastInstant(context, at, { now, zone, flag: '--period', hint: comingHint(period) });
  }
  const created_after = new Date(from).toISOString();
  const created_before = to > now && coming === 'none' ? undefined : new Date(to).toISOString();
  if (!isSaid) noteShopDay(context, [period, undefined], [created_after, created_before], zone);
  return { created_after, created_before };
}

/** Nothing was created in a period to come, but it may be due then. */
function comingHint({ typed }: TypedPeriod): Text {
  return phrase`What is due then: ${invocation('deliveries list', [], { due: typed })}`;
}

/** The zone of a store's days, or of the shop that shipped last. */
export async function dayZone(context: Context, store: string | undefined): Promise<string | null> {
  if (store === undefined) return shopZone(context);
  return (await ifSupported(zoneOfPlace(context, { address: undefined, store }), null)) ?? shopZone(context);
}

/** Says which hours a day has, where the clocks of the shop differ from the reader's. */
export function noteShopDay(
  { note, output }: Context,
  typed: readonly ({ typed: string } | undefined)[],
  instants: readonly (string | undefined)[],
  zone: string | null,
  single: 'since' | 'at' = 'since',
): void {
  if (output.json || output.quiet || zone === null) return;
  const times = instants.flatMap((at) => (at === undefined ? [] : [fullTime(at, undefined, zone)]));
  if (times.every((text) => text === '' || !/[A-Z]$/.test(text))) return;
  const words = typed.flatMap((each) => (each === undefined ? [] : [`"${each.typed}"`]));
  note(`${words.join(' to ')} is ${times.length > 1 ? times.join(' to ') : `${single} ${times[0]}`}.`);
}

/** The period as flags of the command that continues a list. */
export function createdFilters(
  period: TypedPeriod | undefined,
  { created_after, created_before }: CreatedQuery,
) {
  return period === undefined ? { since: created_after, until: created_before } : { period: period.typed };
}

interface CreatedQuery {
  created_after: string | undefined;
  created_before: string | undefined;
}

type Coming = 'none' | 'end' | 'all';

interface CreatedPeriod {
  since?: Moment | undefined;
  until?: Moment | undefined;
  period?: TypedPeriod | undefined;
  now?: number;
  /** The command prints the period itself. */
  isSaid?: boolean;
  /** Which part of the period may be still to come and count: by default none, as nothing is created then. */
  coming?: Coming;
  /** The ID of the store that is filtered for. */
  store?: string | undefined;
}

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

/**
 * Says that the period of a list of ended records is that of their creation, and how many ended in it: who asks what came
 * back yesterday may mean either.
 */
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
  const found = count === 0 && !data.has_more ? 'None ended in it.' : some;
  context.note(phrase`The period is when they were created. ${found}`);
}
