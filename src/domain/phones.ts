/** The one file that loads the table of the world's phone numbers: import it where numbers are taken in. */
import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/min';

/** Every number of this form is possible, which the table would confirm in a hundred times the time. */
const americanPhone = /^\+1[2-9]\d{9}$/;

/**
 * Parses a phone number in international format with a leading plus and returns its digits without the plus, as
 * stored in records. The number must be possible, not necessarily in use. Null for anything else: no plus, an
 * impossible length, an unknown country, an extension.
 */
export function normalizePhone(text: string): string | null {
  return text.trim().startsWith('+') ? (phoneIn(text)?.slice(1) ?? null) : null;
}

/**
 * Parses a phone number as typed by a person, and returns it in international format with a plus; without a country
 * code it is a US number. Null for anything else.
 */
export function phoneIn(text: string): string | null {
  if (americanPhone.test(text)) return text;
  const phone = parsePhoneNumberFromString(text.trim(), { defaultCountry: 'US', extract: false });
  if (phone === undefined || phone.ext !== undefined || !phone.isPossible()) return null;
  return phone.number;
}

const faults: Readonly<Record<string, string>> = {
  TOO_SHORT: 'has too few digits for a phone number of its country',
  TOO_LONG: 'has too many digits for a phone number of its country',
  INVALID_LENGTH: 'has a number of digits that no phone number of its country has',
  INVALID_COUNTRY: 'begins with a country code that does not exist',
};

/** Why `normalizePhone` refuses a text, as the end of a sentence that begins with the field. */
export function phoneFault(text: string): string {
  if (!text.trim().startsWith('+')) return faultWithoutPlus(text);
  const phone = parsePhoneNumberFromString(text.trim(), { extract: false });
  if (phone?.ext !== undefined) return 'has an extension: write it into the notes';
  return faults[validatePhoneNumberLength(text) ?? ''] ?? 'is not a phone number such as +13125550142';
}

const us_digits = 10;

/** A number without a plus is read as a US number; a complete one only lacks its country code. */
function faultWithoutPlus(text: string): string {
  const digits = text.replace(/\D/g, '').length;
  if (digits === 0 || /[^\d\s().-]/.test(text)) return 'is not a phone number such as +13125550142';
  if (digits < us_digits) return `has ${digits} of the 10 digits of a US phone number, such as +13125550142`;
  return 'must be in international format with a leading plus, such as +13125550142';
}
