/** Values that `--set` gives for empty cells and missing columns. */
import type { Fields } from '../../../../../domain/fields.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import type { ColumnValue, Layout } from '../source.ts';
import { phoneCell, Unreadable } from './cell-values.ts';
import {
  type Column,
  fieldNames,
  findOrderColumn,
  isAddressPart,
  readCell,
  readLocalTime,
} from './csv-columns.ts';
import type { Row } from './group-rows.ts';

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

/** The fields that only one of each may be given; the first is what `--set` fills. */
const alternatives: readonly (readonly string[])[] = [
  ['items_description', 'items'],
  ['dropoff_at', 'pickup_at'],
  ['pickup_at', 'dropoff_at'],
];

/** Adds the values to an order that has none of its own. */
export function withSetFields(row: Row, set: Layout['set']): Row {
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
