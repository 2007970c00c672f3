import type { Sink } from '../host/host.ts';
import { product } from '../product.ts';
import { paletteFor } from './colour.ts';
import type { OutputSettings } from './format.ts';
import type { Format } from './formats.ts';
import type { Filter } from './json.ts';
import type { TextStyle } from './value-text.ts';

/** Where and how a result is written. */
export interface Surface {
  stdout: Sink;
  settings: OutputSettings;
  /** The transformation by `--jq`; null without it. */
  filter: Filter | null;
  /** The service's time, as of its last response. */
  serviceNow(): number;
  /** True if the command has already changed something. */
  isWrite?: boolean;
  /** Called if a table left out columns to fit. */
  leftOut?(): void;
}

/** True for a format meant for people. */
export function isForPeople(format: Format): boolean {
  return format === 'table' || format === 'wide';
}

/** Output for programs has no color, even if color is forced. */
export async function textStyleOf(surface: Surface): Promise<TextStyle> {
  const { format, stdoutColour, showPii, times } = surface.settings;
  const palette = await paletteFor(isForPeople(format) ? stdoutColour : 0);
  return { palette, showPii, times, now: surface.serviceNow() };
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
