import { type Fields, isFields } from '../../../../../domain/fields.ts';
import type { CsvRecord } from './csv-records.ts';
import type { Row } from './group-rows.ts';

/** Orders as JSON of other systems as the rows of a table: `shipping_address.city` is a column. */

/** Whether an order as JSON is one of another system. */
export function isForeign({ fields }: Row): boolean {
  const names = Object.keys(fields);
  return names.length > 0 && !names.some((name) => /^(?:dropoff|pickup)_/.test(name));
}

/** A record for each item of the orders, in the columns of the first of them; those behind the first have the item only. */
export async function* flatRecords(
  first: readonly Row[],
  all: AsyncIterable<Row>,
): AsyncGenerator<CsvRecord> {
  const headers = [...new Set(first.flatMap(({ fields }) => recordsOf(fields)).flatMap(Object.keys))];
  yield { cells: headers, line: 0 };
  for await (const { fields, line } of all)
    for (const record of recordsOf(fields))
      yield { cells: headers.map((header) => record[header] ?? ''), line };
}

type FlatRecord = Readonly<Record<string, string>>;

function recordsOf(order: Fields): FlatRecord[] {
  const [name = '', items = []] =
    Object.entries(order)
      .map(([key, value]) => [key, Array.isArray(value) ? value.filter(isFields) : []] as const)
      .find(([key, value]) => value.length > 0 && /item|product|lines?$|articles/i.test(key)) ?? [];
  const [item = {}, ...others] = items.map((each) => flatFields(each, `${name}.`));
  return [{ ...flatFields(order, ''), ...item }, ...others];
}

/** The texts and numbers of an object by their paths. */
function flatFields(given: Fields, prefix: string): FlatRecord {
  const flat: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (isFields(value)) Object.assign(flat, flatFields(value, `${prefix}${key}.`));
    else if (typeof value === 'string' || typeof value === 'number') flat[prefix + key] = String(value);
    else if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
      flat[prefix + key] = value.join('; ');
  }
  return flat;
}
