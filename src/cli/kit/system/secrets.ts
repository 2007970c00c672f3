import { randomBytes } from 'node:crypto';

/** Bytes that nobody can guess, as base64. */
export function randomSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}
