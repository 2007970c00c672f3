/** The faults of the rows of a file, each kind once with the lines that have it. */
import { formatNumber } from './progress.ts';

/** Faults of one field whose messages differ at most in their quotes, numbers and IDs. */
interface FaultKind {
  path: string;
  /** That of the first line. */
  message: string;
  count: number;
  isSame: boolean;
  /** The first lines, those that follow each other together. */
  ranges: { from: number; to: number }[];
}

const max_kinds = 20;
const max_ranges = 8;

export interface FaultKinds {
  add(line: number, path: string, message: string): void;
  list(): { path: string; message: string; flag: null }[];
  /** How many faults are of kinds that are not listed. */
  unlisted(): number;
}

export function createFaultKinds(): FaultKinds {
  const kinds = new Map<string, FaultKind>();
  let unlisted = 0;
  return {
    add: (line, path, message) => {
      const key = `${path}: ${message.replace(/"[^"]*"|\b[a-z]{3}_\w+|\d+/g, '')}`;
      const kind = kinds.get(key) ?? { path, message, count: 0, isSame: true, ranges: [] };
      if (!kinds.has(key) && kinds.size === max_kinds) {
        unlisted += 1;
        return;
      }
      kinds.set(key, kind);
      kind.count += 1;
      kind.isSame &&= kind.message === message;
      const near = kind.ranges.filter(({ from, to }) => line >= from - 1 && line <= to + 1);
      if (near.length === 0 && kind.ranges.length === max_ranges) return;
      const from = Math.min(line, ...near.map((each) => each.from));
      const to = Math.max(line, ...near.map((each) => each.to));
      const others = kind.ranges.filter((each) => !near.includes(each));
      kind.ranges = [...others, { from, to }].sort((left, right) => left.from - right.from);
    },
    list: () => [...kinds.values()].map(toFault),
    unlisted: () => unlisted,
  };
}

/** `lines 2-21, dropoff_address: must have a ZIP code` */
function toFault({ path, message, count, isSame, ranges }: FaultKind) {
  const named = ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  const shown = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const rest = shown < count ? ` and others, ${formatNumber(count)} in all` : '';
  const lines = `${count === 1 ? 'line' : 'lines'} ${named}${rest}`;
  const where = path === '' ? lines : `${lines}, ${path}`;
  return { path: where, message: isSame ? message : `${message} (the first; the others alike)`, flag: null };
}
