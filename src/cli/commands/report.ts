import type { ReportRow } from '../../contract/reports.ts';
import { reportGroups } from '../../contract/vocabulary.ts';
import { choices } from '../kit/args/flags.ts';
import { readMoment } from '../kit/args/time-arguments.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, list, type Show } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';
import { createdFlags, createdQuery } from '../session/listing.ts';

/** Columns of a report; those of groups by which it is not divided are empty. */
const reportColumns: readonly Column<ReportRow>[] = [
  { field: 'courier', header: 'Courier', kind: 'text', unlessEmpty: true },
  { field: 'status', header: 'Status', kind: 'status', unlessEmpty: true },
  {
    field: 'store',
    header: 'Store',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: (row) => row.store_name ?? row.store_id,
  },
  {
    field: 'driver',
    header: 'Driver',
    kind: 'text',
    only: 'people',
    unlessEmpty: true,
    value: (row) => row.driver_name ?? row.driver_id,
  },
  { field: 'store_id', header: 'Store ID', kind: 'text', only: 'programs' },
  { field: 'store_name', header: 'Store name', kind: 'text', only: 'programs' },
  { field: 'driver_id', header: 'Driver ID', kind: 'text', only: 'programs' },
  { field: 'driver_name', header: 'Driver name', kind: 'text', only: 'programs' },
  { field: 'deliveries', header: 'Deliveries', kind: 'count' },
  { field: 'active', header: 'Active', kind: 'count' },
  { field: 'delivered', header: 'Delivered', kind: 'count' },
  { field: 'on_time', header: 'On time', kind: 'count', only: 'programs' },
  { field: 'on_time_share', header: 'On time', kind: 'text', only: 'people', value: onTimeText },
  { field: 'late', header: 'Late', kind: 'count' },
  { field: 'failed', header: 'Failed', kind: 'count' },
  { field: 'canceled', header: 'Canceled', kind: 'count' },
  { field: 'total_cost', header: 'Total', kind: 'money' },
  { field: 'average_cost', header: 'Average', kind: 'money' },
  { field: 'average_minutes', header: 'Minutes', kind: 'count' },
];

export const report = defineCommand({
  name: 'report',
  aliases: ['stats', 'statistics', 'summary'],
  summary: 'Count the deliveries of a period, with their cost and times',
  description: [
    'Counts the deliveries that were dispatched and created in the period, by default today. ON TIME is the part of the',
    'delivered ones that arrived at most 5 min after the promised time; LATE counts those that came later, and those that',
    'are under way and will. TOTAL is the sum of charges and refunds, with tips and fees; AVERAGE is that of a delivered',
    'one. MINUTES is the average from the creation to the arrival, without deliveries that had an agreed time.',
  ].join('\n'),
  flags: {
    ...createdFlags,
    by: choices({
      summary: 'A row for each courier, status, store or own driver, or for each combination',
      choices: reportGroups,
      placeholder: 'GROUPS',
    }),
  },
  examples: [
    { command: 'waybill report', summary: 'Count what was delivered today' },
    { command: 'waybill report --since 7d --by courier', summary: 'Compare the couriers of a week' },
    { command: 'waybill report --since 30d --by store,status', summary: 'Show how each store is doing' },
    { command: 'waybill report --since 7d --by driver -o csv', summary: 'Export it to a spreadsheet' },
  ],
  columns: reportColumns,
  effect: 'read',
  calls: ['reports.get'],
  answers: ({ each }) => [each('reports.get')],
  related: ['today', 'charges list', 'deliveries list'],
  async run(context, { flags: { since, until, by = [] } }) {
    const client = await context.client();
    const period = await createdQuery(context, { since: since ?? readMoment('today'), until });
    const { created_after = '', created_before } = period;
    const { data } = await client.reports.get({
      query: { created_after, created_before, ...(by.length === 0 ? {} : { by }) },
    });
    const all: ReportRow = { ...noGroup, ...data.total };
    return list({
      data: by.length === 0 ? [all] : data.data,
      columns: reportColumns,
      empty: phrase`No deliveries in this period. Choose a longer one: ${invocation('report', [], { since: '7d' })}`,
      foot: (show) => (data.data.length < 2 ? null : totalText(all, show)),
    });
  },
});

const noGroup = {
  ...{ courier: null, status: null, store_id: null, store_name: null },
  ...{ driver_id: null, driver_name: null },
};

function onTimeText({ delivered, on_time }: ReportRow): string | null {
  return delivered === 0 ? null : `${on_time} (${Math.round((100 * on_time) / delivered)}%)`;
}

function totalText(all: ReportRow, show: Show): string {
  const { deliveries, delivered, total_cost, average_cost } = all;
  const counts = `${deliveries} deliveries, ${delivered} delivered`;
  const onTime = delivered === 0 ? '' : `, ${onTimeText(all)} on time`;
  const average = average_cost === null ? '' : `, ${show.money(average_cost)} on average`;
  return `${show.strong('Total')}: ${counts}${onTime}, ${show.money(total_cost)}${average}`;
}
