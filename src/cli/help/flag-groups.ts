import type { CommandSpec, Flags } from '../kit/args/command-spec.ts';
import type { Flag } from '../kit/args/flags.ts';
import { globalsFor } from '../kit/args/global-flags.ts';

/** The headings of flags in order; a flag's own heading comes after the second. */
const headings = {
  own: 'Flags',
  filters: 'Filters',
  pickup: 'Pickup',
  dropoff: 'Dropoff',
  paging: 'Paging',
  waiting: 'Waiting',
  safety: 'Safety',
  output: 'Output',
  global: 'Global flags',
} as const;
const order: readonly string[] = Object.values(headings);

/** Flags of any command that belong under a heading. */
const waiting = ['wait', 'watch', 'until', 'failOn', 'timeout', 'interval', 'changesOnly'];
const safety = ['yes', 'dryRun', 'idempotencyKey', 'maxCost', 'maxFee', 'validateOnly'];
const output = [
  ...['json', 'output', 'columns', 'raw', 'jq', 'time', 'noPager', 'quiet', 'color', 'accessible', 'showPii'],
];

type Entry = readonly [name: string, flag: Flag<unknown>];

/** Groups the flags of a command, its own and the global ones, under their headings. */
export function groupedFlags(command: CommandSpec): [heading: string, flags: Entry[]][] {
  const isList = Object.hasOwn(command.flags, 'limit');
  const own = grouped(command.flags, (name, { group }) => group ?? ownHeading(name, isList));
  const global = grouped(globalsFor(command), (name, { group }) => group ?? globalHeading(name));
  const found = [...own, ...global];
  return [...new Set(found.map(([heading]) => heading))]
    .sort((left, right) => placeOf(left) - placeOf(right))
    .map((heading) => [heading, found.filter((each) => each[0] === heading).map(([, entry]) => entry)]);
}

function grouped(flags: Flags, headingOf: (name: string, flag: Flag<unknown>) => string): [string, Entry][] {
  return Object.entries(flags).map(([name, flag]) => [headingOf(name, flag), [name, flag]]);
}

function ownHeading(name: string, isList: boolean): string {
  if (/^pickup[A-Z]/.test(name)) return headings.pickup;
  if (/^dropoff[A-Z]/.test(name)) return headings.dropoff;
  // `until` of a list is a filter: it goes with `since`.
  if (isList) return waiting.includes(name) && name !== 'until' ? headings.waiting : headings.filters;
  if (waiting.includes(name)) return headings.waiting;
  return safety.includes(name) ? headings.safety : headings.own;
}

function globalHeading(name: string): string {
  if (safety.includes(name)) return headings.safety;
  return output.includes(name) ? headings.output : headings.global;
}

function placeOf(heading: string): number {
  const found = order.indexOf(heading);
  return found === -1 ? order.indexOf(headings.filters) + 0.5 : found;
}
