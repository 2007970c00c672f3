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

/** A column, and the views that have it. */
type ReportColumn = Column<ShownRow> & { views?: readonly ReportView[] };

/** A column of texts for people, which is left out where no row has one. */
function forPeople(
  field: string,
  header: string,
  kind: ColumnKind,
  value: (row: ShownRow) => CellValue,
): Column<ShownRow> {
  return { field, header, kind, value, only: 'people', unlessEmpty: true };
}

/** The groups of a row; those by which it is not divided are empty. */
const groupColumns: readonly Column<ShownRow>[] = [
  { field: 'period', header: 'Period', kind: 'text', unlessEmpty: true },
  ...(['from', 'to', 'time_zone'] as const).flatMap((field): Column<ShownRow>[] => {
    const kind = field === 'time_zone' ? 'text' : 'instant';
    const header = { from: 'From', to: 'To', time_zone: 'Time zone' }[field];
    const column = { field, header, kind, zone: ({ time_zone }: ShownRow) => time_zone } as const;
    return [
      { ...column, only: 'people', wide: true },
      { ...column, only: 'programs' },
    ];
  }),
  forPeople('date', 'Day', 'day', ({ day }) => day),
  forPeople(
    'on',
    'Weekday',
    'text',
    ({ weekday }) => weekday && `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}`,
  ),
  forPeople('at', 'Hour', 'text', ({ hour }) =>
    hour === null ? null : `${String(hour).padStart(2, '0')}:00`,
  ),
  { field: 'customer_name', header: 'Customer', kind: 'text', unlessEmpty: true },
  {
    ...forPeople('contact', 'Contact', 'email', ({ customer_contact: contact }) =>
      contact?.includes('@') ? contact : null,
    ),
    spare: 6,
  },
  {
    ...forPeople('contact', 'Phone', 'phone', ({ customer_contact: contact }) =>
      contact?.includes('@') ? null : contact,
    ),
    spare: 6,
  },
  { field: 'customer_contact', header: 'Contact', kind: 'text', only: 'programs' },
  { field: 'address', header: 'Address', kind: 'text', unlessEmpty: true },
  { field: 'zip', header: 'ZIP', kind: 'text', unlessEmpty: true },
  { field: 'courier', header: 'Courier', kind: 'text', unlessEmpty: true, isName: true },
  { field: 'status', header: 'Status', kind: 'status', unlessEmpty: true },
  { ...forPeople('store', 'Store', 'text', (row) => row.store_name ?? row.store_id), isName: true },
  { ...forPeople('driver', 'Driver', 'text', (row) => row.driver_name ?? row.driver_id), isName: true },
  { ...forPeople('why', 'Reason', 'text', reasonText), prose: true },
  { field: 'store_id', header: 'Store ID', kind: 'text', only: 'programs' },
  { field: 'store_name', header: 'Store name', kind: 'text', only: 'programs' },
  { field: 'driver_id', header: 'Driver ID', kind: 'text', only: 'programs' },
  { field: 'driver_name', header: 'Driver name', kind: 'text', only: 'programs' },
  { field: 'reason', header: 'Reason', kind: 'text', only: 'programs' },
];

const countColumns: readonly ReportColumn[] = [
  { field: 'orders', header: 'Orders', kind: 'count', views: ['fees', 'rates', 'minutes'] },
  {
    field: 'deliveries',
    header: 'Tries',
    kind: 'count',
    spare: 2,
    askedBy: ['by=reason'],
    views: ['rates'],
  },
  ...withPart('active', 'Under way', ['scheduled', 'scheduled'])
    .slice(0, 2)
    .map((column) => ({ ...column, spare: 3 })),
  { field: 'delivered', header: 'Delivered', kind: 'count', views: ['minutes'] },
  { field: 'on_time', header: 'On time', kind: 'count', only: 'programs' },
  {
    field: 'on_time_percent',
    header: 'On time',
    kind: 'text',
    only: 'people',
    value: onTimeText,
    spare: 6,
    views: ['rates'],
  },
  ...withPart('late', 'Late', ['late_active', 'under way']),
  ...withPart('failed', 'Failed', ['returning', 'going back']),
  { field: 'canceled', header: 'Canceled', kind: 'count' },
  {
    ...forPeople('lost_tries', 'Lost tries', 'count', (row) =>
      row.courier === null ? null : lostTries(row) || null,
    ),
    spare: 5,
  },
  {
    ...forPeople('problems', 'Problems', 'count', ({ failed, canceled }) => failed + canceled),
    wide: true,
  },
  { ...forPeople('of_these', 'Of these', 'text', lostTriesText), spare: 2 },
];

const moneyColumns: readonly ReportColumn[] = [
  ...(
    [
      ['courier_prices', 'Courier prices'],
      ['service_fees', 'Service fees'],
      ['return_fees', 'Ways back'],
      ['cancellation_fees', 'Cancellations'],
      ['adjustments', 'Adjustments'],
      ['refunds', 'Refunds'],
    ] as const
  ).map(([field, header]): ReportColumn => ({ field, header, kind: 'money', wide: true, views: ['fees'] })),
  { field: 'total_cost', header: 'Total', kind: 'money', views: ['fees'] },
  { field: 'average_cost', header: 'Each delivered', kind: 'money', spare: 5 },
  {
    field: 'average_minutes',
    header: 'Minutes',
    kind: 'count',
    spare: 4,
    views: ['minutes'],
  },
  {
    field: 'tips',
    header: 'Tips',
    kind: 'money',
    only: 'people',
    unlessEmpty: true,
    spare: 1,
    views: ['fees'],
  },
  {
    ...forPeople('average_tip', 'Average tip', 'money', (row) => row.average_tip),
    ...{ wide: true, spare: 1, views: ['fees'] },
  },
  { field: 'order_value', header: 'Order value', kind: 'money', spare: 1 },
  { field: 'delivered_value', header: 'Delivered value', kind: 'money', spare: 1 },
  ...(
    [
      ['quoted_cost', 'Quoted', 'money'],
      ['quoted_difference', 'Over quotes', 'money'],
      ['over_quote', 'Dearer orders', 'count', 1, 'fees'],
      ['over_quote_cost', 'Dearer by', 'money', 2, 'fees'],
      ['average_late_minutes', 'Late by', 'count', 2, 'minutes'],
      ['average_assign_minutes', 'To driver', 'count', 4, 'minutes'],
      ['average_pickup_minutes', 'To pickup', 'count', 5, 'minutes'],
    ] as const
  ).map(
    ([field, header, kind, spare = 1, view = undefined]): ReportColumn => ({
      ...{ field, header, kind, spare, wide: true },
      views: view === undefined ? [] : [view],
    }),
  ),
  ...(['people', 'programs'] as const).map((only): ReportColumn => {
    const wait = { field: 'average_wait_minutes', header: 'At store', kind: 'count', wide: true } as const;
    // Only some couriers report their arrival at the store.
    const value = ({ average_wait_minutes: minutes }: ShownRow) => minutes ?? 'not reported';
    const asking = { views: ['minutes'], spare: 1 } as const;
    return { ...wait, ...asking, only, ...(only === 'people' && { value }) };
  }),
  {
    field: 'average_driving_minutes',
    header: 'Pickup to arrival',
    kind: 'count',
    wide: true,
    spare: 3,
    views: ['minutes'],
  },
  ...(
    [
      ['median_minutes', 'Median'],
      ['shortest_minutes', 'Fastest'],
      ['longest_minutes', 'Slowest'],
    ] as const
  ).map(
    ([field, header]): ReportColumn => ({ field, header, kind: 'count', wide: true, views: ['minutes'] }),
  ),
];

/** Parts in percent: people read the counts beside them. The counts have the headings without `%`. */
const shareColumns: readonly ReportColumn[] = [
  ...Object.entries(shares).flatMap(([name, { header, of }]): ReportColumn[] => {
    const column = { header: `${header} %`, wide: true, views: ['rates'] } as const;
    const forPeople: ReportColumn = {
      ...{ ...column, field: `${name}_percent`, kind: 'text', only: 'people', unlessEmpty: true },
      value: (row) => shareText(of(row)),
    };
    const forPrograms: ReportColumn = {
      ...{ ...column, field: `${name}_percent`, kind: 'count', only: 'programs' },
      value: (row) => percentOf(of(row)),
    };
    // That of what is on time stands among the counts.
    return name === 'on_time' ? [forPrograms] : [forPeople, forPrograms];
  }),
  {
    field: 'average_quote',
    header: 'Average quote',
    kind: 'money',
    wide: true,
    unlessEmpty: true,
    views: ['rates'],
  },
  ...(['quotes', 'quotes_taken'] as const).map(
    (field): ReportColumn => ({
      ...{ field, header: field, kind: 'count', only: 'programs', views: ['rates'] },
    }),
  ),
];

const programColumns = (
  [
    ...(['tips', 'average_tip'] as const),
    ...(['scheduled', 'declined', 'dropped', 'failed_tries'] as const),
  ] as const
).map((field): ReportColumn => {
  const isMoney = field === 'tips' || field === 'average_tip';
  const isRate = field === 'declined' || field === 'dropped';
  const views = isMoney ? (['fees'] as const) : isRate ? (['rates'] as const) : [];
  return { field, header: field, kind: isMoney ? 'money' : 'count', only: 'programs', views };
});

const timeColumns = (['day', 'weekday', 'hour'] as const).map(
  (field): Column<ShownRow> => ({
    ...{ field, header: field, kind: field === 'hour' ? 'count' : 'text', only: 'programs' },
  }),
);

const valueColumns = [...countColumns, ...moneyColumns, ...shareColumns, ...programColumns];
export const reportColumns = [...groupColumns, ...valueColumns, ...timeColumns];

interface Shown {
  views: readonly ReportView[];
  /** The column by which the rows are sorted. */
  sort: string | undefined;
  /** Rows for people: amounts that are 0 in all of them are left out of a view. */
  rows: readonly ShownRow[];
}

/** The columns of a report that is divided by these groups: `no driver` where a row has none. */
export function reportColumnsBy(groups: readonly string[], shown: Shown): readonly Column<ShownRow>[] {
  const columns = shown.views.length === 0 ? reportColumns : columnsOfViews(shown);
  return columns.map((plain) => {
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
): Column<ShownRow>[] {
  return [
    {
      field,
      header,
      kind: 'count',
      only: 'people',
      value: (row) => (row[part] > 0 ? `${row[field]} (${row[part]} ${words})` : row[field]),
    },
    { field, header, kind: 'count', only: 'programs' },
    { field: part, header: `${header} ${words}`, kind: 'count', only: 'programs' },
  ];
}

/** What was reported, if it fits; else a code in words, or the reason of a cancellation. Earlier versions report nothing. */
function reasonText({ reason, reason_messages: messages = [] }: ReportRow): string | null {
  if (messages.length > 0 && messages.length < max_reason_messages) return messages.join('; ');
  return Object.entries(failureMessages).find(([code]) => code === reason)?.[1] ?? reason;
}

function onTimeText(row: ReportRow): string | null {
  return shareText(shares.on_time.of(row));
}
