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
  const held = new Map<string, number>();
  let total = 0;
  const add = (holder: Holder, amount: number) => {
    total += amount;
    for (const name of namesOf(holder)) {
      const sum = (held.get(name) ?? 0) + amount;
      if (sum === 0) held.delete(name);
      else held.set(name, sum);
    }
  };
  return {
    take: (holder, amount) => {
      let [whole, used] = [max, total];
      for (const name of namesOf(holder)) {
        const own = held.get(name) ?? 0;
        whole = (whole - (used - own)) / 4;
        if (own + amount > whole) return false;
        used = own;
      }
      add(holder, amount);
      return true;
    },
    release: (holder, amount) => add(holder, -amount),
  };
}

/** The name of each level. */
function namesOf(holder: Holder): string[] {
  return holder.map((_, index) => holder.slice(0, index + 1).join('\n'));
}
