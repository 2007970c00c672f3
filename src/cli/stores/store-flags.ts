import type { Input } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import { type Flag, list, readChoice, text } from '../line/flags.ts';
import { addressFault, defined, phoneFault, withCountry } from '../orders/order-flags.ts';

const name = {
  summary: 'Who hands parcels over there',
  placeholder: 'NAME',
  question: 'Name (who hands parcels over there)',
};
const address = {
  summary: 'One line: street, city, state, ZIP',
  placeholder: 'ADDRESS',
  question: 'Address (street, city, state, ZIP)',
};
const phoneNumber = {
  summary: 'Of the USA, or with a leading plus: +13125550142',
  placeholder: 'PHONE',
  question: 'Phone (of the USA, or with a leading plus: +13125550142)',
  aliases: ['phone'],
};
const more = {
  unit: text({ summary: 'Unit, floor, door' }),
  notes: text({ summary: 'For the courier' }),
};

/** The flags of a new store. */
export const newStoreFlags = {
  name: text({ ...name, required: true }),
  address: text({ ...address, required: true, check: addressFault }),
  phoneNumber: text({ ...phoneNumber, required: true, check: phoneFault }),
  ...more,
};

/** Fields of a store that may be empty. */
const emptied = ['unit', 'notes'] as const;

/** The flags that change a store: those given. */
export const storeChangeFlags = {
  name: text(name),
  address: text(address),
  phoneNumber: text(phoneNumber),
  ...more,
  clear: clearFlag(),
};

type Changes = Input<typeof storeChangeFlags, Record<never, never>>['flags'];

/** `--clear notes`: `--notes ''` is refused, as it comes of a variable that is not set. */
function clearFlag(): Flag<(typeof emptied)[number][]> {
  const base = list({ summary: 'Makes a field empty', placeholder: 'FIELD' });
  const read = (texts: readonly string[]) => texts.map((field) => readChoice(field, emptied));
  return { ...base, choices: emptied, read, absent: () => [] };
}

/** The fields that the flags change, as the interface takes them; UsageError for one both given and cleared. */
export function storeChangesOf({ name, address, phoneNumber, unit, notes, clear }: Changes) {
  const phone_number = phoneNumber && withCountry(phoneNumber);
  const given = defined({ name, address, phone_number, unit, notes });
  const both = clear.find((field) => Object.hasOwn(given, field));
  if (both !== undefined) throw new UsageError(`--clear ${both} and --${both} contradict each other.`);
  return { ...given, ...Object.fromEntries(clear.map((field) => [field, ''])) };
}
