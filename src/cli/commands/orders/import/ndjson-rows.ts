import { UsageError } from '../../../kit/errors/failure.ts';
import { jsonFault } from '../../../kit/output/json-fault.ts';
import { type Fields, max_row_characters, type Row, type Table } from './rows.ts';

/** Reads one order as JSON on each line. */
export function ndjsonTable(texts: AsyncGenerator<string>, name: string): Table {
  return { columns: ['order'], ignored: [], rows: rowsIn(texts, name), label: (path) => path };
}

async function* rowsIn(texts: AsyncGenerator<string>, name: string): AsyncGenerator<Row> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      line += 1;
      if (each.trim() !== '') yield rowOf(each, line);
    }
    if (rest.length > max_row_characters)
      throw new UsageError(`${name}, line ${line + 1} is longer than 1 MiB: it cannot be an order.`);
  }
  if (rest.trim() !== '') yield rowOf(rest, line + 1);
}

/** The row of an order as JSON. */
export function rowOf(text: string, line: number): Row {
  const row = { line, fields: {}, cells: [text] };
  try {
    const data: unknown = JSON.parse(text);
    if (isFields(data)) return { ...row, fields: withoutNulls(data), faults: [] };
    return { ...row, faults: [{ path: 'order', message: 'is not an object of fields' }] };
  } catch {
    const fault = jsonFault(text.trimEnd(), { line });
    return { ...row, faults: [{ path: 'order', message: `is not valid JSON: ${fault}` }] };
  }
}

/** Null means the same as a missing field. */
function withoutNulls(fields: Fields): Fields {
  const { items } = fields;
  const given = Array.isArray(items)
    ? { ...fields, items: items.map((item: unknown) => (isFields(item) ? presentIn(item) : item)) }
    : fields;
  return presentIn(given);
}

function presentIn(fields: Fields): Fields {
  if (!Object.values(fields).includes(null)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
