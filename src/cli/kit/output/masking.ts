import { product } from '../product.ts';

/** Masks phone numbers and e-mail addresses in a request or response shown to people. */
export function withContactsMasked(text: string): string {
  return withEmailsMasked(withPhonesMasked(text));
}

/** Masks the name in an e-mail address but for its first character: `j***@diner.example`. */
export function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address.slice(0, Math.max(0, at));
  return at < 1 ? '***' : `${first}***${address.slice(at)}`;
}

/** Returns the formatter of e-mail addresses: unmasked on request. */
export function emailShown({ showPii }: { showPii: boolean }): (address: string) => string {
  return showPii ? (address) => address : maskedEmail;
}

const emailInJson = /("\w*email"\s*:\s*")([^"\\]*)(")/g;
/** An address in a query, where the at sign may be encoded. */
const emailInQuery = /([?&]q=)([^&\s]*(?:@|%40)[^&\s]*)/gi;

/** Masks the values of e-mail fields in a request or response shown to people. */
function withEmailsMasked(text: string): string {
  return text
    .replace(
      emailInJson,
      (_, before: string, address: string, after: string) =>
        before + (address === '' ? '' : maskedEmail(address)) + after,
    )
    .replace(emailInQuery, (_, before: string, address: string) => before + '*'.repeat(address.length));
}

/**
 * Masks the middle of a phone number: `+1 312 *** **42`. The rest is enough to distinguish numbers, not to call them. A
 * short number is masked completely.
 */
export function maskedPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  const end = digits.slice(-2);
  if (digits.length < 7) return '*'.repeat(digits.length);
  if (digits.length === 11 && digits.startsWith('1')) return `+1 ${digits.slice(1, 4)} *** **${end}`;
  return `+${digits.slice(0, 2)} ${'*'.repeat(digits.length - 4)}${end}`;
}

/** Returns the formatter of phone numbers: unmasked on request. */
export function phoneShown({ showPii }: { showPii: boolean }): (phone: string) => string {
  return showPii ? wholePhone : maskedPhone;
}

/** `+1 312 555 0142`, or the digits of another country after a plus. A short number has no country. */
function wholePhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 10) return phone;
  const us = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits);
  return us === null ? `+${digits}` : `+1 ${us[1]} ${us[2]} ${us[3]}`;
}

/** A masked number. */
export const masked = /\+\d+ (?:\d{3} )?\*+(?: \*+)?\d\d/g;

const phoneInJson = /("\w*phone(?:_number)?"\s*:\s*")([^"\\]*)(")/g;
/** A search with seven or more digits may be for a phone number. */
const phoneInQuery = /([?&](?:phone=|q=(?=(?:[^&\s]*?\d){7})))([^&\s]*)/g;

/** Masks the values of phone fields in a request or response shown to people. */
function withPhonesMasked(text: string): string {
  return text
    .replace(
      phoneInJson,
      (_, before: string, phone: string, after: string) => before + maskedPhone(phone) + after,
    )
    .replace(phoneInQuery, (_, before: string, phone: string) => before + '*'.repeat(phone.length));
}

const { key_prefix, secret_prefix } = product;
const prefixes = new RegExp(`^(?:${key_prefix}|${secret_prefix})`);
const keys = new RegExp(`${key_prefix}[0-9A-Za-z]{8,}|${secret_prefix}[0-9A-Za-z+/=_-]{8,}`, 'g');

/** Shortens a key or webhook secret to what identifies it: `wb_test_…abcd`. */
export function shownKey(key: string): string {
  const prefix = prefixes.exec(key)?.[0] ?? '';
  return `${prefix}…${key.length >= 12 ? key.slice(-4) : ''}`;
}

const secretHeaders: ReadonlySet<string> = new Set(['x-api-key', 'authorization', 'cookie', 'set-cookie']);

/** No service issues shorter keys, and shortening them wherever they occur would break words and JSON. */
const shortest = 8;

/** Shortens every key and webhook secret in a text, and the given secrets in any form. */
export function redacted(text: string, secrets: readonly string[] = []): string {
  const cut = text.replace(keys, shownKey);
  return secrets
    .filter((secret) => secret.length >= shortest)
    .reduce((left, secret) => left.replaceAll(secret, shownKey(secret)), cut);
}

/** A header as it may be shown. */
export function shownHeader(name: string, value: string): string {
  return secretHeaders.has(name) ? shownKey(value) : redacted(value);
}
