import { product } from '../product.ts';

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
