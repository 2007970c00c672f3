import type { Client } from '../../client/client.ts';
import { ifSupported } from '../../client/errors.ts';
import type { ReportRow } from '../../contract/accounting.ts';
import { reportGroups } from '../../contract/vocabulary.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { late_tolerance_ms } from '../../domain/lateness.ts';
import { BadValue, choiceFlag, choicesFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { lengthText } from '../kit/output/times.ts';
import { type InvocationFlags, invocation, phrase, type Text, timePart } from '../kit/result/message.ts';
import { type Column, type Formatters, listResult } from '../kit/result/result.ts';
import { findStoreId, storeFlag } from '../nouns/find-by-name.ts';
import { defineCommand, positionals } from '../session/command.ts';
import { createdFlags, createdQuery, dayZone } from '../session/listing.ts';
import { type Moment, readMoment, readPeriod } from '../session/time-arguments.ts';

/** Columns of a report; those of groups by which it is not divided are empty. */
const reportColumns: readonly Column<ReportRow>[] = [
  {
    field: 'on',
    header: 'Weekday',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: ({ weekday }) => weekday && `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}`,
  },
  {
    field: 'at',
    header: 'Hour',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: ({ hour }) => (hour === null ? null : `${String(hour).padStart(2, '0')}:00`),
  },
  { field: 'courier', header: 'Courier', kind: 'text', unlessEmpty: true, isName: true },
  { field: 'status', header: 'Status', kind: 'status', unlessEmpty: true },
  {
    field: 'store',
    header: 'Store',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    isName: true,
    value: (row) => row.store_name ?? row.store_id,
  },
  {
    field: 'driver',
    header: 'Driver',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    isName: true,
    value: (row) => row.driver_name ?? row.driver_id,
  },
  {
    field: 'why',
    header: 'Reason',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    prose: true,
    value: reasonText,
  },
  { field: 'store_id', header: 'Store ID', kind: 'text', only: 'programs' },
  { field: 'store_name', header: 'Store name', kind: 'text', only: 'programs' },
  { field: 'driver_id', header: 'Driver ID', kind: 'text', only: 'programs' },
  { field: 'driver_name', header: 'Driver name', kind: 'text', only: 'programs' },
  { field: 'reason', header: 'Reason', kind: 'text', only: 'programs' },
  { field: 'orders', header: 'Orders', kind: 'count' },
  { field: 'deliveries', header: 'Tries', kind: 'count', spare: 3, askedBy: ['sort=tries'] },
  ...withPart('active', 'Under way', ['scheduled', 'scheduled'])
    .slice(0, 2)
    .map((column) => ({ ...column, spare: 4, askedBy: ['sort=active'] })),
  { field: 'delivered', header: 'Delivered', kind: 'count' },
  { field: 'on_time', header: 'On time', kind: 'count', only: 'programs' },
  { field: 'on_time_share', header: 'On time', kind: 'text', only: 'people', value: onTimeText },
  ...withPart('late', 'Late', ['late_active', 'under way']),
  ...withPart('failed', 'Failed', ['returning', 'going back']),
  { field: 'canceled', header: 'Canceled', kind: 'count' },
  {
    field: 'lost',
    header: 'Lost tries',
    kind: 'count',
    only: 'people',
    unlessEmpty: true,
    spare: 5,
    value: (row) => (row.courier === null ? null : lostTries(row) || null),
  },
  {
    field: 'lost_tries',
    header: 'Of these',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: lostTriesText,
    spare: 2,
  },
  { field: 'total_cost', header: 'Total', kind: 'money' },
  { field: 'average_cost', header: 'Each delivered', kind: 'money', spare: 2 },
  { field: 'average_minutes', header: 'Minutes', kind: 'count', spare: 1, askedBy: ['sort=minutes'] },
  {
    field: 'tips',
    header: 'Tips',
    kind: 'money',
    only: 'people',
    unlessEmpty: true,
    value: tipsOf,
    spare: 1,
  },
  ...(
    ['tips', 'average_tip', 'scheduled', 'declined', 'dropped', 'failed_tries', 'weekday', 'hour'] as const
  ).map((field): Column<ReportRow> => {
    const kind =
      field === 'weekday' ? 'text' : field === 'tips' || field === 'average_tip' ? 'money' : 'count';
    return { field, header: field, kind, only: 'programs' };
  }),
];

function tipsOf({ tips }: ReportRow): number | null {
  return tips === 0 ? null : tips;
}

/** The deliveries that a courier did not carry to the end, also where another one did. */
function lostTries({ declined, dropped, failed_tries }: ReportRow): number {
  return declined + dropped + failed_tries;
}

/** `2 declined, 1 canceled` */
function lostTriesText({ courier, declined, dropped, failed_tries }: ReportRow): string | null {
  if (courier === null) return null;
  const parts = [`${declined} declined`, `${dropped} canceled`, `${failed_tries} failed`];
  const found = parts.filter((part) => !part.startsWith('0 '));
  return found.length === 0 ? null : found.join(', ');
}

type CountField = 'active' | 'scheduled' | 'late' | 'late_active' | 'failed' | 'returning';

/** A count, in which people also read how many are a part of it, if any: `3 (1 under way)`. */
function withPart(
  field: CountField,
  header: string,
  [part, words]: [part: CountField, words: string],
): Column<ReportRow>[] {
  return [
    {
      field,
      header,
      kind: 'count',
      only: 'people',
      value: (row) => (row[part] > 0 ? `${row[field]} (${row[part]} ${words})` : row[field]),
    },
    { field, header, kind: 'count', only: 'programs' },
    { field: part, header: words, kind: 'count', only: 'programs' },
  ];
}

const sorts = [
  'orders',
  'tries',
  'active',
  'delivered',
  'late',
  'failed',
  'canceled',
  'total',
  'minutes',
] as const;

export const report = defineCommand({
  name: 'report',
  aliases: ['stats', 'statistics', 'summary'],
  summary: 'Count the orders of a period by what became of them, with their cost and times',
  description: [
    'Counts the orders that were dispatched in the period, by default today, in the time zone of the',
    'latest pickup. Weeks begin on Monday; this week and this month are those until now. UNDER WAY are those on their way',
    'to the recipient, and those that wait for their day; a parcel on its way back is among the failed ones. ON TIME and',
    'LATE are of what was promised for the period, whenever it was ordered: ON TIME is the part that arrived at most 5 min',
    'after the promised time, LATE what came later, and what is under way and will: deliveries list --late with the same',
    'period lists them. TOTAL is the sum of the charges and refunds that were made in the period, as charges list has it;',
    'EACH DELIVERED is that of the delivered ones alone, divided by their number. MINUTES is the average of the delivered',
    'ones from the creation to the arrival, without deliveries that had an agreed time. LOST TRIES are those that a courier',
    'declined, canceled or did not carry to the end, also where another courier did: --by courier shows whose they were.',
    'TIPS leaves out those of failed and canceled deliveries. Hours and weekdays are those of the creation. A pipe gets',
    'rows without headings: -o csv has them.',
  ].join('\n'),
  positionals: {
    when: positionals('text', {
      summary: 'The period: today, yesterday, monday, last week, month, 2026-03-02, or since when: 7d',
      optional: true,
    }),
  },
  flags: {
    ...createdFlags,
    by: choicesFlag({
      summary:
        'A row for each courier, status, store, driver, reason of failures, weekday or hour, or combination',
      choices: reportGroups,
      placeholder: 'GROUPS',
    }),
    store: storeFlag('Only what is picked up at this store: its name, or ID'),
    sort: choiceFlag({
      summary: 'Put the rows with the most of these first (default: orders; by reason: failed and canceled)',
      choices: sorts,
      placeholder: 'COLUMN',
    }),
  },
  examples: [
    { command: 'waybill report', summary: 'Count what was delivered today' },
    { command: 'waybill report week --by courier', summary: 'Compare the couriers of a week' },
    {
      command: 'waybill report --since 30d --by store --sort failed',
      summary: 'Show which store failed most',
    },
    { command: 'waybill report last month --by hour', summary: 'Show the busy hours' },
    { command: 'waybill report yesterday --by reason', summary: 'Show why orders failed' },
    { command: 'waybill report --since 7d --by driver -o csv', summary: 'Export it to a spreadsheet' },
  ],
  columns: reportColumns,
  effect: 'read',
  calls: ['reports.get', 'orders.list', 'deliveries.list', 'stores.list', 'stores.get'],
  answers: ({ each }) => [each('reports.get')],
  related: ['today', 'charges list', 'deliveries list'],
  async run(context, { flags: { by = [], sort, ...flags }, positionals: { when } }) {
    const typed = when.join(' ');
    if (when.length > 0 && (flags.since ?? flags.period) !== undefined)
      throw new UsageError(
        `Use only one of ${typed}, --since and --period: each says when the period begins.`,
      );
    const named = readPeriod(typed);
    const since = flags.since ?? (named === null && typed !== '' ? startOf(typed) : undefined);
    const until = flags.until;
    const isOpen = since !== undefined || until !== undefined;
    const period = flags.period ?? named ?? (isOpen ? undefined : readPeriod('today')) ?? undefined;
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const created =
      period === undefined
        ? await createdQuery(context, { since: since ?? readMoment('today'), until, store })
        : await createdQuery(context, { since, until, period, store, isSaid: true, coming: 'end' });
    // The period is said on stderr, with a CSV, too.
    const isTimed = by.includes('hour') || by.includes('weekday');
    const isShown = isTimed || !context.output.json;
    const zone = isShown ? await dayZone(context, store).catch(() => null) : null;
    const time_zone = isTimed ? (zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone) : undefined;
    const { data } = await client.reports.get({
      query: { ...created, ...(by.length === 0 ? {} : { by }), store_id: store, time_zone },
    });
    const all: ReportRow = { ...noGroup, ...data.total };
    const listed =
      period === undefined
        ? { since: created.created_after, until: created.created_before }
        : { period: period.typed };
    const neverSent = context.output.json
      ? 0
      : await neverSentOrders(client, { ...created, store_id: store });
    return listResult({
      data:
        by.length === 0
          ? [all]
          : isTimed && sort === undefined
            ? data.data
            : sorted(data.data, sort ?? (by.includes('reason') ? 'problems' : 'orders')),
      columns: reportColumns,
      empty: phrase`No deliveries in this period. Choose a longer one: ${invocation('report', [], { since: '7d' })}`,
      notes: () => [periodText(created, zone), ...neverSentNotes(neverSent, listed)],
      footer: (show) => (data.data.length < 2 ? null : totalText(all, show)),
    });
  },
});

/** Equal rows stay in the order of the service: the most orders first. */
function sorted(rows: readonly ReportRow[], by: (typeof sorts)[number] | 'problems'): ReportRow[] {
  const fields = { tries: 'deliveries', total: 'total_cost', minutes: 'average_minutes' } as const;
  const amountOf = (row: ReportRow) => {
    if (by === 'problems') return row.failed + row.canceled;
    const field = by === 'tries' || by === 'total' || by === 'minutes' ? fields[by] : by;
    return row[field] ?? 0;
  };
  return rows.toSorted((left, right) => amountOf(right) - amountOf(left));
}

/** A length of time or an instant. UsageError for any other text. */
function startOf(typed: string): Moment {
  try {
    return readMoment(typed);
  } catch (error) {
    if (error instanceof BadValue) throw new UsageError(`The period ${error.message}.`);
    throw error;
  }
}

function periodText(
  { created_after, created_before }: { created_after: string; created_before: string | undefined },
  zone: string | null,
): Text {
  // A period begins at its start, which the query leaves out.
  const start = new Date(Math.ceil(Date.parse(created_after) / 1000) * 1000).toISOString();
  const from = timePart(start, 'aged', zone);
  const days = zone === null ? '' : ` Days are those of ${zone}.`;
  const late = `On time and late are of what was promised for it: late is more than ${lengthText(late_tolerance_ms)} after the promise. Averages are of delivered ones.${days}`;
  if (created_before === undefined) return phrase`Created since ${from}. ${late}`;
  return phrase`Created since ${from}, and before ${timePart(created_before, 'aged', zone)}. ${late}`;
}

/** Of more orders the first are counted. */
const max_never_sent = 100;

/** How many orders of a period never went to a courier and no longer wait for one. */
async function neverSentOrders(
  client: Client,
  query: NonNullable<NonNullable<Parameters<Client['orders']['list']>[0]>['query']>,
): Promise<number> {
  const call = client.orders.list({ query: { ...query, status: ['unfulfilled'], limit: max_never_sent } });
  const orders = await ifSupported(
    call.then(({ data }) => data.data),
    [],
  );
  return orders.filter(({ delivery_id }) => delivery_id === null).length;
}

function neverSentNotes(count: number, period: InvocationFlags): Text[] {
  if (count === 0) return [];
  const many = count === max_never_sent ? `At least ${count} orders` : `${count} orders`;
  const list = invocation('orders list', [], { status: 'unfulfilled', ...period });
  return [
    phrase`${count === 1 ? 'One order' : many} of this period never went to a courier, and is not counted: ${list}`,
  ];
}

const noGroup = {
  courier: null,
  status: null,
  store_id: null,
  store_name: null,
  driver_id: null,
  driver_name: null,
  reason: null,
  weekday: null,
  hour: null,
};

/** A code in words, or the reason of a cancellation. */
function reasonText({ reason }: ReportRow): string | null {
  return Object.entries(failureMessages).find(([code]) => code === reason)?.[1] ?? reason;
}

function onTimeText({ on_time, late, late_active }: ReportRow): string | null {
  const arrived = on_time + late - late_active;
  return arrived === 0 ? null : `${on_time} (${Math.round((100 * on_time) / arrived)}%)`;
}

function totalText(all: ReportRow, show: Formatters): string {
  const { orders, deliveries, delivered, total_cost, average_cost } = all;
  const tries = deliveries === orders ? '' : ` in ${deliveries} ${deliveries === 1 ? 'try' : 'tries'}`;
  const counts = `${orders} ${orders === 1 ? 'order' : 'orders'}${tries}, ${delivered} delivered`;
  const onTime = onTimeText(all) === null ? '' : `, ${onTimeText(all)} on time`;
  const average = average_cost === null ? '' : `; what was delivered cost ${show.money(average_cost)} each`;
  return `${show.strong('Total')}: ${counts}${onTime}, ${show.money(total_cost)}${average}`;
}
