/** The periods of lists of deliveries and orders: when they were created, are due, were delivered, or ended. */
import type { Flag, FlagOptions } from '../kit/args/flags.ts';
import type { Context } from './command.ts';
import { createdFilters, createdQuery } from './listing.ts';
import { type Moment, periodFlag, type TypedPeriod, typedPeriod } from './time-arguments.ts';

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
    isToCome: true,
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
    return [created_after ?? (of === undefined ? undefined : '1970-01-01T00:00:00Z'), created_before];
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
      due_after: promised.created_after,
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
