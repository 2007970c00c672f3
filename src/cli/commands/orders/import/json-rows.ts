import { UsageError } from '../../../kit/errors/failure.ts';
import { jsonFault } from '../../../kit/output/json-fault.ts';
import { invocation, phrase } from '../../../kit/result/message.ts';
import { isFields, rowOf } from './ndjson-rows.ts';
import type { Row, Table } from './rows.ts';

/** JSON files are read as a whole, unlike the other formats. */
const max_file_bytes = 64 * 1024 * 1024;

/** Reads an array of orders, or a request body. Throws UsageError. */
export async function jsonTable(texts: AsyncGenerator<string>, name: string): Promise<Table> {
  const json = await wholeText(texts, name);
  const { isBody, ignored } = shapeOf(json, name);
  return { columns: ['order'], ignored, rows: rowsIn(json, isBody), label: (path) => path };
}

async function wholeText(texts: AsyncGenerator<string>, name: string): Promise<string> {
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

interface Shape {
  /** True if the orders are in `orders`. */
  isBody: boolean;
  ignored: string[];
}

function shapeOf(json: string, name: string): Shape {
  if (json.trim() === '') throw new UsageError(`There is nothing in ${name}.`);
  const data = parsed(json, name);
  if (Array.isArray(data)) return { isBody: false, ignored: [] };
  if (isFields(data) && Array.isArray(data.orders))
    return { isBody: true, ignored: Object.keys(data).filter((field) => field !== 'orders') };
  throw new UsageError(`${name} holds no array of orders.`, {
    hint: phrase`One order goes to \`${invocation('orders create', ['--file'])}\`.`,
  });
}

function parsed(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${jsonFault(json)}.`, {
      hint: 'If it has one order per line, pass --format ndjson.',
      cause: error,
    });
  }
}

async function* rowsIn(json: string, isBody: boolean): AsyncGenerator<Row> {
  for (const { text, line } of piecesOf(json, isBody)) yield rowOf(text, line);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},\n]/g;

interface Piece {
  text: string;
  /** The line where it starts, from 1. */
  line: number;
}

/** Splits valid JSON into the elements of its array. */
function* piecesOf(json: string, isBody: boolean): Generator<Piece> {
  const level = isBody ? 2 : 1;
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
      const isOrders = !isBody || key === '"orders"';
      if (start === null && token === '[' && depth === level && isOrders) start = { at: index + 1, line };
    } else if (token !== ',') depth -= 1;
  }
}
