/**
 * What is added to the rows of a file, and what is cut: the values of `--set` for empty cells and missing columns, the
 * store of `--store`, and the texts and items of other systems that are longer than an order may have.
 */
import { orderRequestFields } from '../../../../../contract/orders.ts';
import { type Fields, isFields } from '../../../../../domain/fields.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import type { ColumnValue, Layout } from '../source.ts';
import { type Change, phoneCell, Unreadable } from './cell-values.ts';
import { readCell, readLocalTime } from './csv-rows.ts';
import type { NumberedRow, Row } from './group-rows.ts';
import { type Column, fieldNames, findOrderColumn, isAddressPart } from './order-fields.ts';

/** Reads each `--set`: `FIELD=VALUE`, read as a cell is. Throws UsageError. */
export function readSetValues(given: readonly string[]): ColumnValue[] {
  return given.map((text) => {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*\S)\s*$/s.exec(text) ?? [];
    if (name === '') {
      throw new UsageError(`--set "${text}" is not FIELD=VALUE.`, {
        hint: 'For example: --set dropoff_phone_number=+13125550100.',
      });
    }
    const field = name
      .toLowerCase()
      .replaceAll('-', '_')
      .replace(/_phone$/, '_phone_number');
    const column = findOrderColumn(field);
    if (column === null || field === 'items') {
      const hint = didYouMean(field, fieldNames);
      throw new UsageError(`--set "${text}": an order has no field ${field}.`, hint ? { hint } : {});
    }
    const read = setValue(value, column);
    if (read instanceof Unreadable) throw new UsageError(`--set ${field} ${read.why}.`);
    return [field, value];
  });
}

/** The value of a field; a time depends on the address of the order. */
function setValue(text: string, column: Column): unknown {
  if (column.field.endsWith('_at')) return text;
  return column.kind === 'phone' ? phoneCell(text) : readCell(text, column);
}

/** Adds what the flags give to rows that lack it: a value of `--set`, and the store to those without a pickup. */
export async function* completedRows(
  rows: AsyncIterable<Row>,
  { set, store, preset, map }: Layout,
): AsyncGenerator<NumberedRow> {
  let number = 0;
  const isForeign = preset !== null || map.length > 0;
  for await (const each of rows) {
    const given = withSetFields(each, set);
    const row = isForeign ? shortenedOrder(given) : given;
    const { pickup_address, pickup_store_id } = row.fields;
    const hasOwn = pickup_address !== undefined || pickup_store_id !== undefined || store === null;
    const fields = hasOwn ? row.fields : { ...row.fields, pickup_store_id: store };
    yield { ...row, fields, number };
    number += 1;
  }
}

/** The fields that only one of each may be given; the first is what `--set` fills. */
const alternatives: readonly (readonly string[])[] = [
  ['items_description', 'items'],
  ['dropoff_at', 'pickup_at'],
  ['pickup_at', 'dropoff_at'],
];

/** Adds the values to an order that has none of its own. */
function withSetFields(row: Row, set: Layout['set']): Row {
  if (set.length === 0 || row.faults.some(({ path }) => path === 'row' || path === 'order')) return row;
  const changes = [...(row.changes ?? [])];
  const read = { fields: { ...row.fields }, faults: [...row.faults], changes };
  for (const [name, text] of set) {
    const column = isAddressPart(name) ? null : findOrderColumn(name);
    if (column === null || isGiven(read.fields, column.field) || isFaulty(row, column.field)) continue;
    if (column.field.startsWith('item_')) addToItems(read.fields, column.field, readCell(text, column));
    else read.fields[column.field] = setValue(text, column);
    changes.push({ field: column.field, from: '', to: text });
    if (column.field.endsWith('_at')) readLocalTime(read, column.field.replace(/_at$/, ''));
  }
  return { ...row, ...read };
}

function isGiven(fields: Fields, field: string): boolean {
  const names = alternatives.find(([first]) => first === field) ?? [field];
  if (field.startsWith('item_')) return field === 'item_name' && fields.items_description !== undefined;
  return names.some((name) => fields[name] !== undefined);
}

function isFaulty({ faults }: Row, field: string): boolean {
  return faults.some(({ path }) => path === field);
}

/** Fills in the name, quantity or size of each item that has none; without items the name makes one. */
function addToItems(fields: Fields, field: string, value: unknown): void {
  const name = field.slice('item_'.length);
  const items: unknown[] = Array.isArray(fields.items)
    ? fields.items
    : field === 'item_name'
      ? [{ quantity: 1 }]
      : [];
  const given = name === 'quantity' ? Number(value) : value;
  if (items.length > 0)
    fields.items = items.map((item) => (item instanceof Object ? { [name]: given, ...item } : item));
}

/** The most items of an order, and the most characters of the name of one. */
const max_items = 50;
const max_name = 200;

/** The texts that are shortened; a reference, a phone number or an address would become another one. */
const shortenedFields = [
  'dropoff_name',
  'dropoff_unit',
  'dropoff_notes',
  'pickup_notes',
  'items_description',
];

/** Shortens what is too long, and notes it. */
function shortenedOrder(row: Row): Row {
  const changes: Change[] = [];
  const order: Fields = { ...row.fields };
  for (const field of shortenedFields) {
    const { [field]: text } = order;
    const limit = limitOf(field);
    if (typeof text !== 'string' || text.length <= limit) continue;
    order[field] = cut(text, limit);
    changes.push({ field, from: `${text.length} characters`, to: `${limit} of them` });
  }
  const { items } = order;
  if (Array.isArray(items)) {
    const list = items.filter(isFields);
    order.items = shortenedItems(list);
    const long = list.filter(({ name }) => typeof name === 'string' && name.length > max_name);
    if (long.length > 0)
      changes.push({ field: 'items', from: 'a name of more than 200 characters', to: 'its first 200' });
    if (list.length > max_items)
      changes.push({
        field: 'items',
        from: `${list.length} items`,
        to: `${max_items - 1} items, and one named "and ${list.length - max_items + 1} more: ..."`,
      });
  }
  return changes.length === 0
    ? row
    : { ...row, fields: order, changes: [...(row.changes ?? []), ...changes] };
}

function limitOf(field: string): number {
  const schema = Object.entries(orderRequestFields).find(([name]) => name === field)?.[1];
  return schema !== undefined && 'maxLength' in schema ? Number(schema.maxLength) : Number.POSITIVE_INFINITY;
}

/** The text with an ellipsis for its end, without half of a character. */
function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Up to 49 items as they are; one more names the others. */
function shortenedItems(items: readonly Fields[]): Fields[] {
  const named = items.map((item) => {
    const { name } = item;
    return typeof name === 'string' && name.length > max_name ? { ...item, name: cut(name, max_name) } : item;
  });
  if (named.length <= max_items) return named;
  const more = named.slice(max_items - 1);
  const texts = more.map(({ name, quantity }) => (quantity === 1 ? String(name) : `${quantity} x ${name}`));
  const name = cut(`and ${more.length} more: ${texts.join(', ')}`, max_name);
  return [...named.slice(0, max_items - 1), { name, quantity: 1 }];
}
