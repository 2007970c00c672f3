/** The rows of a report as they are shown: their columns, and the sentences of a total. */
import type { ReportRow } from '../../contract/accounting.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { type Sort, sortNames } from '../../domain/report-words.ts';
import { wrapped } from '../kit/output/terminal-lines.ts';
import { type Column, type Formatters, toCell } from '../kit/result/result.ts';

/** The flags that sort by it, by any of its names. */
function asked(sort: Sort): string[] {
  return [sort, ...(sortNames[sort]?.split(' ') ?? [])].map((name) => `sort=${name}`);
}

/** A row, with its period where two are compared. */
export type ShownRow = ReportRow & { period?: string };

/** Columns of a report; those of groups by which it is not divided are empty. */
export const reportColumns: readonly Column<ShownRow>[] = [
  { field: 'period', header: 'Period', kind: 'text', unlessEmpty: true },
  {
    field: 'date',
    header: 'Day',
    kind: 'day',
    only: 'people',
    unlessEmpty: true,
    value: ({ day }) => day,
  },
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
  { field: 'customer_name', header: 'Customer', kind: 'text', unlessEmpty: true },
  {
    field: 'contact',
    header: 'Contact',
    spare: 6,
    kind: 'email',
    only: 'people',
    unlessEmpty: true,
    value: ({ customer_contact: contact }) => (contact?.includes('@') ? contact : null),
  },
  {
    field: 'contact',
    header: 'Phone',
    spare: 6,
    kind: 'phone',
    only: 'people',
    unlessEmpty: true,
    value: ({ customer_contact: contact }) => (contact?.includes('@') ? null : contact),
  },
  { field: 'customer_contact', header: 'Contact', kind: 'text', only: 'programs' },
  { field: 'address', header: 'Address', kind: 'text', unlessEmpty: true },
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
  { field: 'deliveries', header: 'Tries', kind: 'count', spare: 3, askedBy: asked('tries') },
  ...withPart('active', 'Under way', ['scheduled', 'scheduled'])
    .slice(0, 2)
    .map((column) => ({ ...column, spare: 4, askedBy: asked('active') })),
  { field: 'delivered', header: 'Delivered', kind: 'count' },
  { field: 'on_time', header: 'On time', kind: 'count', only: 'programs' },
  { field: 'on_time_share', header: 'On time', kind: 'text', only: 'people', value: onTimeText, spare: 6 },
  ...withPart('late', 'Late', ['late_active', 'under way']),
  ...withPart('failed', 'Failed', ['returning', 'going back']),
  { field: 'canceled', header: 'Canceled', kind: 'count' },
  {
    field: 'lost_tries',
    header: 'Lost tries',
    kind: 'count',
    only: 'people',
    unlessEmpty: true,
    spare: 5,
    value: (row) => (row.courier === null ? null : lostTries(row) || null),
  },
  {
    field: 'of_these',
    header: 'Of these',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: lostTriesText,
    spare: 2,
  },
  { field: 'total_cost', header: 'Total', kind: 'money' },
  { field: 'average_cost', header: 'Each delivered', kind: 'money', spare: 2, askedBy: asked('each') },
  { field: 'average_minutes', header: 'Minutes', kind: 'count', spare: 3, askedBy: asked('minutes') },
  {
    field: 'tips',
    header: 'Tips',
    kind: 'money',
    only: 'people',
    unlessEmpty: true,
    spare: 1,
  },
  { field: 'order_value', header: 'Goods', kind: 'money', spare: 2, askedBy: asked('value') },
  ...(
    [
      ['delivered_value', 'Goods delivered', 'money'],
      ['quoted_cost', 'Quoted', 'money'],
      ['quoted_difference', 'Over quotes', 'money'],
      ['average_late_minutes', 'Late by', 'count', asked('delay')],
      ['average_pickup_minutes', 'To pickup', 'count'],
    ] as const
  ).map(
    ([field, header, kind, askedBy = []]): Column<ShownRow> => ({ field, header, kind, askedBy, wide: true }),
  ),
  ...(['people', 'programs'] as const).map((only): Column<ShownRow> => {
    const wait = { field: 'average_wait_minutes', header: 'At store', kind: 'count', wide: true } as const;
    // Only some couriers report their arrival at the store.
    const value = ({ average_wait_minutes: minutes }: ShownRow) => minutes ?? 'not reported';
    return { ...wait, only, askedBy: asked('wait'), ...(only === 'people' && { value }) };
  }),
  {
    field: 'pickup_to_arrival',
    header: 'Pickup to arrival',
    kind: 'count',
    only: 'people',
    wide: true,
    askedBy: asked('driving'),
    value: drivingMinutes,
  },
  ...(
    [
      ...(['tips', 'average_tip', 'scheduled', 'declined', 'dropped', 'failed_tries'] as const),
      ...(['day', 'weekday', 'hour'] as const),
    ] as const
  ).map((field): Column<ShownRow> => {
    const kind =
      field === 'weekday' || field === 'day'
        ? 'text'
        : field === 'tips' || field === 'average_tip'
          ? 'money'
          : 'count';
    return { field, header: field, kind, only: 'programs' };
  }),
];

/** The columns of a report that is divided by these groups: `no driver` where a row has none. */
export function reportColumnsBy(groups: readonly string[]): readonly Column<ShownRow>[] {
  return reportColumns.map((column) => {
    const group = column.field === 'why' ? 'reason' : column.field;
    const isNamed = column.only === 'people' && ['store', 'driver', 'reason'].includes(group);
    if (!isNamed || !groups.includes(group)) return column;
    return { ...column, value: (row: ShownRow) => toCell(column, row) ?? `no ${group}` };
  });
}

/** The minutes from the pickup to the arrival: both averages are of the same deliveries. */
export function drivingMinutes({ average_minutes: all, average_pickup_minutes: before }: ReportRow) {
  return all === null || before === null ? null : Math.round(10 * (all - before)) / 10;
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

/** A code in words, or the reason of a cancellation. */
function reasonText({ reason }: ReportRow): string | null {
  return Object.entries(failureMessages).find(([code]) => code === reason)?.[1] ?? reason;
}

function onTimeText({ on_time, late, late_active }: ReportRow): string | null {
  const arrived = on_time + late - late_active;
  return arrived === 0 ? null : `${on_time}/${arrived} (${Math.round((100 * on_time) / arrived)}%)`;
}

interface TotalOptions {
  label?: string;
  /** Whether the rows are parts of the total; a single one has its counts. */
  isDivided?: boolean;
}

export function totalText(
  all: ReportRow,
  show: Formatters,
  { label = 'Total', isDivided = true }: TotalOptions,
): string {
  const { orders, deliveries, delivered, total_cost, average_cost, average_minutes } = all;
  const tries = deliveries === orders ? '' : ` in ${deliveries} ${deliveries === 1 ? 'try' : 'tries'}`;
  const counts = `${orders} ${orders === 1 ? 'order' : 'orders'}${tries}, ${delivered} delivered`;
  const onTime = onTimeText(all) === null ? '' : `, ${onTimeText(all)} on time`;
  const average = average_cost === null ? '' : `; what was delivered cost ${show.money(average_cost)} each`;
  const total = `${show.strong(label)}: ${counts}${onTime}, ${show.money(total_cost)}${average}`;
  const difference = all.quoted_difference;
  const charged = `${show.money(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} was`;
  const averages = [
    ...(average_minutes === null ? [] : [`${average_minutes} min to the arrival`]),
    ...(all.average_pickup_minutes === null ? [] : [`${all.average_pickup_minutes} to the pickup`]),
    ...(all.average_wait_minutes === null ? [] : [`${all.average_wait_minutes} at the store`]),
    ...(all.average_late_minutes === null ? [] : [`the late ones ${all.average_late_minutes} late`]),
  ];
  const goods = `goods of ${show.money(all.order_value)}, ${show.money(all.delivered_value)} delivered`;
  const facts = [
    ...(all.order_value === 0 ? [] : [goods]),
    ...(delivered === 0
      ? []
      : [
          `quotes of ${show.money(all.quoted_cost)} for the delivered ones, and ${difference === 0 ? 'as much was' : charged} charged for them`,
        ]),
    ...(averages.length === 0 ? [] : [`on average ${averages.join(', ')}`]),
  ];
  const more = facts.map((fact) => `${fact.replace(/^./, (letter) => letter.toUpperCase())}.`);
  const lines = [...(isDivided ? [total] : []), ...more];
  return lines.map((line) => (show.room === null ? line : wrapped(line, show.room))).join('\n');
}

type PeriodTotal = readonly [typed: string, total: ReportRow];

export function totalsText(first: PeriodTotal, second: PeriodTotal, show: Formatters): string {
  const lines = [first, second].map(([label, total]) => totalText(total, show, { label }));
  const note = 'A period that has not ended is counted until now.';
  return [...lines, show.room === null ? note : wrapped(note, show.room)].join('\n');
}
