import { setTimeout as pause } from 'node:timers/promises';
import type { TaskRow } from '../../src/storage/database.ts';
import type { Reader } from './readers.ts';

export type Claim = Pick<TaskRow, 'id' | 'claim'>;

const look_ms = 50;

/** What somebody has in hand, or had when he died. */
export async function claimsNow(database: Reader): Promise<Claim[]> {
  return database.rows<Claim>(`select id, claim from tasks where claimed_until > ${Date.now()}`);
}

/** Those of them that are in the same hands still: neither done nor taken over. */
export async function stillHeld(database: Reader, claims: readonly Claim[]): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const ids = claims.map(({ id }) => `'${id}'`).join();
  const now = await database.rows<Claim>(`select id, claim from tasks where id in (${ids})`);
  return claims.filter((claim) =>
    now.some(({ id, claim: number }) => id === claim.id && number === claim.claim),
  );
}

/**
 * Milliseconds until nothing of what is in hand now is in the same hands any more. Begun when a process has died, that
 * is how long its work lay about.
 */
export async function takeover(database: Reader): Promise<number> {
  const started = performance.now();
  let left = await claimsNow(database);
  while (left.length > 0) {
    await pause(look_ms);
    left = await stillHeld(database, left);
  }
  return performance.now() - started;
}
