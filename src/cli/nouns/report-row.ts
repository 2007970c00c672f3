/** The rows of a report as they are shown. */
import type { ReportRow } from '../../contract/accounting.ts';
import { max_reason_messages } from '../../contract/vocabulary.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import type { ReportView } from '../../domain/report-words.ts';
import { type CellValue, type Column, type ColumnKind, toCell } from '../kit/result/result.ts';

type Share = readonly [part: number, whole: number];

export const shares = {
  declined: {
    header: 'Declined',
    of: ({ declined, deliveries }: ReportRow): Share => [declined, deliveries],
  },
  delivered: { header: 'Delivered', of: ({ delivered, orders }: ReportRow): Share => [delivered, orders] },
  on_time: {
    header: 'On time',
    of: ({ on_time, late, late_active }: ReportRow): Share => [on_time, on_time + late - late_active],
  },
  failed: { header: 'Failed', of: ({ failed, orders }: ReportRow): Share => [failed, orders] },
  canceled: { header: 'Canceled', of: ({ canceled, orders }: ReportRow): Share => [canceled, orders] },
  chosen: {
    header: 'Chosen',
    of: ({ quotes, quotes_taken }: ReportRow): Share => [quotes_taken ?? 0, quotes ?? 0],
  },
};

/** In percent, with one decimal; null of nothing. */
function percentOf([part, whole]: Share): number | null {
  return whole === 0 ? null : Math.round((1000 * part) / whole) / 10;
}

/** `6/105 (5.7%)` */
export function shareText([part, whole]: Share): string | null {
  const percent = percentOf([part, whole]);
  if (percent === null) return null;
  return `${part}/${whole} (${percent < 10 || percent > 99 ? percent : Math.round((100 * part) / whole)}%)`;
}

/** A row with the bounds of its period, of which the end is no part of it, and its name where two are compared. */
export type ShownRow = ReportRow & PeriodOfRow;
interface PeriodOfRow {
  period?: string;
  from: string;
  to: string;
  /** The zone whose days are counted; null: unknown. */
  time_zone: string | null;
}

/**
 * A column, and the views that have it. A table without room leaves out the lowest `spare` first: tips and values, then
 * tries, minutes, costs, the part on time, what is under way, and last the contact. Those without one stay.
 */
type ReportColumn = Column<ShownRow> & { views?: readonly ReportView[] };

/** Everything of a column but its name, heading, kind and value. */
type Rest = Omit<ReportColumn, 'field' | 'header' | 'kind' | 'value'>;

/** A column of a field of the row. */
function column(field: keyof ShownRow, header: string, kind: ColumnKind, rest: Rest = {}): ReportColumn {
  return { field, header, kind, ...rest };
}

/** A column of what is worked out of the row. */
function valueColumn(
  field: string,
  header: string,
  kind: ColumnKind,
  value: (row: ShownRow) => CellValue,
  rest: Rest,
): ReportColumn {
  return { field, header, kind, value, ...rest };
}

/** A column of texts for people, which is left out where no row has one. */
function forPeople(
  field: string,
  header: string,
  kind: ColumnKind,
  value: (row: ShownRow) => CellValue,
  rest: Rest = {},
): ReportColumn {
  return valueColumn(field, header, kind, value, { only: 'people', unlessEmpty: true, ...rest });
}

/** A field that people read elsewhere, or in other words. */
function forPrograms(field: keyof ShownRow, header: string, kind: ColumnKind, rest: Rest = {}): ReportColumn {
  return column(field, header, kind, { only: 'programs', ...rest });
}

/** A bound of the period: people see it in a wide table only. */
function boundColumns(field: 'from' | 'to' | 'time_zone', header: string, kind: ColumnKind): ReportColumn[] {
  const zone = ({ time_zone }: ShownRow) => time_zone;
  return [
    column(field, header, kind, { zone, only: 'people', wide: true }),
    column(field, header, kind, { zone, only: 'programs' }),
  ];
}

/** The groups of a row; those by which it is not divided are empty. */
const groupColumns: readonly ReportColumn[] = [
  column('period', 'Period', 'text', { unlessEmpty: true }),
  ...boundColumns('from', 'From', 'instant'),
  ...boundColumns('to', 'To', 'instant'),
  ...boundColumns('time_zone', 'Time zone', 'text'),
  forPeople('date', 'Day', 'day', ({ day }) => day),
  forPeople('on', 'Weekday', 'text', weekdayText),
  forPeople('at', 'Hour', 'text', hourText),
  column('customer_name', 'Customer', 'text', { unlessEmpty: true }),
  forPeople('contact', 'Contact', 'email', (row) => (hasEmail(row) ? row.customer_contact : null), {
    spare: 8,
  }),
  forPeople('contact', 'Phone', 'phone', (row) => (hasEmail(row) ? null : row.customer_contact), {
    spare: 8,
  }),
  forPrograms('customer_contact', 'Contact', 'text'),
  column('address', 'Address', 'text', { unlessEmpty: true }),
  column('zip', 'ZIP', 'text', { unlessEmpty: true }),
  column('courier', 'Courier', 'text', { unlessEmpty: true, isName: true }),
  column('status', 'Status', 'status', { unlessEmpty: true }),
  forPeople('store', 'Store', 'text', (row) => row.store_name ?? row.store_id, { isName: true }),
  forPeople('driver', 'Driver', 'text', (row) => row.driver_name ?? row.driver_id, { isName: true }),
  forPeople('why', 'Reason', 'text', reasonText, { prose: true }),
  forPrograms('store_id', 'Store ID', 'text'),
  forPrograms('store_name', 'Store name', 'text'),
  forPrograms('driver_id', 'Driver ID', 'text'),
  forPrograms('driver_name', 'Driver name', 'text'),
  forPrograms('reason', 'Reason', 'text'),
];

const countColumns: readonly ReportColumn[] = [
  column('orders', 'Orders', 'count', { views: ['fees', 'rates', 'minutes'] }),
  column('deliveries', 'Tries', 'count', { spare: 2, askedBy: ['by=reason'], views: ['rates'] }),
  valueColumn('active', 'Under way', 'count', (row) => countText(row.active, row.scheduled, 'scheduled'), {
    only: 'people',
    spare: 7,
  }),
  forPrograms('active', 'Under way', 'count', { spare: 7 }),
  column('delivered', 'Delivered', 'count', { views: ['minutes'] }),
  forPrograms('on_time', 'On time', 'count'),
  valueColumn('on_time_percent', 'On time', 'text', (row) => shareText(shares.on_time.of(row)), {
    only: 'people',
    spare: 6,
    views: ['rates'],
  }),
  valueColumn('late', 'Late', 'count', (row) => countText(row.late, row.late_active, 'under way'), {
    only: 'people',
  }),
  forPrograms('late', 'Late', 'count'),
  forPrograms('late_active', 'Late under way', 'count'),
  valueColumn('failed', 'Failed', 'count', (row) => countText(row.failed, row.returning, 'going back'), {
    only: 'people',
  }),
  forPrograms('failed', 'Failed', 'count'),
  forPrograms('returning', 'Failed going back', 'count'),
  column('canceled', 'Canceled', 'count'),
  forPeople('lost_tries', 'Lost tries', 'count', (row) => lostTries(row) || null, { spare: 5 }),
  forPeople('of_these', 'Of these', 'text', lostTriesText, { spare: 2 }),
  forPeople('problems', 'Problems', 'count', ({ failed, canceled }) => failed + canceled, { wide: true }),
];

/** Columns that a view has, and other tables only where they are wide. */
const ofFees: Rest = { wide: true, views: ['fees'] };
const ofMinutes: Rest = { wide: true, views: ['minutes'] };

const moneyColumns: readonly ReportColumn[] = [
  column('courier_prices', 'Courier prices', 'money', ofFees),
  column('service_fees', 'Service fees', 'money', ofFees),
  column('return_fees', 'Ways back', 'money', ofFees),
  column('cancellation_fees', 'Cancellations', 'money', ofFees),
  column('adjustments', 'Adjustments', 'money', ofFees),
  column('refunds', 'Other refunds', 'money', ofFees),
  column('total_cost', 'Total', 'money', { views: ['fees'] }),
  column('average_cost', 'Each delivered', 'money', { spare: 4 }),
  column('average_minutes', 'Minutes', 'count', { spare: 3, views: ['minutes'] }),
  column('tips', 'Tips', 'money', { only: 'people', unlessEmpty: true, spare: 1, views: ['fees'] }),
  forPeople('average_tip', 'Average tip', 'money', (row) => row.average_tip, { ...ofFees, spare: 1 }),
  column('order_value', 'Order value', 'money', { spare: 1 }),
  column('delivered_value', 'Delivered value', 'money', { spare: 1 }),
  column('quoted_cost', 'Quoted', 'money', { wide: true, spare: 1 }),
  column('quoted_difference', 'Over quotes', 'money', { wide: true, spare: 1 }),
  column('over_quote', 'Dearer orders', 'count', { ...ofFees, spare: 1 }),
  column('over_quote_cost', 'Dearer by', 'money', { ...ofFees, spare: 2 }),
  column('average_late_minutes', 'Late by', 'count', { ...ofMinutes, spare: 2 }),
  column('average_assign_minutes', 'To driver', 'count', { ...ofMinutes, spare: 4 }),
  column('average_pickup_minutes', 'To pickup', 'count', { ...ofMinutes, spare: 5 }),
  // Only some couriers report their arrival at the store.
  valueColumn(
    'average_wait_minutes',
    'At store',
    'count',
    (row) => row.average_wait_minutes ?? 'not reported',
    { ...ofMinutes, only: 'people', spare: 1 },
  ),
  column('waited', 'Reported it', 'count', { ...ofMinutes, spare: 1 }),
  forPrograms('average_wait_minutes', 'At store', 'count', { ...ofMinutes, spare: 1 }),
  column('average_driving_minutes', 'Pickup to arrival', 'count', { ...ofMinutes, spare: 3 }),
  column('median_minutes', 'Median', 'count', ofMinutes),
  column('shortest_minutes', 'Fastest', 'count', ofMinutes),
  column('longest_minutes', 'Slowest', 'count', ofMinutes),
];

/** Parts in percent: people read the counts beside them. The counts have the headings without `%`. */
const shareColumns: readonly ReportColumn[] = [
  ...Object.entries(shares).flatMap(([name, { header, of }]): ReportColumn[] => {
    const field = `${name}_percent`;
    const rest: Rest = { wide: true, views: ['rates'] };
    const programs = valueColumn(field, `${header} %`, 'count', (row) => percentOf(of(row)), {
      ...rest,
      only: 'programs',
    });
    // That of what is on time stands among the counts.
    if (name === 'on_time') return [programs];
    return [forPeople(field, `${header} %`, 'text', (row) => shareText(of(row)), rest), programs];
  }),
  column('average_quote', 'Average quote', 'money', { wide: true, unlessEmpty: true, views: ['rates'] }),
  forPrograms('quotes', 'quotes', 'count', { views: ['rates'] }),
  forPrograms('quotes_taken', 'quotes_taken', 'count', { views: ['rates'] }),
];

const programColumns: readonly ReportColumn[] = [
  forPrograms('tips', 'tips', 'money', { views: ['fees'] }),
  forPrograms('average_tip', 'average_tip', 'money', { views: ['fees'] }),
  forPrograms('scheduled', 'scheduled', 'count'),
  forPrograms('declined', 'declined', 'count', { views: ['rates'] }),
  forPrograms('dropped', 'dropped', 'count', { views: ['rates'] }),
  forPrograms('failed_tries', 'failed_tries', 'count'),
];

const timeColumns: readonly ReportColumn[] = [
  forPrograms('day', 'day', 'text'),
  forPrograms('weekday', 'weekday', 'text'),
  forPrograms('hour', 'hour', 'count'),
];

const valueColumns = [...countColumns, ...moneyColumns, ...shareColumns, ...programColumns];
export const reportColumns = [...groupColumns, ...valueColumns, ...timeColumns];

/** What only couriers are compared by. */
const courierColumns = ['lost_tries', 'of_these'];

/** Columns of which each is read beside the other. */
const siblings = [['order_value', 'delivered_value']];

/** The column of a sort with those that are read beside it: no table leaves them out. */
export function withSibling(name = ''): readonly string[] {
  return siblings.find((each) => each.includes(name)) ?? [name];
}

interface Shown {
  views: readonly ReportView[];
  /** The column by which the rows are sorted. */
  sort: string | undefined;
  /** Rows for people: amounts that are 0 in all of them are left out of a view. */
  rows: readonly ShownRow[];
}

/** The columns of a report that is divided by these groups: `no driver` where a row has none. */
export function reportColumnsBy(groups: readonly string[], shown: Shown): readonly Column<ShownRow>[] {
  const isOfCouriers = groups.includes('courier');
  const isOfGroups = ({ field }: ReportColumn) => isOfCouriers || !courierColumns.includes(field);
  const columns = (shown.views.length === 0 ? reportColumns : columnsOfViews(shown)).filter(isOfGroups);
  const isCompared = shown.rows[0]?.period !== undefined;
  return columns.map((plain) => {
    if (plain.field === 'period' && isCompared) return { ...plain, isKept: true };
    const group = plain.field === 'why' ? 'reason' : plain.field;
    const column: Column<ShownRow> = groups.includes(group) ? { ...plain, isRowName: true } : plain;
    const isNamed = column.only === 'people' && ['store', 'driver', 'reason'].includes(group);
    if (!isNamed || !groups.includes(group)) return column;
    return { ...column, value: (row: ShownRow) => toCell(column, row) ?? `no ${group}` };
  });
}

/** The columns of views, and that by which the rows are sorted. */
function columnsOfViews({ views, sort, rows }: Shown): readonly ReportColumn[] {
  const isAsked = (column: ReportColumn) =>
    column.field === sort || views.some((view) => column.views?.includes(view));
  const isZero = ({ field }: ReportColumn) =>
    rows.length > 0 && rows.every((row) => Reflect.get(row, field) === 0);
  const columns = valueColumns
    .filter((column) => isAsked(column) && !isZero(column))
    .map(({ wide: _, ...column }) => column);
  return [...groupColumns, ...columns, ...timeColumns];
}

/** The deliveries that a courier did not carry to the end, also where another one did. */
function lostTries({ declined, dropped, failed_tries }: ReportRow): number {
  return declined + dropped + failed_tries;
}

/** `2 declined, 1 canceled` */
function lostTriesText({ declined, dropped, failed_tries }: ReportRow): string | null {
  const parts = [`${declined} declined`, `${dropped} canceled`, `${failed_tries} failed`];
  const found = parts.filter((part) => !part.startsWith('0 '));
  return found.length === 0 ? null : found.join(', ');
}

/** A count with the part of it that people want to know of, if any: `3 (1 under way)`. */
function countText(count: number, part: number, words: string): CellValue {
  return part > 0 ? `${count} (${part} ${words})` : count;
}

function weekdayText({ weekday }: ReportRow): string | null {
  return weekday && `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}`;
}

function hourText({ hour }: ReportRow): string | null {
  return hour === null ? null : `${String(hour).padStart(2, '0')}:00`;
}

/** The contact of a customer is an e-mail address or a phone number. */
function hasEmail({ customer_contact: contact }: ReportRow): boolean {
  return contact?.includes('@') === true;
}

/** What was reported, if it fits; else a code in words, or the reason of a cancellation. Earlier versions report nothing. */
function reasonText({ reason, reason_messages: messages = [] }: ReportRow): string | null {
  if (messages.length > 0 && messages.length < max_reason_messages) return messages.join('; ');
  return Object.entries(failureMessages).find(([code]) => code === reason)?.[1] ?? reason;
}
