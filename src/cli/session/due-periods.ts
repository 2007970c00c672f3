/** The periods of lists of deliveries and orders: when they were created, are due, or were delivered. */
import type { Flag } from '../kit/args/flags.ts';
import type { Context } from './command.ts';
import { createdFilters, createdQuery } from './listing.ts';
import { type Moment, periodFlag, type TypedPeriod, typedPeriod } from './time-arguments.ts';

type Delivered = TypedPeriod | 'ever';

const deliveredIn = periodFlag({
  summary: 'Only what was delivered; in the last 2h, or a whole day, week or month: yesterday, monday',
});

/** Flags that restrict a list to what is due or was delivered in a period. */
export const dueFlags = {
  due: periodFlag({
    isToCome: true,
    summary: 'Due by the promise: in the next 15m, today, tomorrow, saturday, week, 2026-03-07',
    aliases: ['due-on', 'promised'],
  }),
  delivered: {
    ...deliveredIn,
    hasOptionalValue: /^[^-]/,
    read: (texts: readonly string[]) => {
      const typed = texts.at(-1) ?? '';
      return typed === '' ? 'ever' : typedPeriod(typed, 'ago');
    },
  } satisfies Flag<Delivered | undefined>,
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
  delivered: Delivered | undefined;
  charged?: TypedPeriod | undefined;
}

/**
 * The periods as query fields of the contract, and as flags of the command that continues the list. `--on`, `--since` and
 * `--until` are about the creation; in a list of late ones about the promise, and with `--delivered` alone about the
 * arrival.
 */
export async function listPeriods(
  context: Context,
  { since, until, period, due, delivered, charged }: ListPeriods,
  { store, isOfLate = false }: { store?: string | undefined; isOfLate?: boolean } = {},
) {
  const isBounded = [since, until, period].some((each) => each !== undefined);
  const isOfArrivals = delivered === 'ever' && isBounded;
  const isOfPromises = isOfLate && due === undefined && !isOfArrivals;
  const between = (of: TypedPeriod | undefined) =>
    createdQuery(context, { period: of, store, coming: 'all' });
  const typed = await createdQuery(context, {
    since,
    until,
    period,
    store,
    coming: isOfPromises || isOfArrivals ? 'all' : 'none',
  });
  if (until?.span !== undefined && !isOfPromises && !isOfArrivals) {
    await context.client();
    context.warning(
      'created_until',
      `--until ${until.typed} lists what was created more than ${until.typed} ago; --due ${until.typed} what is promised for the next ${until.typed}.`,
    );
  }
  const none = { created_after: undefined, created_before: undefined };
  const created = isOfPromises || isOfArrivals ? none : typed;
  const promised = isOfPromises ? typed : await between(due);
  const arrived = delivered === 'ever' ? (isBounded ? typed : none) : await between(delivered);
  const booked = charged === undefined ? none : await between(charged);
  return {
    query: {
      ...created,
      ...(charged === undefined
        ? {}
        : { charged_after: booked.created_after, charged_before: booked.created_before }),
      due_after: promised.created_after,
      due_before: promised.created_before,
      delivered_after:
        arrived.created_after ?? (delivered === undefined ? undefined : '1970-01-01T00:00:00Z'),
      delivered_before: arrived.created_before,
    },
    filters: {
      ...createdFilters(period, typed),
      due: due?.typed,
      charged: charged?.typed,
      delivered: delivered === 'ever' ? true : delivered?.typed,
    },
  };
}
