/** Collects the fields of one order of a shop's export, whichever system wrote it. */
import type { Fault } from '../../../../../contract/errors.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { withoutMarkup } from '../../../../../domain/plain-text.ts';
import type { Layout } from '../source.ts';
import { type Change, countedItem, countIn, Unreadable, zipCell } from './cell-values.ts';
import { type AddressParts, addressLineOf } from './csv-rows.ts';
import { type ChosenTime, timeAtAddress } from './delivery-dates.ts';
import type { LeftOut } from './ready-orders.ts';

/** The order of an export, or why it is left out, as in `3 orders (canceled)`. */
export type ExportedOrder =
  | { fields: Fields; faults: Fault[]; changes?: Change[]; unused?: readonly string[] }
  | LeftOut;

/** Collects the fields of one order of an export, the faults of its cells, and what is not taken as written. */
export function createExportOrder({ set }: Pick<Layout, 'set'>) {
  const fields: Fields = {};
  const faults: Fault[] = [];
  const changes: Change[] = [];
  let isEmpty = false;
  let unused: readonly string[] = [];
  const fault = (path: string, message: string) => faults.push({ path, message });
  const noteChange = (field: string, from: string, to: string) => {
    if (from !== to) changes.push({ field, from, to });
  };
  const text = (field: string, given: string) => {
    if (given === '') return;
    const plain = withoutMarkup(given).trim();
    noteChange(field, given, plain);
    if (plain !== '') fields[field] = plain;
  };
  return {
    address: (parts: AddressParts) => {
      const line = addressIn(parts, set);
      if (line instanceof Unreadable) fault('dropoff_address', line.why);
      else fields.dropoff_address = line;
      noteChange('dropoff_zip', parts.zip, zipCell(parts.zip));
    },
    text,
    /** The company is part of the unit, which drivers and couriers see at the door; without a name it is the name. */
    recipient: ({ name, company, unit }: { name: string; company: string; unit: string }) => {
      const parts = [name === '' || name === company ? '' : company, unit];
      text('dropoff_name', name || company);
      text('dropoff_unit', parts.filter(Boolean).join(', '));
    },
    /** An invalid address is left out: it only serves notices. */
    email: (text: string) => {
      if (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)) fields.dropoff_email = text;
    },
    /** The sum of amounts in dollars, each as often as it was bought; nothing without any. */
    money: (field: string, ...amounts: readonly Amount[]) => {
      const given = amounts.filter(([amount]) => amount !== '');
      const read = given.map(amountIn);
      faults.push(
        ...read.flatMap((each) => (typeof each === 'string' ? { path: field, message: each } : [])),
      );
      if (given.length > 0) fields[field] = read.map(Number).filter(Number.isFinite).reduce(sum, 0);
    },
    items: (rows: readonly GivenItem[]) => {
      const read = rows.filter(({ name }) => name !== '').map(itemIn);
      for (const { given, item } of read) {
        if (item === null) fault('items', given);
        else noteChange('items', given, item.name);
      }
      // A refunded item has the quantity 0.
      const items = read.flatMap(({ item }) => (item === null || item.quantity === 0 ? [] : [item]));
      fields.items = items;
      isEmpty = items.length === 0 && faults.length === 0;
    },
    /** The time that the customer chose, at the address: the beginning of a window such as `13:00 - 14:00`. */
    dropoffTime: ({ date, time, unused: others }: ChosenTime) => {
      unused = others;
      if (date === '') return;
      const read = timeAtAddress(`${date} ${time}`.trim(), String(fields.dropoff_address ?? ''));
      if (read instanceof Unreadable) fault('dropoff_at', read.why);
      else fields.dropoff_at = read.at;
      if ('guess' in read && read.guess !== null) changes.push({ ...read.guess, field: 'dropoff_at' });
    },
    result: (): ExportedOrder =>
      isEmpty ? { left_out: 'nothing left to deliver' } : { fields, faults, changes, unused },
  };
}

/** One line of the parts of an address, of which `--set` may give some; the billing address is not used instead. */
function addressIn({ street, ...parts }: AddressParts, set: Layout['set']): string | Unreadable {
  if (street === '')
    return new Unreadable('the shipping address is empty, and the billing address is not used instead');
  const part = (name: 'city' | 'state' | 'zip' | 'country') =>
    parts[name] || (set.find(([field]) => field === `dropoff_${name}`)?.[1] ?? '');
  return addressLineOf({
    street: withoutMarkup(street),
    city: part('city'),
    state: part('state'),
    zip: part('zip'),
    country: part('country'),
  });
}

type Amount = readonly [text: string, quantity?: string];

/** The cents of an amount in dollars, as often as it was bought, or why it cannot be read. */
function amountIn([text, quantity = '1']: Amount): number | string {
  const [cents, count] = [parseDollars(text), countIn(quantity)];
  if (cents === null) return `must be dollars such as 4.50, not "${text}"`;
  return count === null ? `was bought "${quantity}" times, which is no whole number` : cents * count;
}

interface GivenItem {
  name: string;
  quantity: string;
}

/** An item as an order has it, and as it was given; null, and the fault, for a quantity that is no number. */
function itemIn({ name, quantity }: GivenItem) {
  const plain = withoutMarkup(name)
    .trim()
    .replace(/\s*\n\s*/g, ', ');
  const item = countedItem(plain, quantity);
  if (item === null)
    return { item, given: `the quantity of "${name}" must be a whole number, not "${quantity}"` };
  return { item, given: item.name === plain ? name : `${quantity} of ${name}` };
}

function sum(total: number, amount: number): number {
  return total + amount;
}
