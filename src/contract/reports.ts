import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Instant, Nullable, Several, Type } from './schema.ts';
import { deliveryStatuses, reportGroups } from './vocabulary.ts';

/** The longest period of a report, in days. */
export const max_report_days = 366;

const counts = {
  deliveries: Count({ description: 'All deliveries that were dispatched' }),
  active: Count({ description: 'Those that are under way' }),
  delivered: Count({ description: 'Those that were delivered' }),
  on_time: Count({
    description: 'Of the delivered ones, those that arrived by 5 minutes after the promised time',
  }),
  late: Count({ description: 'Those that arrived later than that, or are under way and will' }),
  failed: Count({ description: 'Those that failed or are returned' }),
  canceled: Count({ description: 'Those that anybody canceled' }),
  total_cost: Type.Integer({ description: 'The sum of their charges and refunds, in cents' }),
  average_cost: Nullable(
    Type.Integer({ description: 'The charges and refunds of a delivered one, in cents; null without one' }),
  ),
  average_minutes: Nullable(
    Type.Number({
      description:
        'From the creation of a delivery to its arrival; deliveries with an agreed time are left out. Null without one',
    }),
  ),
};

const ReportRow = Type.Object(
  {
    courier: Nullable(Type.String({ description: 'The provider, if the report is by courier' })),
    status: Nullable(Type.Enum(deliveryStatuses, { description: 'The status, if the report is by status' })),
    store_id: Nullable(
      Type.String({
        description: 'The store of the pickup, if the report is by store; null without a store',
      }),
    ),
    store_name: Nullable(
      Type.String({
        description:
          'The name of the store; of one that was deleted, the name that the deliveries keep, if any',
      }),
    ),
    driver_id: Nullable(
      Type.String({ description: 'The own driver, if the report is by driver; null for other couriers' }),
    ),
    driver_name: Nullable(
      Type.String({
        description:
          'The name of the driver; of one who was removed, the name that the deliveries keep, if any',
      }),
    ),
    ...counts,
  },
  { title: 'ReportRow' },
);
export type ReportRow = Static<typeof ReportRow>;

const Report = Type.Object(
  {
    object: Type.Literal('report'),
    created_after: Instant('The start of the period'),
    created_before: Instant('The end of the period'),
    by: Type.Array(Type.Enum(reportGroups), { description: 'What the rows are divided by' }),
    data: Type.Array(ReportRow, { description: 'A row for each combination, the most deliveries first' }),
    total: Type.Object(counts, { title: 'ReportTotal', description: 'The sums and averages of all rows' }),
  },
  { title: 'Report' },
);
export type Report = Static<typeof Report>;

export const getReport = operation({
  id: 'GetReport',
  method: 'GET',
  path: '/v2/report',
  summary: 'Count the deliveries of a period, with their cost and times',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact({
    created_after: Instant(`Only deliveries created after this time, at most ${max_report_days} days ago`),
    created_before: Type.Optional(Instant('Only deliveries created before this time; by default now')),
    by: Type.Optional(Several([...reportGroups])),
  }),
  answer: Report,
  errors: [],
});
