import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a secret that was sent with the expected one in constant time, whatever their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The id of a report to which the courier gives none: a repeat has the same content. */
export function reportHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
