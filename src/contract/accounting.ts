/** The accounting of deliveries: charges and refunds, disputes, and the report of a period. */
import { DeliveryNames, deliveryParams } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import {
  Count,
  createdBetween,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  Several,
  type Static,
  Text,
  Type,
} from './schema.ts';
import {
  chargeKinds,
  deliveryStatuses,
  disputeOutcomes,
  disputeStatuses,
  max_reason_messages,
  max_report_days,
  reportGroups,
  weekdayNames,
} from './vocabulary.ts';

export const Charge = Type.Object(
  {
    id: Id('chg'),
    object: Type.Literal('charge'),
    delivery_id: Id('dlv'),
    order_id: Id('ord'),
    external_order_ref: Type.String({ description: 'The reference of its order; empty without one' }),
    store_id: Nullable(Type.String({ description: 'The store of its pickup; null without one' })),
    store_name: Nullable(Type.String({ description: 'The name of that store; null without one' })),
    service: Type.String({ description: 'The courier of its delivery; empty without one' }),
    kind: Type.Enum(chargeKinds),
    reason: Nullable(
      Type.String({
        description:
          "Of an `adjustment`, why the courier's amount differs from what was charged; of a refund, a return and a " +
          'cancellation, why the delivery ended so, or its dispute; null for other kinds',
      }),
    ),
    amount: Type.Integer({ description: 'In cents; refunds are negative, adjustments have either sign' }),
    service_fee: Type.Integer({
      description:
        'In a `delivery`, the part of the amount that is the service fee, in cents; 0 for other kinds',
    }),
    given_back: Type.Boolean({
      description: 'Whether a price or tip was refunded in whole, as the delivery failed or was canceled',
    }),
    currency: Type.Literal('USD'),
    test_mode: Type.Boolean(),
    created_at: Instant(),
  },
  { title: 'Charge' },
);
export type Charge = Static<typeof Charge>;

export const listCharges = defineOperation({
  id: 'ListCharges',
  method: 'GET',
  path: '/v2/charges',
  summary: 'List charges and refunds, newest first',
  tag: 'Charges',
  permission: 'read',
  query: Exact({
    delivery_id: Type.Optional(Reference()),
    order_id: Type.Optional(Reference()),
    store_id: Type.Optional(Reference()),
    kind: Type.Optional(Several(chargeKinds)),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(Charge),
});

/** The dispute of a delivery. A delivery has at most one. */
export const Dispute = Type.Object(
  {
    object: Type.Literal('dispute'),
    delivery_id: Id('dlv'),
    ...DeliveryNames.properties,
    reason: Type.String(),
    status: Type.Enum(disputeStatuses),
    outcome: Nullable(Type.Enum(disputeOutcomes)),
    amount: Count({ description: 'Refunded amount, in cents; 0 without a refund' }),
    paid: Type.Integer({ description: 'What its delivery has cost so far, after its refunds, in cents' }),
    note: Type.String({ description: 'Explanation of the outcome; empty if there is none' }),
    test_mode: Type.Boolean(),
    created_at: Instant(),
    resolved_at: Nullable(Instant('When the dispute was resolved; null while it is open')),
  },
  { title: 'Dispute' },
);
export type Dispute = Static<typeof Dispute>;

export const listDisputes = defineOperation({
  id: 'ListDisputes',
  method: 'GET',
  path: '/v2/disputes',
  summary: 'List disputes, newest delivery first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact({ status: Type.Optional(Several(disputeStatuses)), ...paging }),
  answer: ListOf(Dispute),
});

export const getDispute = defineOperation({
  id: 'GetDispute',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}/dispute',
  summary: 'Get the dispute of a delivery',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  answer: Dispute,
  errors: ['record_not_found'],
});

export const resolveDispute = defineOperation({
  id: 'ResolveDispute',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/dispute/resolve',
  summary: 'Resolve the dispute of a delivery, with or without a refund',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    outcome: Type.Enum(disputeOutcomes),
    amount: Type.Optional(
      Count({
        minimum: 1,
        description: 'Amount to refund, in cents, with the outcome refunded; default: everything paid',
      }),
    ),
    note: Type.Optional(Text(500)),
  }),
  answer: Dispute,
  errors: ['record_not_found', 'dispute_not_open'],
});

const counts = {
  orders: Count({
    description:
      'The orders that were dispatched. Each counts once, by its last delivery in the period, also in the counts below ' +
      'and in the row of that delivery',
  }),
  deliveries: Count({
    description: 'The deliveries of these orders: every try to have one delivered is one',
  }),
  declined: Count({ description: 'Of the deliveries, those that the courier refused or did not answer' }),
  dropped: Count({ description: 'Those that the courier took and canceled, for example without a driver' }),
  failed_tries: Count({ description: 'Those that failed otherwise, or went back' }),
  active: Count({ description: 'The orders that are under way to the recipient, or wait for their day' }),
  scheduled: Count({ description: 'Of the active ones, those that wait for their day' }),
  delivered: Count({ description: 'Those that were delivered' }),
  on_time: Count({
    description:
      'Of what was promised for the period, whenever ordered: what arrived by 5 minutes after the promise',
  }),
  late: Count({ description: 'Of the same, what arrived later than that, or is under way and will' }),
  late_active: Count({ description: 'Of the late ones, those that are under way' }),
  failed: Count({ description: 'Those that failed, are returned or on their way back' }),
  returning: Count({ description: 'Of the failed ones, those on their way back' }),
  canceled: Count({ description: 'Those that anybody canceled' }),
  total_cost: Type.Integer({
    description:
      'The sum of the charges and refunds that were made in the period, in cents, also of deliveries created before it',
  }),
  courier_prices: Type.Integer({
    description:
      'The prices of the couriers among these, without what was given back for failed and canceled ones',
  }),
  service_fees: Type.Integer({ description: 'The service fees on top of them, likewise' }),
  return_fees: Type.Integer({ description: 'The prices of ways back among these' }),
  cancellation_fees: Type.Integer({ description: 'The fees of cancellations among these' }),
  adjustments: Type.Integer({
    description: "What couriers' bills differ by, such as for waiting, among these; of either sign",
  }),
  refunds: Type.Integer({
    description:
      'The rest of the total, below zero: refunds of disputes, and of what was charged before the period',
  }),
  tips: Type.Integer({
    description: 'The tips among these in cents, without those of deliveries that failed or were canceled',
  }),
  average_tip: Nullable(Type.Integer({ description: 'Their average in cents; null without one' })),
  average_cost: Nullable(
    Type.Integer({
      description: 'The charges and refunds of a delivered one in the period, in cents; null without one',
    }),
  ),
  average_minutes: Nullable(
    Type.Number({
      description:
        'Average minutes from the creation of a delivery to its arrival; deliveries with an agreed time are left out. Null without one',
    }),
  ),
  median_minutes: Nullable(
    Type.Number({
      description:
        'The median of what average_minutes counts: half of the deliveries took longer; null without one',
    }),
  ),
  shortest_minutes: Nullable(
    Type.Number({
      description: 'The fastest delivery of those that average_minutes counts; null without one',
    }),
  ),
  longest_minutes: Nullable(
    Type.Number({
      description: 'The slowest delivery of those that average_minutes counts; null without one',
    }),
  ),
  average_assign_minutes: Nullable(
    Type.Number({
      description:
        'Of what average_minutes counts, from the creation to the driver, where reported; null without one',
    }),
  ),
  average_pickup_minutes: Nullable(
    Type.Number({
      description: 'Of what average_minutes counts, from the creation to the pickup; null without one',
    }),
  ),
  average_driving_minutes: Nullable(
    Type.Number({
      description: 'Average minutes of the delivered ones from the pickup to the arrival; null without one',
    }),
  ),
  average_wait_minutes: Nullable(
    Type.Number({
      description:
        'From the arrival of the driver at the store to the pickup, of the delivered ones whose courier reported both; ' +
        'null without one',
    }),
  ),
  waited: Count({ description: 'How many deliveries average_wait_minutes counts' }),
  average_late_minutes: Nullable(
    Type.Number({ description: 'How late the late ones arrived, after the promise; null without one' }),
  ),
  order_value: Type.Integer({ description: 'The value of the goods of the orders, in cents' }),
  delivered_value: Type.Integer({ description: 'Of this, that of the delivered ones' }),
  quoted_cost: Type.Integer({
    description: 'The prices of the quotes of the delivered ones with their agreed tips, in cents',
  }),
  quoted_difference: Type.Integer({
    description: 'What was charged for the delivered ones in the period, less that',
  }),
  over_quote: Count({
    description: 'The orders, of any outcome, that were charged more in the period than their quote',
  }),
  over_quote_cost: Type.Integer({ description: 'How much more, in cents' }),
  quotes: Nullable(
    Count({
      description:
        'How many routes a courier quoted for in the period, if the report is by courier alone and of all stores; else null',
    }),
  ),
  quotes_taken: Nullable(
    Count({ description: 'Of the quoted routes, those for which the courier was chosen' }),
  ),
  average_quote: Nullable(Type.Integer({ description: 'The average of these quotes, in cents' })),
};

const ReportRow = Type.Object(
  {
    courier: Nullable(Type.String({ description: 'The provider, if the report is by courier or by driver' })),
    status: Nullable(
      Type.Enum([...deliveryStatuses, 'rescheduled'], {
        description:
          'The status, if the report is by status; `rescheduled` are deliveries that were canceled only to be sent ' +
          'at another time',
      }),
    ),
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
      Type.String({
        description: 'The own driver, if the report is by driver; null for drivers of couriers',
      }),
    ),
    driver_name: Nullable(
      Type.String({
        description:
          'The name of the driver, if the report is by driver, as a courier reports it too; null before there is one. ' +
          'Drivers of one name at one courier are one row: couriers report nothing else that stays the same',
      }),
    ),
    reason: Nullable(
      Type.String({
        description:
          'Why the orders failed or were canceled, if the report is by reason: a `failure_reason`, or the reason of the ' +
          'cancellation',
      }),
    ),
    reason_messages: Type.Array(Type.String(), {
      description: 'What was reported of it: each `failure_message` of that reason, the first four',
      maxItems: max_reason_messages,
    }),
    customer_name: Nullable(
      Type.String({
        description:
          'The recipient, if the report is by customer: orders of one e-mail address are those of one, and orders ' +
          'without, those of one name and phone number',
      }),
    ),
    customer_contact: Nullable(
      Type.String({ description: 'This e-mail address or phone number, if the report is by customer' }),
    ),
    address: Nullable(
      Type.String({ description: 'The dropoff address without its unit, if the report is by address' }),
    ),
    zip: Nullable(
      Type.String({ description: 'The ZIP code at the end of that address, if the report is by zip' }),
    ),
    day: Nullable(
      Type.String({
        description:
          'The date on which the deliveries were created, such as 2026-03-02, if the report is by day',
      }),
    ),
    weekday: Nullable(
      Type.Enum(weekdayNames, {
        description: 'When the deliveries were created, if the report is by weekday',
      }),
    ),
    hour: Nullable(
      Count({ description: 'The hour of the day, 0 to 23, if the report is by hour', maximum: 23 }),
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
    data: Type.Array(ReportRow, { description: 'A row for each combination, the most orders first' }),
    total: Type.Object(counts, { title: 'ReportTotal', description: 'The sums and averages of all rows' }),
  },
  { title: 'Report' },
);
export type Report = Static<typeof Report>;

export const getReport = defineOperation({
  id: 'GetReport',
  method: 'GET',
  path: '/v2/report',
  summary: 'Count the deliveries of a period, with their cost and times',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact({
    created_after: Instant(
      `Only deliveries created at or after this time, at most ${max_report_days} days ago`,
    ),
    created_before: Type.Optional(
      Instant(
        'Only deliveries created before this time; by default now. It bounds the promises of late ones, too',
      ),
    ),
    as_of: Type.Optional(
      Instant(
        'Count as things stood at this time of the period, such as at this hour yesterday; by default now',
      ),
    ),
    by: Type.Optional(Several([...reportGroups])),
    store_id: Type.Optional(Reference()),
    time_zone: Type.Optional(
      Text(64, {
        description: 'The IANA zone of hours and weekdays, such as America/Chicago; by default UTC',
      }),
    ),
  }),
  answer: Report,
});
