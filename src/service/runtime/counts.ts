/** Numbers by name, such as what each account has in use. */
export interface Counts {
  of: (name: string) => number;
  add: (name: string, change: number) => void;
}

/** All numbers are 0 at first; a name whose number is 0 takes no memory. */
export function createCounts(): Counts {
  const counts = new Map<string, number>();
  return {
    of: (name) => counts.get(name) ?? 0,
    add: (name, change) => {
      const count = (counts.get(name) ?? 0) + change;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}
