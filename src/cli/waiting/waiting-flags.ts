import type { Context } from '../context.ts';
import { UsageError } from '../failures/failure.ts';
import { BadValue, duration, durationText, type Flag, flag, readDuration } from '../line/flags.ts';
import { flagLabel } from '../line/input.ts';

const group = 'Waiting';

/** How somebody waits. */
export interface Waiting {
  /** All in all; without it, as the command says. */
  timeout_ms: number | undefined;
  /** Between two looks; without it, as the interface recommends. */
  interval_ms: number | undefined;
  /** Whether nothing is said of how things stand at first. */
  changesOnly: boolean;
}

/** The flags of everything that waits: how often it looks, and for how long; without the latter, `otherwise`. */
export function paceFlags(otherwise: string) {
  return {
    interval: intervalFlag(),
    timeout: duration({ summary: `Maximum time to wait, then exit 8 (default: ${otherwise})`, group }),
  };
}

/** The flags of everything that follows: a line for each change, until `end`. */
export function watchFlags(end: string, otherwise = 'no limit') {
  return {
    watch: flag({ summary: `Print a line for each change until ${end}`, short: 'w', group }),
    ...followFlags(otherwise),
  };
}

/** The same where the command itself is to follow. */
export function followFlags(otherwise = 'no limit') {
  return {
    changesOnly: flag({ summary: 'Do not print the initial state', group }),
    ...paceFlags(otherwise),
  };
}

/** For what answers at its end. */
export function waitFlag(summary: string): Flag<boolean> {
  return flag({ summary, group });
}

/** Nobody's service is asked more often than this. */
const leastInterval_ms = 250;

function intervalFlag(): Flag<number | undefined> {
  const base = duration({ summary: 'Time between polls (default: 2s, increasing to 15s)', group });
  return { ...base, read: (texts) => readInterval(texts.at(-1) ?? '') };
}

function readInterval(given: string): number {
  const length = readDuration(given);
  if (length >= leastInterval_ms) return length;
  throw new BadValue(`must be at least ${durationText(leastInterval_ms)}, not "${given}"`);
}

interface WaitingValues {
  timeout: number | undefined;
  interval: number | undefined;
  changesOnly?: boolean;
}

export function waitingOf({ timeout, interval, changesOnly = false }: WaitingValues): Waiting {
  return { timeout_ms: timeout, interval_ms: interval, changesOnly };
}

/** The flags of a wait as they were typed, for the command that goes on; `until` is a filter of lists. */
export function typedWaiting({ isTyped }: Pick<Context, 'isTyped'>, values: Partial<WaitingValues> & Goals) {
  const { timeout, interval, until, failOn } = values;
  const text = (length: number | undefined) => (length === undefined ? undefined : durationText(length));
  return {
    until: isTyped('until') ? until?.text : undefined,
    failOn: failOn?.text,
    interval: text(interval),
    timeout: isTyped('timeout') ? text(timeout) : undefined,
  };
}

interface Goals {
  until?: { text: string } | null;
  failOn?: { text: string } | null;
}

/** Flags that mean nothing where nobody waits. */
const idleNames: readonly string[] = ['timeout', 'interval', 'changesOnly', 'failOn'];
/** The same of a record; of lists `until` is a filter. */
export const idleNamesOfRecord: readonly string[] = ['until', ...idleNames];

/**
 * Throws UsageError where several ways to wait are given, or where flags of waiting are typed and nobody waits; what
 * the environment says of it is there for whenever somebody does.
 */
export function checkWaiting(
  { isTyped }: Pick<Context, 'isTyped'>,
  ways: Readonly<Record<string, boolean>>,
  names = idleNames,
): void {
  const labels = Object.keys(ways).map(flagLabel);
  const given = labels.filter((_, index) => Object.values(ways)[index]);
  if (given.length > 1) throw new UsageError(`Use only one of ${given.join(' and ')}.`);
  const typed = names.filter(isTyped);
  if (given.length === 0 && typed.length > 0) {
    const verb = typed.length === 1 ? 'requires' : 'require';
    const said = typed.map(flagLabel).join(', ');
    throw new UsageError(`${said} ${verb} ${labels.join(' or ')}.`);
  }
  if (ways.wait && isTyped('changesOnly'))
    throw new UsageError('--changes-only works with --watch; --wait prints only the final state.');
}

/** Throws UsageError where a list cannot be followed, or is not and flags say how. */
export function checkWatchedList(
  context: Pick<Context, 'isTyped'>,
  { watch, all, cursor }: { watch: boolean; all: boolean; cursor: string | undefined },
): void {
  checkWaiting(context, { watch });
  if (watch && (all || cursor !== undefined))
    throw new UsageError('--watch cannot be combined with --all or --cursor.');
}

/** As many as a look at a list sees at most. */
export function watchedLimit(limit: number): number {
  return Math.min(limit, 100);
}
