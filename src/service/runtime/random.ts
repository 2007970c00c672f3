import { hash } from 'node:crypto';

/** Repeatable randomness: the same seed and parts give the same bytes. */
export type Chance = (...parts: readonly string[]) => Uint8Array;

const separator = '\u0000';

export function seededChance(seed: string): Chance {
  return (...parts) => hash('sha256', [seed, ...parts].join(separator), 'buffer');
}

/** A number in [0, 1) from the first bytes of a hash. */
export function fraction(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(0) / 2 ** 32;
}

/** A non-repeatable, non-secret random number in [0, 1), for request ids. */
export function random(): number {
  return Math.random();
}
