/** The flags of commands that wait or watch: how long, and how often. */
import { minute_ms } from '../../domain/durations.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import {
  BadValue,
  durationFlag,
  durationText,
  type Flag,
  readDuration,
  switchFlag,
} from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

const group = 'Waiting';

/** How long a command waits for deliveries and orders without --timeout. */
export const usual_wait_ms = 30 * minute_ms;

export interface Waiting {
  /** The total time; by default as the command defines. */
  timeout_ms: number | undefined;
  /** The pause between two polls; by default as the API recommends. */
  interval_ms: number | undefined;
}

/** The flags of every wait: timeout and poll interval; `otherwise` describes the default timeout. */
export function paceFlags(otherwise: string) {
  return {
    interval: intervalFlag(),
    timeout: durationFlag({ summary: `Maximum time to wait, then exit 8 (default: ${otherwise})`, group }),
  };
}

/** The flags of a command that can watch: a line for each change, until `end`. */
export function watchFlags(end: string, otherwise = 'no limit') {
  return {
    watch: switchFlag({ summary: `Print a line for each change until ${end}`, short: 'w', group }),
    ...paceFlags(otherwise),
  };
}

/** For commands that return their result at the end of the wait. */
export function waitFlag(summary: string): Flag<boolean> {
  return switchFlag({ summary, group });
}

const min_interval_ms = 250;

function intervalFlag(): Flag<number | undefined> {
  const base = durationFlag({ summary: 'Time between polls (default: 2s, increasing to 15s)', group });
  return { ...base, read: (texts) => readInterval(texts.at(-1) ?? '') };
}

function readInterval(given: string): number {
  const length = readDuration(given);
  if (length >= min_interval_ms) return length;
  throw new BadValue(`must be at least ${durationText(min_interval_ms)}, not "${given}"`);
}

interface WaitingValues {
  timeout: number | undefined;
  interval: number | undefined;
}

export function toWaiting({ timeout, interval }: WaitingValues): Waiting {
  return { timeout_ms: timeout, interval_ms: interval };
}

/** The flags of a wait as typed. */
export function typedWaiting(
  { isTyped }: Pick<Context, 'isTyped'>,
  values: Partial<WaitingValues> & Targets,
) {
  const { timeout, interval, until, failOn } = values;
  const typed = (length: number | undefined) => (length === undefined ? undefined : durationText(length));
  return {
    until: isTyped('until') ? until?.text : undefined,
    failOn: failOn?.text,
    interval: typed(interval),
    timeout: isTyped('timeout') ? typed(timeout) : undefined,
  };
}

/** Returns the options set by the flags, and the command that resumes the wait with the same flags. */
export function waitOptions(
  context: Pick<Context, 'isTyped'>,
  [command, id, way = {}]: readonly [command: string, id: string, way?: WaitWay],
  flags: WaitingValues & Targets,
  default_timeout_ms?: number,
) {
  const again = invocation(command, [id], { ...way, ...typedWaiting(context, flags) });
  const { timeout = default_timeout_ms } = flags;
  return { ...toWaiting({ ...flags, timeout }), again: () => [again] };
}

/** The flag that makes a command wait, if waiting is optional. */
export interface WaitWay {
  wait?: boolean;
  watch?: boolean;
}

interface Targets {
  until?: { text: string } | null;
  failOn?: { text: string } | null;
}

/** Flags that require a waiting flag. */
const waitingNames: readonly string[] = ['timeout', 'interval', 'failOn'];
/** With --until, which waits for one record and filters a list. */
export const recordWaitingNames: readonly string[] = ['until', ...waitingNames];

/**
 * Throws UsageError for several ways to wait, or for waiting options without one; their values from the environment are
 * defaults for commands that wait.
 */
export function checkWaiting(
  { isTyped }: Pick<Context, 'isTyped'>,
  ways: Readonly<Record<string, boolean>>,
  names = waitingNames,
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
}

/** Throws UsageError if a list cannot be watched, or if watching options are given without watching. */
export function checkWatchedList(
  context: Pick<Context, 'isTyped'>,
  { watch, all, cursor, sort }: { watch: boolean; all: boolean; cursor: string | undefined; sort: unknown },
): void {
  checkWaiting(context, { watch });
  if (watch && (all || cursor !== undefined || sort !== undefined))
    throw new UsageError('--watch cannot be combined with --all, --cursor or --sort.');
}

/** A watched list is a single page. */
export function watchedLimit(limit: number): number {
  return Math.min(limit, 100);
}
