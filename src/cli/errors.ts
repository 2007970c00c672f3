import { BadBaseUrl } from '../client/addresses.ts';
import { ApiError, Unreachable } from '../client/errors.ts';
import { errorTable, isErrorCode } from '../contract/errors.ts';
import type { Command } from './command.ts';
import { categoryOf } from './exit.ts';
import { Failure, type NextStep } from './failure.ts';
import { type FlagFault, flagForPath } from './faults.ts';
import { placeLabel } from './input.ts';

/** An error, ready to be told to people or to programs. */
export interface Told {
  exit: number;
  code: string;
  message: string;
  why: string | null;
  hint: string | null;
  status: number | null;
  request_id: string | null;
  /** Seconds. */
  retry_after: number | null;
  missing: readonly string[];
  choices: readonly string[];
  details: readonly FlagFault[];
  next: readonly NextStep[];
}

const nothing = {
  why: null,
  hint: null,
  status: null,
  request_id: null,
  retry_after: null,
  missing: [],
  choices: [],
  details: [],
  next: [],
} satisfies Partial<Told>;

/** What to tell of anything thrown. The command at hand gives faults the names of its flags. */
export function told(error: unknown, command: Command | null = null): Told {
  if (error instanceof Failure) return fromFailure(error);
  if (error instanceof ApiError) return fromApi(error, command);
  if (error instanceof Unreachable) return unreachable(error);
  if (error instanceof BadBaseUrl) return { ...nothing, exit: 2, code: 'usage', message: error.message };
  return internal(error);
}

function fromFailure({ exit, code, message, details }: Failure): Told {
  return {
    ...nothing,
    exit,
    code,
    message,
    why: details.why ?? null,
    hint: details.hint ?? null,
    missing: details.missing ?? [],
    choices: details.choices ?? [],
    next: details.next ?? [],
  };
}

function fromApi(error: ApiError, command: Command | null): Told {
  const known = isErrorCode(error.code) ? errorTable[error.code] : null;
  return {
    ...nothing,
    exit: known?.exit ?? exitOfStatus(error.status),
    code: error.code,
    message: error.message,
    why: known?.when ?? null,
    hint: known?.remedy ?? null,
    status: error.status,
    request_id: error.request_id,
    retry_after: error.retry_after_ms === null ? null : Math.ceil(error.retry_after_ms / 1000),
    details: error.details.map((fault) => ({ ...fault, flag: flagForPath(fault.path, command) })),
    next: stepsIn(known?.remedy ?? ''),
  };
}

/** For codes that this version does not know: what the status says. */
function exitOfStatus(status: number): number {
  if (status === 401 || status === 403 || status === 407) return 4;
  if (status === 404) return 5;
  if (status === 409) return 6;
  if (status === 429) return 11;
  if (status === 400 || status === 422) return 2;
  return status >= 500 || status < 400 ? 7 : 1;
}

/** The commands named in a remedy. */
function stepsIn(remedy: string): NextStep[] {
  const when = remedy.replace(/:? *`[^`]*`.*$/s, '').replace(/\.$/, '');
  return [...remedy.matchAll(/`(waybill [^`]+)`/g)].map(([, command = '']) => ({ command, when }));
}

function unreachable(error: Unreachable): Told {
  return {
    ...nothing,
    exit: 7,
    code: 'unreachable',
    message: error.message,
    hint: 'Check the address and the network; `waybill doctor` looks at both.',
    next: [{ command: 'waybill doctor', when: 'find out what is wrong' }],
  };
}

function internal(error: unknown): Told {
  const message = error instanceof Error ? error.message : String(error);
  const hint = 'This is a fault of waybill. Run it again with --debug to see where, and report it.';
  return { ...nothing, exit: 1, code: 'internal', message, hint };
}

/** The object that `--json` writes on stderr. */
export function errorObject(error: Told): { error: Record<string, unknown> } {
  const { exit, code, message, why: _, ...rest } = error;
  return { error: { code, message, category: categoryOf(exit), ...rest, exit } };
}

/** The error with the ids of the line in the commands it names: `routes quote ROUTE` → `routes quote rte_…`. */
export function withPlaces(error: Told, { positionals }: Command, words: readonly string[]): Told {
  const places = Object.keys(positionals).map((name, index): [string, string | undefined] => [
    placeLabel(name),
    words[index],
  ]);
  const fill = (text: string) =>
    places.reduce(
      (left, [label, word]) => (word === undefined ? left : left.replaceAll(` ${label}`, ` ${word}`)),
      text,
    );
  return {
    ...error,
    hint: error.hint === null ? null : fill(error.hint),
    next: error.next.map(({ command, when }) => ({ command: fill(command), when })),
  };
}
