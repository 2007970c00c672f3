/** `--since`, `--until` and `--period` as a query of what was created then, by the clock of the shop. */
import { parsedTextFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { fullTime } from '../kit/output/times.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import type { Context } from './command.ts';
import { dayZone, readPastInstant, toApiInstant } from './service-times.ts';
import { isLocalTime, type Moment, momentFlag, readMoment } from './time-arguments.ts';
import {
  isTimeRange,
  partOfDay,
  periodAt,
  periodFlag,
  readPeriod,
  type TypedPeriod,
} from './typed-periods.ts';

/** Flags that restrict a list to a time range. */
export const createdFlags = {
  // A range of times such as "yesterday 11:00-14:00" also sets the end.
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
  // A day between two times of day, such as `--period yesterday --since 11:00`, is one period, as is a range alone.
  const part = period && (since ?? until) && partOfDay(period, since?.typed, until?.typed);
  const onePeriod = part ?? (range && until === undefined && period === undefined ? range : undefined);
  if (onePeriod) return createdQuery(context, { period: onePeriod, now, store, isSaid, coming });
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
      hint:
        since.typed === until.typed
          ? `An end is not part of a period. For all of it: --period "${since.typed}".`
          : 'Set the start with --since.',
    });
  }
  if (isLocal) noteShopDay(context, [since, until], [created_after, created_before], zone);
  return { created_after, created_before };
}

/** The query of a whole period. One that has not ended yet has only a start, unless its end counts. */
async function periodQuery(
  context: Context,
  period: TypedPeriod,
  { now, zone, isSaid, coming }: { now: number; zone: string | null; isSaid: boolean; coming: Coming },
): Promise<CreatedQuery & { created_after: string }> {
  const [from, to] = periodAt(period, now, zone);
  if (coming !== 'all') {
    // Throws for a period that has not begun.
    const start = { at: from, typed: period.typed };
    await readPastInstant(context, start, { now, zone, flag: '--period', hint: comingHint(period) });
  }
  const created_after = new Date(from).toISOString();
  const created_before = to > now && coming === 'none' ? undefined : new Date(to).toISOString();
  if (!isSaid) noteShopDay(context, [period, undefined], [created_after, created_before], zone);
  return { created_after, created_before };
}

/** The hint for a period to come, in which nothing was created, but something may be due. */
function comingHint({ typed }: TypedPeriod): Text {
  return phrase`What is due then: ${invocation('deliveries list', [], { due: typed })}`;
}

/** Says which hours a day has, where the clocks of the shop differ from the reader's. */
export function noteShopDay(
  { note, output }: Context,
  typed: readonly ({ typed: string } | undefined)[],
  instants: readonly (string | undefined)[],
  zone: string | null,
  wordForStart: 'since' | 'at' = 'since',
): void {
  if (output.json || output.quiet || zone === null) return;
  const times = instants.flatMap((at) => (at === undefined ? [] : [fullTime(at, undefined, zone)]));
  if (times.every((text) => text === '' || !/[A-Z]$/.test(text))) return;
  const words = typed.flatMap((each) => (each === undefined ? [] : [`"${each.typed}"`]));
  const word = instants[0] === undefined ? 'until' : wordForStart;
  note(`${words.join(' to ')} is ${times.length > 1 ? times.join(' to ') : `${word} ${times[0]}`}.`);
}

/** The period as flags of the command that continues a list. A day between two times is given by its bounds. */
export function createdFilters(
  { since, until, period }: Pick<CreatedPeriod, 'since' | 'until' | 'period'>,
  { created_after, created_before }: CreatedQuery,
) {
  const isBounded = period === undefined || (since ?? until) !== undefined;
  return isBounded ? { since: created_after, until: created_before } : { period: period.typed };
}

interface CreatedQuery {
  created_after: string | undefined;
  created_before: string | undefined;
}

type Coming = 'none' | 'end' | 'all';

/** The period in which something was created, as it was typed. */
interface CreatedPeriod {
  since?: Moment | undefined;
  until?: Moment | undefined;
  period?: TypedPeriod | undefined;
  now?: number | undefined;
  /** Whether the command prints the period itself. */
  isSaid?: boolean;
  /** The part of the period to come that counts: by default none, as nothing is created then. */
  coming?: Coming;
  /** The ID of the store that is filtered for. */
  store?: string | undefined;
}
