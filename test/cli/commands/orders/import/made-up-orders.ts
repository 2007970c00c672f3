/** Orders as in files, generated from their number. */
export function orderAt(number: number) {
  return {
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Grill',
    pickup_phone_number: '+13125550101',
    dropoff_address: `${number + 1} S Wacker Dr, Chicago, IL 60606`,
    dropoff_name: `Joe ${number}`,
    dropoff_phone_number: `+1312555${String(1000 + (number % 9000))}`,
    items_description: 'Soup',
    external_order_ref: `R-${number}`,
    tip: 100,
  };
}

const fields = Object.keys(orderAt(0));

/** A CSV file with a number of orders; `change` may replace cells of a row. */
export function csvOf(
  count: number,
  change: (number: number) => Record<string, unknown> = () => ({}),
): string {
  const rows = Array.from({ length: count }, (_, number) => {
    const order: Record<string, unknown> = { ...orderAt(number), tip: '1.00', ...change(number) };
    return fields.map((field) => `"${order[field] ?? ''}"`).join(',');
  });
  return `${[fields.join(','), ...rows].join('\n')}\n`;
}

/** Makes CSV files of which each has references of its own. */
export function createCsvFiles(): typeof csvOf {
  let files = 0;
  return (count, change = () => ({})) => {
    files += 1;
    const prefix = `F${files}`;
    return csvOf(count, (number) => ({ external_order_ref: `${prefix}-${number}`, ...change(number) }));
  };
}

export function ndjsonOf(count: number, prefix = 'R-'): string {
  const refOf = (number: number) => ({ external_order_ref: `${prefix}${number}` });
  return Array.from(
    { length: count },
    (_, number) => `${JSON.stringify({ ...orderAt(number), ...refOf(number) })}\n`,
  ).join('');
}

/** Collects all values in an array. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}
