/** The names of columns in `--columns`, `--sort` and `--filter`: fields, headings in any spelling, and other words. */
import type { ColumnHead } from './result.ts';

/** The names that select columns: their fields, then their headings, such as `price` for `payment_amount`. */
export function columnNames(columns: readonly ColumnHead[]): string[] {
  const fields = columns.map(({ field }) => field);
  return [...new Set([...fields, ...columns.map(({ header }) => columnName(header))])];
}

/** The columns with this field, or else this heading: those for programs first. */
export function columnsNamed<T extends Pick<ColumnHead, 'field' | 'header' | 'only'>>(
  name: string,
  columns: readonly T[],
): T[] {
  const byField = columns.filter(({ field }) => field === name);
  const found = byField.length > 0 ? byField : columns.filter(({ header }) => columnName(header) === name);
  return found.toSorted((left, right) => Number(left.only === 'people') - Number(right.only === 'people'));
}

/** Normalizes a name as typed, or a heading: `Pickup ETA` is `pickup_eta`. */
export function columnName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** The fields of columns by other words for them. A word means the first of its fields that a command has. */
export const otherColumnNames: Readonly<Record<string, readonly string[]>> = {
  address: ['dropoff_address', 'pickup_address'],
  amount: ['total_cost'],
  ...sameColumns(['arrived', 'arrival', 'arrived_at'], ['delivered_at']),
  ...sameColumns(
    ['at_store', 'store_minutes', 'driver_wait', 'waited_at_store'],
    ['at_store_minutes', 'average_wait_minutes'],
  ),
  cheapest: ['average_cost', 'total_cost', 'amount', 'price', 'total'],
  cost: ['total_cost', 'amount', 'price', 'cost', 'total'],
  courier: ['service', 'courier', 'provider'],
  code: ['handover_pin'],
  customer: ['dropoff_name', 'customer_name'],
  driver: ['courier_name', 'driver_name'],
  ...sameColumns(['dearest', 'expensive'], ['total_cost', 'amount', 'average_cost']),
  delay: ['late_minutes', 'average_late_minutes'],
  duration: ['minutes', 'average_minutes'],
  email: ['dropoff_email', 'customer_contact'],
  eta: ['dropoff_eta'],
  fastest: ['minutes', 'average_minutes', 'dropoff_eta'],
  goods: ['order_value'],
  late: ['late_minutes'],
  minutes_late: ['late_minutes'],
  name: ['dropoff_name', 'customer_name'],
  ...sameColumns(['item', 'dish', 'product'], ['items']),
  last_heard: ['last_report_at', 'location.recorded_at'],
  last_seen: ['last_report_at', 'location.recorded_at'],
  latest: ['created_at'],
  newest: ['created_at'],
  notes: ['dropoff_notes'],
  order: ['external_order_ref', 'order_id'],
  ...sameColumns(['ordered', 'ordered_at'], ['created_at']),
  paid: ['total_cost', 'amount'],
  phone: ['dropoff_phone_number', 'dropoff_phone', 'customer_contact'],
  price: ['total_cost', 'amount', 'total'],
  promised: ['promised_at'],
  quoted: ['payment_amount'],
  quickest: ['minutes', 'average_minutes', 'dropoff_eta'],
  why: ['reason'],
  recipient: ['dropoff_name', 'customer_name'],
  returned_at: ['ended_at'],
  reference: ['external_order_ref'],
  revenue: ['order_value'],
  sales: ['order_value'],
  spent: ['total_cost', 'amount'],
  store: ['store_name', 'pickup_name', 'store_id'],
  time: ['created_at'],
  tips: ['tip'],
  took: ['minutes'],
  total: ['total_cost', 'amount'],
  tries: ['delivery_count'],
  unit: ['dropoff_unit'],
  value: ['order_value'],
  ...sameColumns(['zip_code', 'zipcode', 'postcode', 'postal_code'], ['dropoff_zip', 'zip']),
  ...sameColumns(['wait', 'waiting', 'waited', 'assigned'], ['wait_minutes', 'average_wait_minutes']),
};

function sameColumns(names: readonly string[], columns: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, columns]));
}

/** The column of a command that a name means; the name itself if there is none. */
export function columnMeant(name: string, names: readonly string[]): string {
  if (names.includes(name) || !Object.hasOwn(otherColumnNames, name)) return name;
  return otherColumnNames[name]?.find((each) => names.includes(each)) ?? name;
}
