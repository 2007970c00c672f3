import { type Flag, list, readChoice, text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Input } from '../../session/command.ts';
import { addressFault, defined, phoneFault, withCountry } from '../orders/order-flags.ts';
import { logoOf } from './logo-file.ts';

const name = {
  summary: 'Contact at the pickup location',
  placeholder: 'NAME',
  question: 'Contact name at the pickup location',
};
const address = {
  summary: 'Address on one line: street, city, state, ZIP',
  placeholder: 'ADDRESS',
  question: 'Address (street, city, state, ZIP)',
};
const phoneNumber = {
  summary: 'US phone number, or international with a plus: +13125550142',
  placeholder: 'PHONE',
  question: 'Phone (US, or international with a plus: +13125550142)',
  aliases: ['phone'],
};
const more = {
  unit: text({ summary: 'Unit or floor' }),
  notes: text({ summary: 'Notes for the courier' }),
  supportPhoneNumber: text({
    summary: 'Phone number shown to recipients on the tracking page',
    placeholder: 'PHONE',
    aliases: ['support-phone'],
    check: phoneFault,
  }),
  logo: text({
    summary: 'Logo on the tracking page: an https URL, or a PNG, JPEG, GIF, WebP or SVG file of up to 48 kB',
    placeholder: 'URL|FILE',
  }),
};

/** The flags of a new store. */
export const newStoreFlags = {
  name: text({ ...name, required: true }),
  address: text({ ...address, required: true, check: addressFault }),
  phoneNumber: text({ ...phoneNumber, required: true, check: phoneFault }),
  ...more,
};

/** Fields of a store that may be empty. */
const emptied = ['unit', 'notes', 'support-phone-number', 'logo'] as const;

/** The fields of the interface that these clear. */
const fieldNames = {
  unit: 'unit',
  notes: 'notes',
  'support-phone-number': 'support_phone_number',
  logo: 'logo',
} as const;

/** The flags that change a store. */
export const storeChangeFlags = {
  name: text(name),
  address: text(address),
  phoneNumber: text(phoneNumber),
  ...more,
  clear: clearFlag(),
};

type Changes = Input<typeof storeChangeFlags, Record<never, never>>['flags'];

/** The fields that a new or a changed store takes from these flags. */
export function moreFieldsOf(
  { unit, notes, supportPhoneNumber, logo }: Pick<Changes, keyof typeof more>,
  folder: string,
) {
  const support_phone_number = supportPhoneNumber && withCountry(supportPhoneNumber);
  return defined({ unit, notes, support_phone_number, logo: logo && logoOf(logo, folder) });
}

/** `--clear notes`: `--notes ''` is refused, as it usually results from an unset variable. */
function clearFlag(): Flag<(typeof emptied)[number][]> {
  const base = list({ summary: 'Clear a field', placeholder: 'FIELD' });
  const read = (texts: readonly string[]) => texts.map((field) => readChoice(field, emptied));
  return { ...base, choices: emptied, read, absent: () => [] };
}

/** The changes given by flags, in the form of the contract; UsageError for a field both set and cleared. */
export function storeChangesOf({ name, address, phoneNumber, clear, ...more }: Changes, folder: string) {
  const phone_number = phoneNumber && withCountry(phoneNumber);
  const given = { ...defined({ name, address, phone_number }), ...moreFieldsOf(more, folder) };
  const both = clear.find((field) => Object.hasOwn(given, fieldNames[field]));
  if (both !== undefined) throw new UsageError(`--clear ${both} and --${both} cannot be used together.`);
  return { ...given, ...Object.fromEntries(clear.map((field) => [fieldNames[field], ''])) };
}
