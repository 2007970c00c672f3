/** The groups and sort columns of a report, with other names for each. */

export const sorts = [
  ...(['orders', 'tries', 'active', 'delivered', 'late', 'failed', 'canceled', 'problems'] as const),
  ...(['total', 'each', 'minutes', 'value', 'delivered_value', 'tips', 'delay', 'wait', 'driving'] as const),
  ...(['declined', 'fees', 'over', 'assign', 'longest', 'on_time'] as const),
] as const;
export type Sort = (typeof sorts)[number];

/** The columns of sorts that are named otherwise. */
const columnsOfSorts: Readonly<Partial<Record<Sort, string>>> = {
  tries: 'deliveries',
  total: 'total_cost',
  each: 'average_cost',
  minutes: 'average_minutes',
  value: 'order_value',
  delay: 'average_late_minutes',
  wait: 'average_wait_minutes',
  driving: 'average_driving_minutes',
  declined: 'declined_percent',
  fees: 'service_fees',
  over: 'over_quote_cost',
  assign: 'average_assign_minutes',
  longest: 'longest_minutes',
  on_time: 'on_time_percent',
};

/** What a report can show instead of the counts. */
export const reportViews = ['fees', 'rates', 'minutes'] as const;
export type ReportView = (typeof reportViews)[number];

/** Other names for the views, separated by blanks. */
export const viewNames = {
  fees: 'fee service_fees refunds money costs kinds paid',
  rates:
    'rate percent percents percentage percentages refusal refusals refused declines declined acceptance quote quotes win',
  minutes: 'times durations speed median',
};

/**
 * Other names for the groups, separated by blanks. Phone and e-mail are none: a customer is an e-mail address or else a
 * name with a phone, so that neither would group by itself.
 */
export const groupNames = {
  courier: 'couriers provider providers carrier carriers company service',
  store: 'stores shop shops restaurant kitchen location pickup',
  driver: 'drivers rider riders person courier_name',
  customer: 'customers recipient recipients name buyer client who',
  address: 'addresses street streets dropoff place destination',
  zip: 'zips zip_code zip_codes zipcode zipcodes postcode postal_code area areas',
  status: 'state outcome',
  day: 'days date dates daily',
  weekday: 'weekdays day_of_week dow',
  hour: 'hours time hourly',
  reason: 'reasons why failure cancellation_reason failure_reason',
};

/** Other names for the sort columns, separated by blanks. */
export const sortNames: Readonly<Partial<Record<Sort, string>>> = {
  orders: 'count deliveries most number',
  failed: 'failures',
  canceled: 'cancelled cancellations',
  problems: 'failed_and_canceled unfulfilled lost',
  total: 'cost charged spent money total_cost',
  each: 'price each_delivered average_cost average_price cheapest expensive dearest',
  minutes: 'time duration slow slowest fastest quickest average_minutes',
  value: 'goods sales revenue order_value',
  tips: 'tip',
  delay: 'lateness late_by delayed',
  driving: 'pickup_to_arrival pickup_to_dropoff drive way',
  wait: 'waiting waited at_store',
  declined: 'refused refusals refusal expired declines rejected',
  fees: 'fee service_fees service_fee',
  over: 'over_quote extra dearer',
  assign: 'assigned to_driver assignment',
  longest: 'longest_minutes max maximum',
  on_time: 'punctual punctuality reliable reliability',
};

/** The column of a report by each name of a sort. */
export const sortColumns: Readonly<Record<string, string>> = Object.fromEntries(
  sorts.flatMap((sort) =>
    [sort, ...(sortNames[sort]?.split(' ') ?? [])].map((name) => [name, columnsOfSorts[sort] ?? sort]),
  ),
);

/** Adds the period that people compare a period with, the earlier one first: `yesterday today` for `today`. */
export function withCounterpart(when: string): string {
  const unit = /^(?:(?:this|last) )?(week|month)$/i.exec(when)?.[1];
  if (unit !== undefined) return `last ${unit} this ${unit}`;
  return /^(?:today|yesterday|)$/i.test(when) ? 'yesterday today' : when;
}
