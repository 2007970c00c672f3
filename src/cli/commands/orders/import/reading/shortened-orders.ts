import { orderRequestFields } from '../../../../../contract/orders.ts';
import { type Fields, isFields } from '../../../../../domain/fields.ts';
import type { Change } from './cell-values.ts';
import type { Row } from './group-rows.ts';

/** Orders of other systems that are longer than an order may be: what is cut is said in a word. */

const max_items = 50;
const max_name = 200;

/** The texts that are shortened; a reference, a phone number or an address would become another one. */
const fields = ['dropoff_name', 'dropoff_unit', 'dropoff_notes', 'pickup_notes', 'items_description'];

/** Shortens what is too long, and notes it. */
export function shortenedOrder(row: Row): Row {
  const changes: Change[] = [];
  const order: Fields = { ...row.fields };
  for (const field of fields) {
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
