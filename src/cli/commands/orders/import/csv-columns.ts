import type { Fault } from '../../../../contract/errors.ts';
import { orderRequestFields } from '../../../../contract/orders.ts';
import { exclusive } from '../../../../domain/order-rules.ts';
import { didYouMean } from '../../../kit/args/suggestions.ts';
import { UsageError } from '../../../kit/errors/failure.ts';
import { unguarded } from '../../../kit/output/sanitize.ts';
import { invocation, phrase } from '../../../kit/result/message.ts';
import { withCountry } from '../order-flags.ts';
import { unescaped } from './escapes.ts';
import type { Fields } from './rows.ts';

type Kind = 'text' | 'phone' | 'dollars' | 'cents' | 'count' | 'flag' | 'json';

/** The field of a column, and how its cells are read. */
export interface Column {
  field: string;
  kind: Kind;
}

/** The three columns of an order with one item. */
const itemKinds: Record<string, Kind> = { item_name: 'text', item_quantity: 'count', item_size: 'text' };

/** The columns that this program adds to a file of failed rows. */
const ownColumns: readonly string[] = ['line', 'error'];

/** True if the file contains the failed rows of a JSON file. */
export function isOwnJson(headers: readonly string[]): boolean {
  return headers.map(fieldOf).join() === ['order', ...ownColumns].join();
}

function kindOf(name: string): Kind | undefined {
  if (name === 'items') return 'json';
  if (name === 'pickup_phone_number' || name === 'dropoff_phone_number') return 'phone';
  const schema = Object.entries(orderRequestFields).find(([field]) => field === name)?.[1];
  if (schema === undefined) return itemKinds[name];
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'integer') return 'dollars';
  return type === 'boolean' ? 'flag' : 'text';
}

/** `Pickup Phone-Number` is `pickup_phone_number`. */
function fieldOf(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** The order field of a column; null if orders have no such field. `tip_cents` is `tip` in cents, as exports write it. */
function columnOf(name: string): Column | null {
  const amount = /^(.+)_cents$/.exec(name)?.[1];
  if (amount !== undefined && kindOf(amount) === 'dollars') return { field: amount, kind: 'cents' };
  const kind = kindOf(name);
  return kind === undefined ? null : { field: name, kind };
}

interface Columns {
  /** One for each cell of a row; null for a column that is not an order field. */
  columns: (Column | null)[];
  ignored: string[];
  /** True for a file of failed rows, in which formulas are escaped. */
  isOwn: boolean;
}

/** Reads the header of a file. Throws UsageError if a required column is missing. */
export function columnsIn(headers: readonly string[], name: string): Columns {
  const fields = headers.map(fieldOf);
  const columns = fields.map(columnOf);
  const known = columns.flatMap((column) => (column === null ? [] : [column.field]));
  const ignored = headers.filter(
    (_, index) => columns[index] === null && !ownColumns.includes(fields[index] ?? ''),
  );
  checkColumns(known, { ignored, headers, name });
  return { columns, ignored, isOwn: ownColumns.every((own) => fields.includes(own)) };
}

const ofDropoff = ['dropoff_address', 'dropoff_name', 'dropoff_phone_number'];
const ofPickup = ['pickup_address', 'pickup_name', 'pickup_phone_number'];
const ofItems = ['items', 'items_description', 'item_name'];

interface Header {
  ignored: readonly string[];
  headers: readonly string[];
  name: string;
}

function checkColumns(known: readonly string[], { ignored, headers, name }: Header): void {
  const twice = known.find((field, index) => known.indexOf(field) !== index);
  if (twice !== undefined) throw new UsageError(`${name} has the column ${twice} twice.`);
  const required = known.includes('pickup_store_id') ? ofDropoff : [...ofPickup, ...ofDropoff];
  const missing = required.filter((field) => !known.includes(field));
  if (!ofItems.some((field) => known.includes(field))) missing.push(ofItems.join(' or '));
  if (missing.length === 0) return;
  const meant = ignored.flatMap((header) => didYouMean(fieldOf(header), missing) ?? []);
  throw new UsageError(`${name} has no column ${missing.join(', ')}.`, {
    hint:
      separatorHint(headers) ??
      meant[0] ??
      phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`,
    missing,
  });
}

function separatorHint([first = '', ...others]: readonly string[]): string | null {
  if (others.length > 0 || !/[;\t]/.test(first)) return null;
  return `Its values are separated by ${first.includes(';') ? 'semicolons' : 'tabs'}: save it with commas.`;
}

/** A row must have as many cells as the header; extra empty cells are allowed. */
export function wrongWidth(cells: readonly string[], width: number): Fault | null {
  if (cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === '')))
    return null;
  return { path: 'row', message: `has ${cells.length} values, the header has ${width}` };
}

/** Reads the order of a row, with its faults. An empty cell is a missing field. */
export function fieldsIn(
  cells: readonly string[],
  columns: readonly (Column | null)[],
  isOwn: boolean,
): { fields: Fields; faults: Fault[] } {
  const fields: Fields = {};
  const faults: Fault[] = [];
  const item: Fields = {};
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim();
    if (column === null || text === '') continue;
    const { field, kind } = column;
    const value = readCell(isOwn ? unescaped(unguarded(text)).trim() : text, kind);
    if (value instanceof Unreadable) faults.push({ path: field, message: value.why });
    else if (itemKinds[field] === undefined) fields[field] = value;
    else item[field.slice('item_'.length)] = value;
  }
  if (Object.keys(item).length > 0) {
    if (fields.items !== undefined) faults.push(exclusive('item_name', 'items'));
    fields.items = [{ quantity: 1, ...item }];
  }
  return { fields, faults };
}

class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

function readCell(text: string, kind: Kind): unknown {
  switch (kind) {
    case 'dollars':
      return centsOf(text);
    case 'cents':
    case 'count':
      return /^\d{1,15}$/.test(text) ? Number(text) : new Unreadable(`must be a whole number, not "${text}"`);
    case 'flag':
      return flagOf(text.toLowerCase()) ?? new Unreadable(`must be true or false, not "${text}"`);
    case 'json':
      return jsonOf(text);
    case 'phone':
      return withCountry(text);
    default:
      return text;
  }
}

function flagOf(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** Reads dollars with cents. A whole number is refused, as it is cents in other formats and in the interface. */
function centsOf(text: string): number | Unreadable {
  const dollars = /^\$?(\d{1,10})\.(\d{2})$/.exec(text);
  if (dollars !== null) return Number(`${dollars[1]}${dollars[2]}`);
  if (/^\$?0+$/.test(text)) return 0;
  const whole = /^\$?(\d{1,10})$/.exec(text)?.[1];
  if (whole === undefined) return new Unreadable(`must be dollars such as 4.50, not "${text}"`);
  return new Unreadable(
    `must be dollars with two decimals: write ${whole}.00, or name the column ..._cents if "${text}" is cents`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new Unreadable('must be JSON such as [{"name":"Soup","quantity":2}]');
  }
}
