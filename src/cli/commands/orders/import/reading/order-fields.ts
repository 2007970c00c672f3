/** The fields that a column of a file may have, and how cells of each are read. */
import { orderRequestFields } from '../../../../../contract/orders.ts';

type Kind = 'part' | 'text' | 'phone' | 'dollars' | 'whole dollars' | 'cents' | 'degrees' | 'flag' | 'json';

/** The field of a column, and how its cells are read. */
export interface Column {
  field: string;
  kind: Kind;
}

/** The three columns of an order with one item. */
export const itemKinds: Record<string, Kind> = {
  item_name: 'text',
  item_quantity: 'text',
  item_size: 'text',
};

/** The parts of an address that have a column each: `dropoff_street`. */
export const partNames = /^(pickup|dropoff)_(street|city|state|zip|country)$/;

/** The names that columns may have, for suggestions. */
export const fieldNames: readonly string[] = [
  ...Object.keys(orderRequestFields),
  ...['item_name', 'item_quantity', 'item_size'],
  ...['dropoff_street', 'dropoff_city', 'dropoff_state', 'dropoff_zip', 'dropoff_country'],
];

/** Whether a field is a part of an address, which is no field of an order by itself. */
export function isAddressPart(field: string): boolean {
  return partNames.test(field);
}

/**
 * The order field of a column; null if orders have no such field. `tip_cents` is `tip` in cents, as exports write it, and
 * `tip_dollars` in dollars, also in whole ones.
 */
export function findOrderColumn(name: string): Column | null {
  const [, amount = '', unit = ''] = /^(.+)_(cents|dollars)$/.exec(name) ?? [];
  if (kindOf(amount) === 'dollars')
    return { field: amount, kind: unit === 'cents' ? 'cents' : 'whole dollars' };
  const kind = kindOf(name);
  return kind === undefined ? null : { field: name, kind };
}

function kindOf(name: string): Kind | undefined {
  if (partNames.test(name)) return 'part';
  if (name === 'items') return 'json';
  if (name === 'pickup_phone_number' || name === 'dropoff_phone_number') return 'phone';
  const schema = Object.entries(orderRequestFields).find(([field]) => field === name)?.[1];
  if (schema === undefined) return itemKinds[name];
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'integer') return 'dollars';
  if (type === 'number') return 'degrees';
  return type === 'boolean' ? 'flag' : 'text';
}
