import type { Fault } from '../../../../../contract/errors.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { type AddressParts, addressLineOf, centsIn, countIn, phoneIn, timeAt, Unreadable } from './cells.ts';

/** The order of an export, or why it is left out, as in `3 orders (canceled)`. */
export type Found = { fields: Fields; faults: Fault[] } | { left_out: string };

/** The maximum number of items of an order; more become its description, if that is long enough. */
const max_items = 50;

const max_description = 500;

/** Collects the fields of one order of an export, and the faults of its cells. */
export function createExportOrder() {
  const fields: Fields = {};
  const faults: Fault[] = [];
  let isEmpty = false;
  const fault = (path: string, message: string) => faults.push({ path, message });
  const text = (field: string, given: string) => {
    if (given !== '') fields[field] = given;
  };
  return {
    address: ({ country, ...parts }: AddressParts & { country: string }) => {
      if (parts.street === '') {
        fault(
          'dropoff_address',
          'the shipping address is empty, and the billing address is not used instead',
        );
      } else if (!/^(|us|usa|zz|united states.*)$/i.test(country)) {
        fault('dropoff_address', `is in ${country}; deliveries are in the USA`);
      } else fields.dropoff_address = addressLineOf(parts);
    },
    text,
    /** The company is part of the unit, which drivers and couriers see at the door; without a name it is the name. */
    recipient: ({ name, company, unit }: { name: string; company: string; unit: string }) => {
      const parts = [name === '' || name === company ? '' : company, unit];
      text('dropoff_name', name || company);
      text('dropoff_unit', parts.filter(Boolean).join(', '));
    },
    phone: (text: string) => {
      if (text === '') return;
      const number = phoneIn(text);
      if (number instanceof Unreadable) fault('dropoff_phone_number', number.why);
      else fields.dropoff_phone_number = number;
    },
    /** An invalid address is left out: it only serves notices. */
    email: (text: string) => {
      if (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)) fields.dropoff_email = text;
    },
    /** The sum of amounts in dollars, each as often as it was bought; nothing without any. */
    money: (field: string, ...amounts: readonly (readonly [text: string, quantity?: string])[]) => {
      const given = amounts.filter(([text]) => text !== '');
      let sum = 0;
      for (const [text, quantity = '1'] of given) {
        const [cents, count] = [centsIn(text.replace(/^\$\s+(?=\d)/, '')), countIn(quantity)];
        if (cents === null) fault(field, `must be dollars such as 4.50, not "${text}"`);
        else if (count === null) fault(field, `was bought "${quantity}" times, which is no whole number`);
        else sum += cents * count;
      }
      if (given.length > 0) fields[field] = sum;
    },
    items: (rows: readonly { name: string; quantity: string }[]) => {
      const named = rows.filter(({ name }) => name !== '');
      for (const { name, quantity } of named)
        if (countIn(quantity) === null)
          fault('items', `the quantity of "${name}" must be a whole number, not "${quantity}"`);
      // A refunded item has the quantity 0.
      const items = named
        .map(({ name, quantity }) => ({ name, quantity: countIn(quantity) ?? 0 }))
        .filter(({ quantity }) => quantity !== 0);
      const text = items.map(({ name, quantity }) => `${quantity} x ${name}`).join(', ');
      if (items.length > max_items && text.length <= max_description) fields.items_description = text;
      else fields.items = items;
      isEmpty = items.length === 0 && faults.length === 0;
    },
    /** The time that the customer chose, at the address: the beginning of a window such as `13:00 - 14:00`. */
    agreed: (date: string, time: string) => {
      if (date === '') return;
      const at = timeAt(String(fields.dropoff_address ?? ''), date, time);
      if (at === null && time.trim() === '')
        fault('dropoff_at', `is on "${date}" without a time: add one to the order, such as 12:00 PM`);
      else if (at === null) fault('dropoff_at', `is on "${date}" at "${time}", which cannot be read`);
      else fields.dropoff_at = at;
    },
    found: (): Found => (isEmpty ? { left_out: 'nothing left to deliver' } : { fields, faults }),
  };
}
