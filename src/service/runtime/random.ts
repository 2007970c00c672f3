import { hash } from 'node:crypto';

/** Chance that repeats: the same seed and parts give the same bytes, whatever else happens. */
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

/** A number in [0, 1) that does not repeat and is no secret: for the ids of requests. */
export function random(): number {
  return Math.random();
}
