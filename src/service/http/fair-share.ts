/**
 * Divides a limited amount, such as memory for bodies or turns of requests, among its holders, so that none takes the part
 * of others. A holder is the keys of an account and mode, one of its links, or the address of a client.
 */
import type { ReceivedRequest } from '../../contract/operation.ts';
import type { Scope } from '../../storage/rows.ts';
import { createCounts } from '../runtime/counts.ts';

/**
 * Who uses a part of something limited, from a group to its member. The part of a group is divided among its members
 * as the whole is among groups.
 */
export type Holder = readonly string[];

/** A limited amount that is divided among its holders. */
export interface FairShare {
  /** Takes a part; false if the holder would have more than its share. */
  take: (holder: Holder, amount: number) => boolean;
  /** Gives a part back. */
  release: (holder: Holder, amount: number) => void;
}

/**
 * A holder has at most a quarter of what the others leave. So none can take everything, and a new one finds room
 * beside several that take all they can.
 */
export function createFairShare(max: number): FairShare {
  const held = createCounts();
  let total = 0;
  const add = (holder: Holder, amount: number) => {
    total += amount;
    for (const name of namesOf(holder)) held.add(name, amount);
  };
  return {
    take: (holder, amount) => {
      let [whole, used] = [max, total];
      for (const name of namesOf(holder)) {
        const held_here = held.of(name);
        whole = (whole - (used - held_here)) / 4;
        if (held_here + amount > whole) return false;
        used = held_here;
      }
      add(holder, amount);
      return true;
    },
    release: (holder, amount) => add(holder, -amount),
  };
}

/** The names of a holder's levels, each with those above it. */
function namesOf(holder: Holder): string[] {
  return holder.map((_, index) => holder.slice(0, index + 1).join('\n'));
}

// Whose share of the service's memory and time a request takes. Each account and mode has a share for its keys and
// one for its links, of which each link has a part. Requests without either share by client address.

export function keyHolder(scope: Scope): Holder {
  return [nameOf(scope)];
}

export function linkHolder(owner: Scope, token: string): Holder {
  return [`links ${nameOf(owner)}`, token];
}

export function addressHolder({ client_address = '' }: Pick<ReceivedRequest, 'client_address'>): Holder {
  return [client_address];
}

function nameOf({ account_id, test_mode }: Scope): string {
  return `${account_id} ${test_mode}`;
}
