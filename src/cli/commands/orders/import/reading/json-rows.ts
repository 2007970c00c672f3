/**
 * Orders as JSON: an array of them, or one on each line. Those of other systems become rows of a table, in which
 * `shipping_address.city` is a column.
 */
import { type Fields, isFields } from '../../../../../domain/fields.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { invocation, phrase } from '../../../../kit/result/message.ts';
import { jsonFault } from '../../../../kit/system/json-fault.ts';
import { withPhonesRead } from './cell-values.ts';
import { type CsvRecord, max_row_characters } from './csv-records.ts';
import type { Row } from './group-rows.ts';

/** The rows of a document, and its fields that are not used. */
interface JsonTable {
  ignored: readonly string[];
  rows: AsyncGenerator<Row>;
}

/** JSON files are read as a whole, unlike the other formats. */
const max_file_bytes = 64 * 1024 * 1024;

/** Reads an array of orders, or a document that has it in `orders` or a field of another system. Throws UsageError. */
export async function readJson(texts: AsyncGenerator<string>, name: string): Promise<JsonTable> {
  const json = await readWholeText(texts, name);
  if (json.trim() === '') throw new UsageError(`There is nothing in ${name}.`);
  const data = parseJson(json, name);
  const body = isFields(data) ? bodyFields.find((field) => Array.isArray(data[field])) : undefined;
  if (body === undefined && !Array.isArray(data))
    throw new UsageError(`${name} holds no array of orders.`, {
      hint: phrase`One order goes to \`${invocation('orders create', ['--file'])}\`.`,
    });
  const ignored = isFields(data) ? Object.keys(data).filter((field) => field !== body) : [];
  return { ignored, rows: rowsOfJson(json, body) };
}

/** The fields in which answers of interfaces have their orders. */
const bodyFields = ['orders', 'result', 'results', 'data', 'elements', 'records', 'value', 'tasks', 'jobs'];

async function readWholeText(texts: AsyncGenerator<string>, name: string): Promise<string> {
  const read: string[] = [];
  let length = 0;
  for await (const text of texts) {
    length += text.length;
    if (length > max_file_bytes)
      throw new UsageError(`${name} is longer than 64 MiB.`, {
        hint: 'JSON is read as a whole: give it as CSV, or as NDJSON, an order on each line.',
      });
    read.push(text);
  }
  return read.join('').replace(/^\ufeff/, '');
}

function parseJson(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${jsonFault(json)}.`, {
      hint: 'If it has one order per line, pass --format ndjson.',
      cause: error,
    });
  }
}

async function* rowsOfJson(json: string, body: string | undefined): AsyncGenerator<Row> {
  for (const { text, line } of arrayElements(json, body)) yield jsonRow(text, line);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},\n]/g;

interface JsonElement {
  text: string;
  /** The line where it starts, from 1. */
  line: number;
}

/** Splits valid JSON into the elements of its array, `[{...},\n{...}]` or `{"orders":[...]}`, to know the line of each. */
function* arrayElements(json: string, body: string | undefined): Generator<JsonElement> {
  const level = body === undefined ? 1 : 2;
  let [depth, line, key] = [0, 1, ''];
  let start: { at: number; line: number } | null = null;
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (token === '\n') line += 1;
    else if (token.startsWith('"')) key = depth === 1 ? token : key;
    else if (start !== null && depth === level && (token === ',' || token === ']')) {
      const text = json.slice(start.at, index);
      const [blank = ''] = /^\s*/.exec(text) ?? [];
      if (text !== blank) yield { text: text.trim(), line: start.line + blank.split('\n').length - 1 };
      start = token === ',' ? { at: index + 1, line } : null;
      if (token === ']') depth -= 1;
    } else if (token === '[' || token === '{') {
      depth += 1;
      const isOrders = body === undefined || key === JSON.stringify(body);
      if (start === null && token === '[' && depth === level && isOrders) start = { at: index + 1, line };
    } else if (token !== ',') depth -= 1;
  }
}

/** Reads one order as JSON on each line. */
export async function* rowsOfLines(texts: AsyncGenerator<string>, name: string): AsyncGenerator<Row> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      line += 1;
      if (each.trim() !== '') yield jsonRow(each, line);
    }
    if (rest.length > max_row_characters)
      throw new UsageError(`${name}, line ${line + 1} is longer than 1 MiB: it cannot be an order.`);
  }
  if (rest.trim() !== '') yield jsonRow(rest, line + 1);
}

/** The row of an order as JSON. */
export function jsonRow(text: string, line: number): Row {
  const row = { line, fields: {}, cells: [text] };
  try {
    const data: unknown = JSON.parse(withLongNumbersAsText(text));
    if (isFields(data)) return withPhonesRead({ ...row, fields: withoutNulls(data), faults: [] });
    return { ...row, faults: [{ path: 'order', message: 'is not an object of fields' }] };
  } catch {
    const fault = jsonFault(text.trimEnd(), { line });
    return { ...row, faults: [{ path: 'order', message: `is not valid JSON: ${fault}` }] };
  }
}

/** A number keeps only 15 digits for certain: those of a longer one, such as a reference, are kept as text. */
function withLongNumbersAsText(json: string): string {
  return json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.-])\d{16,}(?![\d.e])/gi, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
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

/** Whether an order as JSON is one of another system: it has no field of ours. */
export function isForeign({ fields }: Row): boolean {
  const names = Object.keys(fields);
  return names.length > 0 && !names.some((name) => /^(?:dropoff|pickup)_/.test(name));
}

/** A record for each item of the orders, in the columns of the first of them; those behind the first have the item only. */
export async function* flatRecords(
  first: readonly Row[],
  all: AsyncIterable<Row>,
): AsyncGenerator<CsvRecord> {
  const headers = [...new Set(first.flatMap((row) => recordsOf(givenIn(row))).flatMap(Object.keys))];
  yield { cells: headers, line: 0 };
  for await (const { fields, line } of all)
    for (const record of recordsOf(fields))
      yield { cells: headers.map((header) => record[header] ?? ''), line };
}

/** Lists of the items of an order, unlike `tax_lines`. */
const ofItems =
  /^(?!.*(?:tax|shipping|discount|coupon|payment|refund)|fee).*(?:item|product|lines?$|articles|goods)/i;

/** The fields of a row, including those that are null, as each makes a column. */
function givenIn({ cells: [text = ''], fields, faults }: Row): Fields {
  const data: unknown = faults.length === 0 ? JSON.parse(text) : null;
  return isFields(data) ? data : fields;
}

type FlatRecord = Readonly<Record<string, string>>;

/** `{ id: 7, lines: [{ sku: 'a' }, { sku: 'b' }] }` has the records `{ id: '7', 'lines.sku': 'a' }` and `{ 'lines.sku': 'b' }`. */
function recordsOf(order: Fields): FlatRecord[] {
  const [name = '', items = []] =
    Object.entries(order)
      .map(([key, value]) => [key, Array.isArray(value) ? value.filter(isFields) : []] as const)
      .find(([key, value]) => value.length > 0 && ofItems.test(key)) ?? [];
  const [item = {}, ...others] = items.map((each) => flatFields(each, `${name}.`));
  return [{ ...flatFields(order, ''), ...item }, ...others];
}

/** Lists that have the recipient, or where the order goes, as their only element. */
const ofRecipient =
  /recipient|consignee|receiver|customer|contact|destination|address|deliver|fulfil+ment|^checks$/i;

/** The texts and numbers of an object by their paths. */
function flatFields(given: Fields, prefix: string): FlatRecord {
  const flat: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (isFields(value)) Object.assign(flat, flatFields(value, `${prefix}${key}.`));
    else if (typeof value === 'string' || typeof value === 'number' || value === null)
      flat[prefix + key] = String(value ?? '');
    else if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
      flat[prefix + key] = value.join('; ');
    else if (
      Array.isArray(value) &&
      value.length === 1 &&
      isFields(value[0]) &&
      ofRecipient.test(prefix + key)
    )
      Object.assign(flat, flatFields(value[0], `${prefix}${key}.`));
  }
  return flat;
}
