import { setTimeout as pause } from 'node:timers/promises';
import type { TaskRow } from '../../src/storage/database.ts';
import type { Reader } from './database-reader.ts';

type Claim = Pick<TaskRow, 'id' | 'claim'>;

const poll_interval_ms = 50;

/** The claims that are held now, possibly by dead processes. */
async function claimsNow(database: Reader): Promise<Claim[]> {
  return database.rows<Claim>(`select id, claim from tasks where claimed_until > ${Date.now()}`);
}

/** Those of the claims that are unchanged: neither completed nor taken over. */
async function stillHeld(database: Reader, claims: readonly Claim[]): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const ids = claims.map(({ id }) => `'${id}'`).join();
  const now = await database.rows<Claim>(`select id, claim from tasks where id in (${ids})`);
  return claims.filter((claim) =>
    now.some(({ id, claim: number }) => id === claim.id && number === claim.claim),
  );
}

/**
 * Milliseconds until all current claims are completed or taken over. Started when a process has died, this is how
 * long its work was abandoned.
 */
export async function timeUntilTakeover(database: Reader): Promise<number> {
  const started = performance.now();
  let left = await claimsNow(database);
  while (left.length > 0) {
    await pause(poll_interval_ms);
    left = await stillHeld(database, left);
  }
  return performance.now() - started;
}
