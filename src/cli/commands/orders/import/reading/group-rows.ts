/** Makes one order of the rows that have its items, and compares recipients, whom two rows or systems may write differently. */
import type { Fault } from '../../../../../contract/errors.ts';
import { addressKey } from '../../../../../domain/addresses.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { normalizeReference } from '../../../../../domain/references.ts';
import { foldedWords } from '../../../../../domain/search-text.ts';
import { readLoadedAddress } from '../../../../session/gazetteer.ts';
import type { Change } from './cell-values.ts';

/** One order of a file, as it was read. */
export interface Row {
  /** The line where it starts, from 1. */
  line: number;
  /** The order in the form of the contract, as far as it could be read. */
  fields: Fields;
  /** The values that could not be read. */
  faults: RowFault[];
  /** The original cells, in the columns of the table. */
  cells: readonly string[];
  /** The cells of the further rows of the order, in the columns of the table. */
  more?: readonly (readonly string[])[];
  /** The values that are not taken as written. */
  changes?: readonly Change[];
}

/** An order with its place among those of the file, from 0: several may start in one line of JSON. */
export type NumberedRow = Row & { number: number };

/** A fault, and its line if that is not the first one of its order. */
export type RowFault = Fault & { line?: number };

/**
 * Joins rows that follow each other and have the same reference and recipient, or nothing but another item. Rows of one
 * order that stand apart are left alone: keeping all orders of a file to find them would take any amount of memory.
 */
export async function* groupRows(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  let held: Row[] = [];
  for await (const row of rows) {
    const [first] = held;
    if (first !== undefined && isSameOrder(first, row)) {
      held.push(row);
      continue;
    }
    if (first !== undefined) yield joined(first, held.slice(1));
    held = [row];
  }
  const [first] = held;
  if (first !== undefined) yield joined(first, held.slice(1));
}

function isSameOrder(first: Row, row: Row): boolean {
  const { external_order_ref: ref, items, items_description } = row.fields;
  const isOnlyItem = ref === undefined && Object.keys(row.fields).length === 1 && row.faults.length === 0;
  if (isOnlyItem) return items !== undefined || items_description !== undefined;
  if (ref === undefined || !isSameReference(ref, first.fields.external_order_ref)) return false;
  return recipientDifferences(toRecipient(first.fields), toRecipient(row.fields)).length === 0;
}

function isSameReference(left: unknown, right: unknown): boolean {
  return normalizeReference(String(left)) === normalizeReference(String(right ?? ''));
}

/** The order that several rows make; a row that contradicts the first one has a fault. */
function joined(first: Row, others: readonly Row[]): Row {
  if (others.length === 0) return first;
  const fields = { ...first.fields };
  const faults: RowFault[] = [...first.faults];
  for (const row of others) {
    faults.push(...row.faults.map((fault) => ({ ...fault, line: row.line })));
    for (const [field, value] of Object.entries(row.fields)) {
      if (addValue(fields, field, value)) continue;
      const message = `is another than on line ${first.line} of the same order, which has one: write the same or none there, or do not read the column`;
      faults.push({ path: field, message, line: row.line });
    }
  }
  const changes = [first, ...others].flatMap((row) => row.changes ?? []);
  return { ...first, fields, faults, changes, more: others.map(({ cells }) => cells) };
}

/** Adds the value of a further row to an order; false if the order has another one. */
function addValue(fields: Fields, field: string, value: unknown): boolean {
  const { [field]: before } = fields;
  if (field === 'items' && Array.isArray(before) && Array.isArray(value))
    fields.items = [...before, ...value];
  else if (before === undefined) fields[field] = value;
  else if (isJoined(field)) fields[field] = withText(String(before), String(value));
  else return isEqual(field, before, value);
  return true;
}

/** Texts of which an order may have several, as each of its rows has one. */
function isJoined(field: string): boolean {
  return field === 'items_description' || field.endsWith('_notes');
}

function withText(before: string, text: string): string {
  return before.split('; ').includes(text) ? before : `${before}; ${text}`;
}

function isEqual(field: string, left: unknown, right: unknown): boolean {
  if (recipientDifferences(toRecipient({ [field]: left }), toRecipient({ [field]: right })).length > 0)
    return false;
  if (field in toRecipient({})) return true;
  if (field === 'external_order_ref') return isSameReference(left, right);
  return JSON.stringify(left).toLowerCase() === JSON.stringify(right).toLowerCase();
}

/** The parts of a recipient, in the form in which they are compared; empty for one that is not given. */
type Recipient = Readonly<Record<'dropoff_name' | 'dropoff_phone_number' | 'dropoff_address', string>>;

export function toRecipient(fields: Fields): Recipient {
  const address = textIn(fields.dropoff_address);
  return {
    dropoff_name: foldedWords(textIn(fields.dropoff_name)).join(' '),
    dropoff_phone_number: textIn(fields.dropoff_phone_number).replace(/\D/g, ''),
    dropoff_address: address === '' ? '' : addressKey(asStored(address)),
  };
}

/** The text; empty for any other value. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An address as records have it; unchanged if it cannot be read. */
function asStored(address: string): string {
  const read = readLoadedAddress(address);
  return 'fault' in read ? address : read.address;
}

/** The parts in which two recipients differ; one that is not given differs from none. */
export function recipientDifferences(left: Recipient, right: Recipient): (keyof Recipient)[] {
  const parts = ['dropoff_name', 'dropoff_phone_number', 'dropoff_address'] as const;
  return parts.filter((part) => left[part] !== '' && right[part] !== '' && left[part] !== right[part]);
}
