import { BadBaseUrl, BadProxy } from '../../client/addresses.ts';
import { ApiError, ModeMismatch, Unreachable } from '../../client/errors.ts';
import { errorTable, isErrorCode } from '../../contract/errors.ts';
import type { Decline } from '../../contract/quotes.ts';
import type { Command } from '../command.ts';
import { placeLabel } from '../line/input.ts';
import { didYouMean } from '../line/suggestions.ts';
import { categoryOf } from './exit.ts';
import { Failure, type NextStep } from './failure.ts';
import { type FlagFault, namedFault } from './faults.ts';
import { orderHint } from './order-hints.ts';

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
  /** Why each provider declined; only in JSON, and only where there are any. */
  reasons: readonly Decline[];
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
  reasons: [],
} satisfies Partial<Told>;

/** What to tell of anything thrown. The command at hand gives faults the names of its flags. */
export function told(error: unknown, command: Command | null = null): Told {
  if (error instanceof Failure) return fromFailure(error, command);
  if (error instanceof ModeMismatch) return otherMode(error, command);
  if (error instanceof ApiError) return fromApi(error, command);
  if (error instanceof Unreachable) return unreachable(error);
  if (error instanceof BadBaseUrl) return { ...nothing, exit: 2, code: 'usage', message: error.message };
  if (error instanceof BadProxy) return badProxy(error);
  return internal(error);
}

function fromFailure({ exit, code, message, details }: Failure, command: Command | null): Told {
  return {
    ...nothing,
    ...(details.cause instanceof ApiError ? refusal(details.cause, command) : {}),
    exit,
    code,
    message,
    why: details.why ?? null,
    hint: details.hint ?? null,
    missing: details.missing ?? [],
    choices: details.choices ?? [],
    next: details.next ?? [],
    reasons: details.reasons ?? [],
    ...(details.faults === undefined ? {} : { details: details.faults }),
  };
}

/** What an answer that refuses knows of its request. */
function refusal(error: ApiError, command: Command | null) {
  return {
    status: error.status,
    request_id: error.request_id,
    retry_after: error.retry_after_ms === null ? null : Math.ceil(error.retry_after_ms / 1000),
    details: error.details.map((fault) => namedFault(fault, command)),
  };
}

function fromApi(error: ApiError, command: Command | null): Told {
  const known = isErrorCode(error.code) ? errorTable[error.code] : null;
  const held = error.code === 'order_not_open' ? orderHint(error.message) : null;
  return {
    ...nothing,
    exit: known?.exit ?? exitOfStatus(error.status),
    code: error.code,
    message: error.message,
    why: known !== null && saysNothing(error) ? known.when : null,
    hint: nearChoice(error) ?? known?.remedy ?? null,
    ...refusal(error, command),
    choices: choicesIn(error),
    next: stepsIn(known?.remedy ?? ''),
    ...held,
  };
}

/** The names that the message has instead of one that is not known. */
function choicesIn({ code, message }: ApiError): string[] {
  if (code !== 'simulation_unknown' && code !== 'record_not_found') return [];
  return /; there is ([\w, ]+)\.$/.exec(message)?.[1]?.split(', ') ?? [];
}

/** The name that comes near to the one that the message says there is not. */
function nearChoice(error: ApiError): string | undefined {
  const [, given = ''] = /^There is no \w+ ([\w-]+);/.exec(error.message) ?? [];
  return didYouMean(given, choicesIn(error));
}

/** A message that is no more than the code: then the table says what it means. */
function saysNothing({ message, code }: ApiError): boolean {
  return message.trim() === '' || message === code;
}

/** The answer is of the other mode than the profile: what matters is whether anything was changed there. */
function otherMode(error: ModeMismatch, command: Command | null): Told {
  const { written } = error;
  const ids = written === null || written.length === 0 ? '' : ` It is about ${written.join(', ')}.`;
  const done =
    written === null
      ? 'The request that was answered changed nothing.'
      : `The change was made all the same, in the mode of the key.${ids}`;
  return {
    ...nothing,
    ...refusal(error, command),
    exit: 6,
    code: error.code,
    message: error.message,
    why: done,
    hint: 'Take a key of the mode of the profile, or store this one in a profile of its own.',
    next: [{ command: 'waybill login', when: 'store a key with the mode that it has' }],
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

/** The commands named in a remedy, each with the words that end in a colon before it, if there are such. */
function stepsIn(remedy: string): NextStep[] {
  const found = remedy.matchAll(/(?:(?<=^|[.;] )([^`.;:]+): )?`(waybill [^`]+)`/g);
  return [...found].map(([, when = '', command = '']) => ({ command, when }));
}

function unreachable(error: Unreachable): Told {
  return {
    ...nothing,
    exit: 7,
    code: 'unreachable',
    message: error.message,
    hint: 'Check the address and the network.',
    next: [{ command: 'waybill doctor', when: 'find out what is wrong' }],
  };
}

function badProxy({ message }: BadProxy): Told {
  const hint = 'Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or name the service in NO_PROXY.';
  return { ...nothing, exit: 2, code: 'usage', message, hint };
}

function internal(error: unknown): Told {
  const message = error instanceof Error ? error.message : String(error);
  const hint = 'This is a fault of waybill. Run it again with --debug to see where, and report it.';
  return { ...nothing, exit: 1, code: 'internal', message, hint };
}

/** The object that `--json` writes on stderr. */
export function errorObject(error: Told): { error: Record<string, unknown> } {
  const { exit, code, message, why: _, reasons, ...rest } = error;
  const declined = reasons.length === 0 ? {} : { reasons };
  return { error: { code, message, category: categoryOf(exit), ...rest, ...declined, exit } };
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
