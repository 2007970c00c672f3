/** `report`: the periods, rows and columns that words and flags ask for, and what is left out. */
import type { Client } from '../../client/client.ts';
import { ifSupported } from '../../client/errors.ts';
import { pages } from '../../client/pages.ts';
import type { ReportRow } from '../../contract/accounting.ts';
import { type ReportGroup, reportGroups } from '../../contract/vocabulary.ts';
import { amountsText, dollars } from '../../domain/money.ts';
import {
  groupNames,
  type ReportView,
  reportViews,
  sortColumns,
  viewNames,
  withCounterpart,
} from '../../domain/report-words.ts';
import { BadValue, choicesFlag, findChoice, integerFlag, switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { type InvocationFlags, invocation, phrase, type Text } from '../kit/result/message.ts';
import { isForPeople, listResult } from '../kit/result/result.ts';
import { findStoreId, storeFlag } from '../nouns/find-by-name.ts';
import { firstRecords } from '../nouns/problems.ts';
import { periodNotes, unevenNotes } from '../nouns/report-notes.ts';
import {
  noGroup,
  readPeriods,
  requireDifferent,
  rowsByGroup,
  rowsOfPeriod,
  type Span,
  untilSameTime,
} from '../nouns/report-periods.ts';
import { reportColumns, reportColumnsBy, type ShownRow, withSibling } from '../nouns/report-row.ts';
import { totalsText, totalText } from '../nouns/report-text.ts';
import { type Context, defineCommand, positionals } from '../session/command.ts';
import { createdFlags, createdQuery } from '../session/created-periods.ts';
import { withNamedColumns } from '../session/list-view.ts';
import {
  columnOrder,
  isSortedByNothing,
  noValueText,
  readSort,
  type Sort,
  sortFlag,
} from '../session/record-sort.ts';
import { dayZone } from '../session/service-times.ts';
import { type Moment, readMoment } from '../session/time-arguments.ts';
import { partOfDay, periodFlag, readPeriod, type TypedPeriod } from '../session/typed-periods.ts';

/** The kinds of charges are columns: they divide no row. */
const groupChoices = [...reportGroups, 'kind'] as const;

const byFlag = choicesFlag({
  summary:
    'A row for each courier, status, store, driver, customer, address, ZIP code, reason of failures, day, weekday or hour, or combination',
  choices: groupChoices,
  otherNames: groupNames,
  placeholder: 'GROUPS',
});

/** Adds up the quantities of each item; a delivery without items counts once, by its description. */
const itemCounts =
  '[.[] | .items[], (select(.items == []) | {name: .items_description, quantity: 1})] | group_by(.name) | map({item: .[0].name, quantity: (map(.quantity) | add)})';

/**
 * Throws BadValue with another command for months, as a report is of one at most, and for items, as an order has several.
 */
function refuseMonthsAndItems(groups: readonly string[]): void {
  if (/\bmonth(?:s|ly)?\b/i.test(groups.join())) {
    const hint = phrase`Compare months: ${invocation('report', ['last month', 'month'])}`;
    throw new BadValue('cannot be a month: a report is of one', [], null, hint);
  }
  const item = groups.join().match(/\b(?:item|dish|product|good|sku)(?:e?s)?\b/i)?.[0];
  if (item === undefined) return;
  const flags = { delivered: 'today', all: true, json: true, jq: itemCounts };
  const hint = phrase`What was delivered of each item: ${invocation('deliveries list', [], flags)}`;
  throw new BadValue(`cannot be ${item}: a report counts orders, and one has several items`, [], null, hint);
}

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
    'A driver is a name at a courier, who reports no other that stays: two of one name there are one row.',
    'TIPS leaves out those of failed and canceled deliveries. ORDER VALUE is that of all orders, DELIVERED VALUE that of the',
    'delivered ones; with -o wide and in JSON also what their quotes came to, how late the late ones came, the minutes to the',
    'pickup, from it to the arrival and, where couriers report the arrival there, at the store. A customer is an e-mail',
    'address, without one a name with a phone number. Days, hours and weekdays are those of the creation of the order, for',
    'its later tries, too. Distances are in no row: deliveries list --sort distance has the miles of each. A pipe gets rows',
    'without headings: -o csv has them. A table of two periods has PERIOD, whatever --columns names; programs name it: --columns',
    'period,store.',
    'With --fees, prices, service fees and tips are without those that were given back for failed and canceled deliveries;',
    'OTHER REFUNDS (refunds) are the rest, as of disputes: charges list --kind refund has all that was given back.',
    'DEARER ORDERS were charged more in the period than quoted, whatever became of them. With --rates, DECLINED is of the',
    'tries, and CHOSEN of the routes for which a courier quoted. --same-time counts the earlier period as it stood then.',
    'Words do, too: report fees yesterday by store, report yesterday today so far.',
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
    by: {
      ...byFlag,
      read: (texts: readonly string[]) => {
        refuseMonthsAndItems(texts);
        return byFlag.read(texts);
      },
    },
    compare: periodFlag({
      summary: 'Put a second period beside the first, as `report yesterday today` does',
    }),
    sameTime: switchFlag({
      summary: 'Compare a period that has ended until the time at which the other one is now',
      aliases: ['so-far'],
    }),
    fees: switchFlag({
      summary: 'Show what was paid by its kind: couriers, service fees, tips, ways back, cancellations',
      aliases: ['money'],
    }),
    rates: switchFlag({
      summary: 'Show what was declined, delivered, on time, failed and canceled in percent',
      aliases: ['percent'],
    }),
    minutes: switchFlag({
      summary:
        'Show the minutes to the driver, the pickup and the arrival: average, median, fastest, slowest',
      aliases: ['times'],
    }),
    limit: integerFlag({
      summary: 'Show only this many rows (default: 20 customers or addresses)',
      minimum: 1,
    }),
    store: storeFlag('Only what is picked up at this store: its name, or ID'),
    late: switchFlag({ summary: 'The same as --sort late: put the rows with the most late ones first' }),
    sort: sortFlag({
      others: sortColumns,
      summary:
        'Sort by any column, the most first, texts from A (COLUMN:asc, :desc); problems are failed and canceled ones (default: orders; by reason: problems)',
    }),
  },
  flagHints: {
    '--tax': phrase`Taxes are not kept. What couriers were paid: ${invocation('report', [], { fees: true })}`,
    '--view': phrase`A view is a flag: ${invocation('report', [], { fees: true })}, --rates or --minutes.`,
    '--status': phrase`Did you mean ${invocation('report', [], { by: 'status,store' })} or ${invocation('deliveries list', [], { status: 'VALUE' })}?`,
  },
  examples: [
    { command: 'waybill report', summary: 'Count what was delivered today' },
    { command: 'waybill report week --by courier', summary: 'Compare the couriers of a week' },
    {
      command: 'waybill report --since 30d --by store --sort problems',
      summary: 'Show where most failed or were canceled',
    },
    { command: 'waybill report yesterday today --same-time', summary: 'Compare two days until this time' },
    { command: 'waybill report last week --fees --by store', summary: 'Show what was paid, by its kind' },
    {
      command: 'waybill report month --rates --by courier',
      summary: 'Show who declines, fails or is late most',
    },
    { command: 'waybill report month --by customer', summary: 'Show who ordered most' },
    { command: 'waybill report last month --by hour', summary: 'Show the busy hours' },
    { command: 'waybill report yesterday --by reason', summary: 'Show why orders failed' },
    { command: 'waybill report --since 7d --by driver -o csv', summary: 'Export it to a spreadsheet' },
  ],
  columns: reportColumns,
  effect: 'read',
  calls: [
    'reports.get',
    'orders.list',
    'deliveries.list',
    'charges.list',
    'stores.list',
    'stores.get',
    'account.get',
  ],
  answers: ({ each, withFields, listedBy, orNull }) => {
    const period = { 'period?': 'string', from: 'time', to: 'time', time_zone: orNull('string') };
    return [each(withFields(period, listedBy('reports.get')))];
  },
  related: ['today', 'charges list', 'deliveries list'],
  async run(context, { flags, positionals }) {
    const { views, when, by, sort, isSameTime } = readWords(positionals.when, flags);
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const isAlone = (flags.period ?? flags.since ?? flags.until ?? flags.compare) === undefined;
    const asked = { ...flags, when: isSameTime && isAlone ? withCounterpart(when) : when, store };
    const { first, second, listed } = await readSpans(context, asked);
    const isTimed = by.some((group) => group === 'day' || group === 'hour' || group === 'weekday');
    const zone = await dayZone(context, store).catch(() => null);
    const now = context.serviceNow();
    const spans = isSameTime ? untilSameTime(first, second, now, zone) : { first, second };
    const query = {
      ...(by.length === 0 ? {} : { by }),
      store_id: store,
      time_zone: isTimed ? (zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone) : undefined,
    };
    // The service has the most orders first, and rows of times in their order.
    const order = sort ?? (by.includes('reason') && !isTimed ? sortBy('problems') : undefined);
    const reportOf = (span: Span) => fetchReport(client, span, { query, views, order, zone });
    const report = await reportOf(spans.first);
    const { all, rows } = report;
    const reports = [report, ...(spans.second === undefined ? [] : [await reportOf(spans.second)])];
    const isCompared = reports.length > 1;
    const data = isCompared ? rowsByGroup(reports) : rows;
    const isMany = by.includes('customer') || by.includes('address');
    const shown = data.slice(0, flags.limit ?? (isMany ? max_recipients : undefined));
    const neverSent = context.output.json
      ? { count: 0, isCut: false }
      : await neverSentOrders(client, { ...first.created, store_id: store });
    const named = [...(context.output.columns ?? []), sort?.name ?? ''];
    const isOfMoney = views.includes('fees') || named.some((name) => /^(?:other_)?refunds$/.test(name));
    const ofBack = { by, store, listed: isCompared ? null : { ...listed, store: flags.store } };
    const again = flagsBesidePeriods({ ...flags, views, by, sort });
    const givenBack = await Promise.all(
      isOfMoney && !context.output.json ? reports.map((each) => givenBackNotes(client, each, ofBack)) : [],
    );
    const absent = store === undefined && !context.output.json ? await absentNotes(client, by, data) : [];
    const isRead = isForPeople(context.output.format);
    const columns = reportColumnsBy(by, { views, sort: sort?.name, rows: isRead ? data : [] });
    return listResult({
      data: shown,
      columns: isRead ? withNamedColumns(columns, withSibling(sort?.name)) : columns,
      empty: phrase`No deliveries in this period. Choose a longer one: ${invocation('report', [], { since: '7d', store: flags.store })}`,
      notes: () => [
        ...absent,
        ...sortedByNothingNotes(data, sort),
        ...leftOutNotes(shown.length, data, order ?? (isTimed ? undefined : sortBy('orders'))),
        ...givenBack.flat(),
        ...problemNotes(all, views, { ...listed, store: flags.store }),
        ...(by.includes('courier') && all.canceled > 0 && views.length === 0
          ? [canceledNote({ ...listed, store: flags.store })]
          : []),
        ...(isTimed ? [times_of_orders] : []),
        ...(data.some(isDriverOfCourier) ? [drivers_of_couriers] : []),
        ...periodNotes(reports, zone),
        ...(isSameTime ? [] : unevenNotes(reports, { now, zone, flags: again })),
        ...neverSentNotes(neverSent, { ...listed, store: flags.store }),
      ],
      footer: (show) =>
        isCompared
          ? totalsText(reports, views, show)
          : totalText(all, show, { isDivided: rows.length > 1, views }),
    });
  },
});

/** The flags that were typed, without those of the periods. */
function flagsBesidePeriods(typed: {
  views: readonly ReportView[];
  by: readonly string[];
  sort: Sort | undefined;
  store: string | undefined;
  limit: number | undefined;
}): InvocationFlags {
  const { views, by, sort, store, limit } = typed;
  const shown = Object.fromEntries(views.map((view) => [view, true]));
  return { by: by.join(',') || undefined, store, sort: sort?.typed, limit, ...shown };
}

interface ReportQuery {
  query: { by?: ReportGroup[]; store_id: string | undefined; time_zone: string | undefined };
  views: readonly ReportView[];
  order: Sort | undefined;
  zone: string | null;
}

/** The report of a period: the row of all, and those of its groups that have anything, in their order. */
async function fetchReport(client: Client, span: Span, { query, views, order, zone }: ReportQuery) {
  const { created, as_of } = span;
  const { data } = await client.reports.get({ query: { ...created, ...query, as_of } });
  const all: ReportRow = { ...noGroup, ...data.total };
  const counted = data.by.length === 0 ? [all] : data.data.filter((row) => isCounted(row, views));
  const rows = rowsOfPeriod(span, { rows: counted, created_before: data.created_before }, zone);
  return { ...span, all, rows: order === undefined ? rows : rows.sort(columnOrder(order, reportColumns)) };
}

/** What was late, cost more than its quote or ended badly, and how it is listed; not in views of other things. */
function problemNotes(all: ReportRow, views: readonly ReportView[], period: InvocationFlags): Text[] {
  const isOnlyOf = (...others: ReportView[]) =>
    views.length > 0 && views.every((view) => others.includes(view));
  return [
    ...(all.late === 0 || isOnlyOf('fees') ? [] : [lateNote(period)]),
    ...(all.average_wait_minutes === null || !views.includes('minutes') ? [] : [longestWaitNote(period)]),
    ...(all.over_quote === 0 || isOnlyOf('rates', 'minutes') ? [] : [overNote(all, period)]),
    ...(all.failed + all.canceled === 0 || isOnlyOf('fees') ? [] : [endedNote(period)]),
  ];
}

interface AskedPeriod {
  when: string;
  since: Moment | undefined;
  until: Moment | undefined;
  period: TypedPeriod | undefined;
  compare: TypedPeriod | undefined;
  store: string | undefined;
}

/** One period or two, and the first as flags of a list. */
async function readSpans(context: Context, { when, store, ...flags }: AskedPeriod) {
  const [named, other = flags.compare] = readPeriods(when);
  const isNarrowed = named !== undefined && other === undefined && (flags.since ?? flags.until) !== undefined;
  const part = isNarrowed ? partOfDay(named, flags.since?.typed, flags.until?.typed) : null;
  if (when !== '' && (flags.period ?? (part ? undefined : flags.since)) !== undefined)
    throw new UsageError(`Use only one of ${when}, --since and --period: each says when the period begins.`);
  const since = flags.since ?? (named === undefined && when !== '' ? startOf(when) : undefined);
  const isOpen = since !== undefined || flags.until !== undefined;
  const period = flags.period ?? named ?? (isOpen ? undefined : readPeriod('today')) ?? undefined;
  const spanOf = async (whole: TypedPeriod): Promise<Span> => ({
    label: whole.typed,
    created: await wholePeriod(context, whole, store),
  });
  if (part !== null) return { first: await spanOf(part), second: undefined, listed: { period: part.typed } };
  const second = other && (await spanOf(other));
  if (period !== undefined && !isOpen) {
    const first = await spanOf(period);
    if (second !== undefined) requireDifferent(first, second);
    return { first, second, listed: { period: period.typed } };
  }
  const open = { since: since ?? readMoment('today'), until: flags.until, period, store };
  const created = await createdQuery(context, open);
  const first: Span = { label: period?.typed ?? since?.typed ?? 'today', created };
  return { first, second, listed: { since: created.created_after, until: created.created_before } };
}

const sameTimeWords = / ?\b(?:so far|(?:(?:at|until|by) )?(?:the )?(?:same|this) time|until now|to date)\b/i;

/** Reads the views, groups and periods that were typed as flags or words: `report fees yesterday by store`. */
function readWords(
  words: readonly string[],
  flags: Readonly<Record<ReportView | 'sameTime' | 'late', boolean>> & {
    by: readonly string[] | undefined;
    sort: Sort | undefined;
  },
) {
  const text = words.join(' ');
  const [byWords = '', names = ''] = /(?:^| )by ([a-z_]+(?:,[a-z_]+)*)(?= |$)/i.exec(text) ?? [];
  const groups = names.split(',').flatMap((name) => findChoice(name, groupChoices, groupNames) ?? []);
  const isSaid = sameTimeWords.test(text);
  const unread = text.replace(groups.length === 0 ? '' : byWords, '').replace(sameTimeWords, '');
  const viewOf = (word: string) => findChoice(word, reportViews, viewNames) ?? null;
  const rest = unread.split(' ').filter((word) => word !== '');
  const asked = [...(flags.by ?? []), ...groups];
  const views = reportViews.filter(
    (view) =>
      flags[view] ||
      rest.some((word) => viewOf(word) === view) ||
      (view === 'fees' && asked.includes('kind')),
  );
  const others = rest.filter((word) => viewOf(word) === null);
  const isSort = (word: string) => Object.hasOwn(sortColumns, word.toLowerCase());
  const sortWord = flags.late ? 'late' : others.findLast(isSort);
  return {
    views,
    when: others.filter((word) => !isSort(word)).join(' '),
    sort: flags.sort ?? (sortWord === undefined ? undefined : sortBy(sortWord)),
    by: reportGroups.filter((group) => asked.includes(group)),
    isSameTime: flags.sameTime || isSaid,
  };
}

/** Whether a row has anything. Couriers that only quoted are of interest where their quotes are shown. */
function isCounted(row: ReportRow, views: readonly ReportView[]): boolean {
  const { deliveries, orders, late, on_time, courier_prices, adjustments, refunds, total_cost, quotes } = row;
  const isQuoted = views.includes('rates') && quotes !== null && quotes > 0;
  // Charges and refunds may cancel out.
  const counts = [deliveries, orders, late, on_time, courier_prices, adjustments, refunds, total_cost];
  return isQuoted || counts.some((count) => count !== 0);
}

/** The query of a whole period, which the report prints itself. */
function wholePeriod(context: Context, period: TypedPeriod, store: string | undefined) {
  const open = { since: undefined, until: undefined };
  return createdQuery(context, { ...open, period, store, isSaid: true, coming: 'end' });
}

function sortBy(word: string): Sort {
  return readSort(word, reportColumns, { others: sortColumns });
}

/** Says that no row has a value of the column to sort by. */
function sortedByNothingNotes(rows: readonly ShownRow[], sort: Sort | undefined): Text[] {
  if (sort === undefined || rows.length === 0) return [];
  const isNothing = rows.every((row) => isSortedByNothing(sort, reportColumns, row));
  return isNothing ? [noValueText(sort.name)] : [];
}

/** The rows that are left out, and how many of them are equal to the last one by what they are sorted by. */
function leftOutNotes(shown: number, rows: readonly ShownRow[], sort: Sort | undefined): Text[] {
  const all = rows.length;
  const compare = sort && columnOrder(sort, reportColumns);
  const equal = rows.slice(shown).filter((row) => compare?.(rows[shown - 1] ?? row, row) === 0).length;
  const tie = equal === 0 ? '' : `, ${equal} of them with the same value of ${sort?.name} as the last one`;
  return shown === all ? [] : [`${all - shown} more rows${tie}: --limit ${all} shows all.`];
}

/** Names the stores or couriers of the account without a row, in a report by store or by courier. */
async function absentNotes(
  client: Client,
  by: readonly ReportGroup[],
  rows: readonly ShownRow[],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const read = by.includes('store') ? firstRecords(pages(client.stores.list, { limit: 100 })) : null;
  const stores = (read && (await ifSupported(read, null)))?.records ?? [];
  const couriers = by.includes('courier') ? (await client.account.get()).data.providers : [];
  const names = [
    ...stores.filter(({ id }) => !rows.some(({ store_id }) => store_id === id)).map(({ name }) => name),
    ...couriers.filter((name) => !rows.some(({ courier }) => courier === name)),
  ];
  const [text, more] = [oneLine(names.slice(0, max_absent).join(', ')), names.length - max_absent];
  return names.length === 0
    ? []
    : [`No row, as there was nothing: ${text}${more > 0 ? `, ${more} more` : ''}.`];
}

const max_absent = 12;

/** The average hides the longest waits: the command lists them. */
function longestWaitNote(period: InvocationFlags): Text {
  const list = invocation('deliveries list', [], { sort: 'at_store_minutes', ...period });
  return phrase`Who waited longest at a store: ${list}`;
}

/** The charges that no quote had. */
function overNote(all: ReportRow, period: InvocationFlags): Text {
  const kinds = [
    ...(all.return_fees === 0 ? [] : ['return']),
    ...(all.adjustments === 0 ? [] : ['adjustment']),
    ...(all.cancellation_fees === 0 ? [] : ['cancellation']),
  ];
  const kind = kinds.length === 0 ? undefined : kinds.join(',');
  return phrase`What cost more than quoted: ${invocation('charges list', [], { kind, ...period })}`;
}

function lateNote(period: InvocationFlags): Text {
  return phrase`Which were late: ${invocation('deliveries list', [], { late: true, ...period })}`;
}

/** The columns that say who canceled may have no room in a terminal. */
function canceledNote({ period, ...others }: InvocationFlags): Text {
  const flags = { status: 'provider_canceled', ended: period ?? true, ...others };
  return phrase`Canceled are orders, whoever canceled them. What couriers canceled: ${invocation('deliveries list', [], flags)}`;
}

/** A row of a driver that only a courier knows. */
function isDriverOfCourier({
  driver_id,
  driver_name,
}: Pick<ReportRow, 'driver_id' | 'driver_name'>): boolean {
  return driver_id === null && driver_name !== null;
}

const drivers_of_couriers = 'Drivers of couriers are known by name alone: two of one name are one row.';
const times_of_orders = 'Days and hours are those in which the order was created, whenever it arrived.';

/** A note with the command that lists what failed or was canceled in the period, whenever it was ordered. */
function endedNote({ period, ...others }: InvocationFlags): Text {
  const flags = { status: 'failed,canceled', ended: period ?? true, ...others };
  return phrase`Counted by when they were dispatched, or sent again. What failed or was canceled in the period itself: ${invocation('deliveries list', [], flags)}`;
}

/** The first customers or addresses are shown: a month may have thousands. */
const max_recipients = 20;

/** A length of time or an instant. UsageError for any other text. */
function startOf(typed: string): Moment {
  try {
    return readMoment(typed);
  } catch (error) {
    if (error instanceof BadValue) throw new UsageError(`The period ${error.message}.`);
    throw error;
  }
}

interface GivenBack {
  by: readonly ReportGroup[];
  store: string | undefined;
  /** The flags of a list of the period; null where two are compared. */
  listed: InvocationFlags | null;
}

/** All refunds of a period, also those that are taken off the prices, by the store and courier of the rows. */
async function givenBackNotes(
  client: Client,
  { label, created, as_of }: Span,
  { by, store, listed }: GivenBack,
): Promise<Text[]> {
  const query = { ...created, created_before: as_of ?? created.created_before, store_id: store, limit: 100 };
  const { records, isCut } = await firstRecords(pages(client.charges.list, { ...query, kind: ['refund'] }));
  const sums = new Map<string, number>();
  for (const { amount, service, store_name, store_id } of records) {
    const names = [
      ...(by.includes('store') ? [store_name ?? store_id ?? 'no store'] : []),
      ...(by.includes('courier') ? [service] : []),
    ];
    sums.set(names.join(', '), (sums.get(names.join(', ')) ?? 0) - amount);
  }
  if (records.length === 0) return [];
  const total = dollars([...sums.values()].reduce((sum, amount) => sum + amount, 0));
  const parts = sums.has('') ? '' : ` (${amountsText(sums)})`;
  const text = `Given back ${listed === null ? label : 'in the period'}: ${isCut ? 'at least ' : ''}${total}${parts}`;
  if (listed === null) return [`${text}.`];
  const list = invocation('charges list', [], { kind: 'refund', ...listed, all: true });
  return [phrase`${text}: ${list}`];
}

/** How many orders of a period never went to a courier and no longer wait for one; of very many the first are counted. */
async function neverSentOrders(
  client: Client,
  query: NonNullable<NonNullable<Parameters<Client['orders']['list']>[0]>['query']>,
): Promise<{ count: number; isCut: boolean }> {
  const list = pages(client.orders.list, { ...query, status: ['unfulfilled'], limit: 100 });
  const { records, isCut } = await ifSupported(firstRecords(list), { records: [], isCut: false });
  return { count: records.filter(({ delivery_id }) => delivery_id === null).length, isCut };
}

function neverSentNotes(
  { count, isCut }: { count: number; isCut: boolean },
  period: InvocationFlags,
): Text[] {
  if (count === 0) return [];
  const many = isCut ? `At least ${count} orders` : `${count} orders`;
  const list = invocation('orders list', [], { status: 'unfulfilled', ...period });
  return [
    phrase`${count === 1 ? 'One order' : many} of this period never went to a courier, and ${count === 1 ? 'is' : 'are'} not counted: ${list}`,
  ];
}
