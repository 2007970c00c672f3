import type { Client } from '../../client/client.ts';
import { ifSupported } from '../../client/errors.ts';
import type { ReportRow } from '../../contract/accounting.ts';
import { reportGroups } from '../../contract/vocabulary.ts';
import { late_tolerance_ms } from '../../domain/lateness.ts';
import { groupNames, type Sort, sortNames, sorts } from '../../domain/report-words.ts';
import { BadValue, choiceFlag, choicesFlag, integerFlag, switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { lengthText } from '../kit/output/times.ts';
import { type InvocationFlags, invocation, phrase, type Text, timePart } from '../kit/result/message.ts';
import { listResult } from '../kit/result/result.ts';
import { findStoreId, storeFlag } from '../nouns/find-by-name.ts';
import {
  drivingMinutes,
  reportColumns,
  reportColumnsBy,
  type ShownRow,
  totalsText,
  totalText,
} from '../nouns/report-row.ts';
import { type Context, defineCommand, positionals } from '../session/command.ts';
import { createdFlags, createdQuery, dayZone } from '../session/listing.ts';
import {
  type Moment,
  periodFlag,
  readMoment,
  readPeriod,
  type TypedPeriod,
} from '../session/time-arguments.ts';

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
    'TIPS leaves out those of failed and canceled deliveries. GOODS is the value of the orders; with -o wide and in JSON',
    'also that of the delivered ones, what their quotes came to, how late the late ones came, the minutes to the pickup, from it',
    'to the arrival and, where couriers report the arrival there, at the store. A customer is an e-mail address, without one a name with a',
    "phone number. Days, hours and weekdays are those of the order's creation, for its later tries, too. Distances are not",
    'recorded: routes get has the miles of a route. A pipe gets rows without headings: -o csv has them.',
  ].join('\n'),
  positionals: {
    when: positionals('text', {
      summary:
        'The period: today, yesterday, monday, last week, 2026-03-02, or since when: 7d; two to compare them',
      optional: true,
    }),
  },
  flags: {
    ...createdFlags,
    by: choicesFlag({
      summary:
        'A row for each courier, status, store, driver, customer, address, reason of failures, day, weekday or hour, or combination',
      choices: reportGroups,
      otherNames: groupNames,
      placeholder: 'GROUPS',
    }),
    compare: periodFlag({
      summary: 'Put a second period beside the first, as `report yesterday today` does',
    }),
    limit: integerFlag({
      summary: 'Show only this many rows (default: 20 customers or addresses)',
      minimum: 1,
    }),
    store: storeFlag('Only what is picked up at this store: its name, or ID'),
    late: switchFlag({ summary: 'The same as --sort late: put the rows with the most late ones first' }),
    sort: choiceFlag({
      summary:
        'Put the rows with the most of these first; problems are failed and canceled ones (default: orders; by reason: problems)',
      choices: sorts,
      otherNames: sortNames,
      placeholder: 'COLUMN',
    }),
  },
  examples: [
    { command: 'waybill report', summary: 'Count what was delivered today' },
    { command: 'waybill report week --by courier', summary: 'Compare the couriers of a week' },
    {
      command: 'waybill report --since 30d --by store --sort problems',
      summary: 'Show where most failed or were canceled',
    },
    { command: 'waybill report yesterday today', summary: 'Compare two days' },
    { command: 'waybill report month --by customer', summary: 'Show who ordered most' },
    { command: 'waybill report last month --by hour', summary: 'Show the busy hours' },
    { command: 'waybill report yesterday --by reason', summary: 'Show why orders failed' },
    { command: 'waybill report --since 7d --by driver -o csv', summary: 'Export it to a spreadsheet' },
  ],
  columns: reportColumns,
  effect: 'read',
  calls: ['reports.get', 'orders.list', 'deliveries.list', 'stores.list', 'stores.get'],
  answers: ({ each }) => [each('reports.get')],
  related: ['today', 'charges list', 'deliveries list'],
  async run(context, { flags: { by = [], sort, limit, compare, until, ...flags }, positionals: { when } }) {
    const typed = when.join(' ');
    if (when.length > 0 && (flags.since ?? flags.period) !== undefined)
      throw new UsageError(
        `Use only one of ${typed}, --since and --period: each says when the period begins.`,
      );
    const [named, second = compare] = readPeriods(typed);
    const since = flags.since ?? (named === undefined && typed !== '' ? startOf(typed) : undefined);
    const isOpen = since !== undefined || until !== undefined;
    const period = flags.period ?? named ?? (isOpen ? undefined : readPeriod('today')) ?? undefined;
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const created =
      period === undefined || isOpen
        ? await createdQuery(context, { since: since ?? readMoment('today'), until, period, store })
        : await wholePeriod(context, period, store);
    // The period is said on stderr, with a CSV, too.
    const isTimed = by.some((group) => group === 'day' || group === 'hour' || group === 'weekday');
    const isShown = isTimed || !context.output.json;
    const zone = isShown ? await dayZone(context, store).catch(() => null) : null;
    const time_zone = isTimed ? (zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone) : undefined;
    const groups = by.length === 0 ? {} : { by };
    const order = sort ?? (flags.late ? 'late' : usualSort(by, isTimed));
    const reportOf = async (label: string, of: typeof created) => ({
      label,
      created: of,
      ...(await fetchReport(client, { ...of, ...groups, store_id: store, time_zone }, order)),
    });
    const first = await reportOf(period?.typed ?? since?.typed ?? 'today', created);
    const other = second && (await reportOf(second.typed, await wholePeriod(context, second, store)));
    const { all, rows } = first;
    const data: readonly ShownRow[] = other === undefined ? rows : compared(first, other);
    const isMany = by.includes('customer') || by.includes('address');
    const shown = data.slice(0, limit ?? (isMany ? max_recipients : undefined));
    const listed =
      period === undefined || isOpen
        ? { since: created.created_after, until: created.created_before }
        : { period: period.typed };
    const neverSent = context.output.json
      ? 0
      : await neverSentOrders(client, { ...created, store_id: store });
    return listResult({
      data: shown,
      columns: reportColumnsBy(by),
      empty: phrase`No deliveries in this period. Choose a longer one: ${invocation('report', [], { since: '7d' })}`,
      notes: () => [
        ...leftOutNotes(shown.length, data.length),
        ...(all.late === 0 ? [] : [lateNote({ ...listed, store: flags.store })]),
        ...periodNotes(other === undefined ? [first] : [first, other], zone),
        ...neverSentNotes(neverSent, listed),
      ],
      footer: (show) =>
        other === undefined
          ? totalText(all, show, { isDivided: rows.length > 1 })
          : totalsText([first.label, all], [other.label, other.all], show),
    });
  },
});

/** The query of a whole period, which the report prints itself. */
function wholePeriod(context: Context, period: TypedPeriod, store: string | undefined) {
  const open = { since: undefined, until: undefined };
  return createdQuery(context, { ...open, period, store, isSaid: true, coming: 'end' });
}

/** Rows of times stay in their order. */
function usualSort(by: readonly string[], isTimed: boolean): Sort | undefined {
  if (isTimed) return undefined;
  return by.includes('reason') ? 'problems' : 'orders';
}

type ReportQuery = NonNullable<NonNullable<Parameters<Client['reports']['get']>[0]>['query']>;

/** The total of a report, and its rows in an order; undefined: that of the service. */
async function fetchReport(client: Client, query: ReportQuery, order: Sort | undefined) {
  const { data } = await client.reports.get({ query });
  const all: ReportRow = { ...noGroup, ...data.total };
  if (data.by.length === 0) return { all, rows: [all] };
  return { all, rows: order === undefined ? data.data : sorted(data.data, order) };
}

function leftOutNotes(shown: number, all: number): Text[] {
  return shown === all ? [] : [`${all - shown} more rows: --limit ${all} shows all.`];
}

function lateNote(period: InvocationFlags): Text {
  return phrase`Which were late: ${invocation('deliveries list', [], { late: true, ...period })}`;
}

/** The first customers or addresses are shown: a month may have thousands. */
const max_recipients = 20;

/** One period or two: `last week`, `yesterday today`, `last week vs this week`; empty for any other text. */
function readPeriods(typed: string): TypedPeriod[] {
  const whole = typed === '' ? null : readPeriod(typed);
  if (whole !== null) return [whole];
  const words = typed.split(' ').filter((word) => !/^(?:vs\.?|versus|and|with|against)$/i.test(word));
  for (let end = 1; end < words.length; end += 1) {
    const parts = [words.slice(0, end), words.slice(end)].map((part) => readPeriod(part.join(' ')));
    if (parts.every((part) => part !== null)) return parts;
  }
  return [];
}

interface PeriodReport {
  label: string;
  created: { created_after: string; created_before: string | undefined };
  rows: readonly ReportRow[];
}

/** The rows of two periods, those of a group below each other. */
function compared(...periods: readonly PeriodReport[]): ShownRow[] {
  const rows = periods.flatMap((each) => each.rows.map((row): ShownRow => ({ period: each.label, ...row })));
  const keyOf = (row: ReportRow) => {
    const ofGroup = { ...row, customer_name: row.customer_contact?.includes('@') ? null : row.customer_name };
    return Object.keys(noGroup)
      .map((field) => Reflect.get(ofGroup, field))
      .join('|');
  };
  return [...Map.groupBy(rows, keyOf).values()].flat();
}

function sortAmounts(row: ReportRow) {
  const { deliveries: tries, total_cost: total, average_minutes: minutes, order_value: value } = row;
  const { average_cost: each } = row;
  const { average_late_minutes: delay, average_wait_minutes: wait, failed, canceled } = row;
  return {
    tries,
    total,
    each,
    minutes,
    value,
    delay,
    wait,
    problems: failed + canceled,
    driving: drivingMinutes(row),
  };
}

/** Equal rows stay in the order of the service: the most orders first. */
function sorted(rows: readonly ReportRow[], by: Sort): ReportRow[] {
  const amountOf = (row: ReportRow) => ({ ...row, ...sortAmounts(row) })[by] ?? 0;
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

/** When the orders of one or two periods were created, and which of two no row is of. */
function periodNotes(reports: readonly PeriodReport[], zone: string | null): Text[] {
  const [counted, ...others] = reports.filter(({ rows }) => rows.length > 0);
  const empty = reports.find(({ rows }) => rows.length === 0);
  const isHalf = counted !== undefined && others.length === 0 && empty !== undefined;
  const texts = reports.map(({ label, created }) =>
    reports.length === 1 ? periodText(created, zone) : phrase`${label}: ${periodText(created, zone)}`,
  );
  const days = zone === null ? '' : ` Days are those of ${zone}.`;
  const rules = `On time and late are of what was promised for it: late is more than ${lengthText(late_tolerance_ms)} after the promise. Averages are of delivered ones.${days}`;
  return [
    ...(isHalf ? [`No deliveries in ${empty.label}: every row is of ${counted.label}.`] : []),
    [...texts, rules].reduce((left, right) => phrase`${left} ${right}`),
  ];
}

function periodText({ created_after, created_before }: PeriodReport['created'], zone: string | null): Text {
  // A period begins at its start, which the query leaves out.
  const start = new Date(Math.ceil(Date.parse(created_after) / 1000) * 1000).toISOString();
  const from = timePart(start, 'aged', zone);
  if (created_before === undefined) return phrase`Created since ${from}.`;
  return phrase`Created since ${from}, and before ${timePart(created_before, 'aged', zone)}.`;
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
  customer_name: null,
  customer_contact: null,
  address: null,
  reason: null,
  day: null,
  weekday: null,
  hour: null,
};
