import { randomBytes } from 'node:crypto';

/** Cryptographically random bytes as base64. */
export function randomSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}
