/** When two references or names are one: people copy them from other programs, with signs that nobody sees. */
import { day_ms } from './durations.ts';

/** Characters that Unicode draws as nothing: zero-width spaces, byte order marks, marks of direction. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The form in which a reference or a name is stored and compared: as it looks. In NFC, without invisible characters,
 * without space at its ends, and with plain spaces in it.
 */
export function normalizeReference(text: string): string {
  return text.normalize('NFC').replace(invisible, '').replace(/\s/g, ' ').trim();
}

/** The reference that a list is filtered by, in the form in which it is stored. */
export function referenceFilter(query: { external_order_ref?: string | undefined }): string | undefined {
  const { external_order_ref: ref } = query;
  return ref === undefined ? undefined : normalizeReference(ref);
}

/** How long a reference is in use: a second order with it in this time is probably the same one. */
export const reference_use_ms = 30 * day_ms;

/** Whether two names are of one person: case and spaces do not count, as they are written differently. */
export function isSameName(left: string, right: string): boolean {
  const plain = (name: string) => name.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
  return plain(left) === plain(right);
}
