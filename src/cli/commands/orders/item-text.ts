import type { Item } from '../../../contract/orders.ts';

/** `4 x Brisket Classic (small)`; a service may leave out the size. */
export function itemText({
  name,
  quantity,
  size,
}: Pick<Item, 'name' | 'quantity'> & { size: string }): string {
  return `${quantity} x ${name}${size === '' ? '' : ` (${size})`}`;
}
