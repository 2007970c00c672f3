/** The one file that loads the table of the world's phone numbers: import it where numbers are taken in. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * Reads a phone number in international format, which begins with a plus, and gives its digits without
 * the plus, as records hold it. A possible number is enough; it need not be in use anywhere.
 * Null for everything else: no plus, an impossible length, an unknown country, an extension.
 */
export function normalizePhone(text: string): string | null {
  return text.trim().startsWith('+') ? (phoneIn(text)?.slice(1) ?? null) : null;
}

/**
 * A phone number as a person types it, in international format with its plus: one without a country is of the USA,
 * where all addresses are. Null for everything else.
 */
export function phoneIn(text: string): string | null {
  const phone = parsePhoneNumberFromString(text.trim(), { defaultCountry: 'US', extract: false });
  if (phone === undefined || phone.ext !== undefined || !phone.isPossible()) return null;
  return phone.number;
}
