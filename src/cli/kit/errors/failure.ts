/** The errors that end a command with an exit code, and stacks with the lines of our source files (`stackTexts`). */
import type { SourceMap, SourceOrigin } from 'node:module';
import { type NextStep, plainText, type Text } from '../result/message.ts';
import type { Result } from '../result/result.ts';

export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 129 | 130 | 143;

/** A fault of a request: the path of the field and the reason. */
export interface Fault {
  path: string;
  message: string;
  /** The path of the other field if two exclude each other. */
  conflicts_with?: string;
}

/** A fault with the flag that sets the field, if any. */
export interface FlagFault extends Fault {
  flag: string | null;
}

/** The details of an error: its code, its reason, and how to fix it. */
export interface FailureDetails {
  /** An error code for programs. */
  code?: string;
  /** The reason; several reasons are on a line each. */
  why?: Text;
  /** How to fix it. */
  hint?: Text;
  /** The flag, positional or field at fault, if any. */
  param?: string;
  /** Flags and positionals that are missing. */
  missing?: readonly string[];
  /** The accepted values. */
  choices?: readonly string[];
  next?: readonly NextStep[];
  /** Why each provider declined, for programs; people read it in `why`. */
  reasons?: readonly object[];
  /** The records that the input may mean, for programs; people read them in `why`. */
  matches?: readonly object[];
  /** The faults of the input, each with its position. */
  faults?: readonly FlagFault[];
  /** Printed on stdout in spite of the error. */
  answer?: Result;
  /** An error of the service adds its faults, request and hint to this one. */
  cause?: unknown;
}

/** Ends a command with an exit code and a message. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exit: ExitCode;
  readonly code: string;
  /** The message with its commands and times as data. */
  readonly text: Text;
  readonly details: FailureDetails;

  constructor(exit: ExitCode, code: string, message: Text, details: FailureDetails = {}) {
    super(plainText(message), { cause: details.cause });
    this.text = message;
    this.exit = exit;
    this.code = details.code ?? code;
    this.details = details;
  }
}

/** The advice of an error of the service, as a hint. */
export function hintFrom(error: Error): { hint?: string } {
  return 'advice' in error && typeof error.advice === 'string' ? { hint: error.advice } : {};
}

/** Exit 2: invalid or missing input. */
export class UsageError extends Failure {
  override name = 'UsageError';

  constructor(message: Text, details: FailureDetails = {}) {
    super(2, 'usage', message, details);
  }
}

/** Exit 3: declined at a prompt. */
export class Declined extends Failure {
  override name = 'Declined';

  constructor(message: Text = 'Nothing was changed.') {
    super(3, 'declined', message);
  }
}

/** Exit 8: timed out while still pending. */
export class StillPending extends Failure {
  override name = 'StillPending';

  constructor(message: Text, details: FailureDetails = {}) {
    super(8, 'still_pending', message, details);
  }
}

/** Exit 9: ended without success. */
export class BadOutcome extends Failure {
  override name = 'BadOutcome';

  constructor(message: Text, details: FailureDetails = {}) {
    super(9, 'bad_outcome', message, details);
  }
}

/** Exit 130: Ctrl+C at a prompt, or the end of stdin while it waited. */
export class Interrupted extends Failure {
  override name = 'Interrupted';

  constructor() {
    super(130, 'interrupted', 'Interrupted.');
  }
}

/** Not an error: the request that `--dry-run` shows instead of sending. */
export class DryRun extends Error {
  override name = 'DryRun';
  readonly answer: Result;

  constructor(answer: Result) {
    super('the request was printed and not sent');
    this.answer = answer;
  }
}

/** Formats an error with its stack and its causes. */
export type StackText = (error: unknown) => string;

/** Maps stacks to our source lines with the source maps in this folder, which are read when needed, and cached. */
export function stackTexts(folder = import.meta.dirname): StackText {
  const maps = new Map<string, SourceMap | null>();
  const mapOf = (name: string) => {
    const known = maps.get(name);
    if (known !== undefined) return known;
    const map = readSourceMap(`${folder}/${name}.map.gz`);
    maps.set(name, map);
    return map;
  };
  /** Maps `core.cjs:1:2345)`, the part of a stack after the folder, to `src/cli/main.ts:12:3)`. */
  const located = (part: string) => {
    const [position = '', name = '', line, column] = /^([\w-]+\.cjs):(\d+):(\d+)/.exec(part) ?? [];
    const map = position === '' ? null : mapOf(name);
    const origin: Partial<SourceOrigin> = map?.findOrigin(Number(line), Number(column)) ?? {};
    const { fileName, lineNumber, columnNumber } = origin;
    if (fileName === undefined) return `${folder}/${part}`;
    return `${fileName}:${lineNumber}:${columnNumber}${part.slice(position.length)}`;
  };
  const textOf: StackText = (error) => {
    if (!(error instanceof Error)) return String(error);
    const [start, ...parts] = (error.stack ?? error.message).split(`${folder}/`);
    const { hint } = hintFrom(error);
    const advice = hint === undefined ? '' : `\n${hint}`;
    const cause = error.cause === undefined ? '' : `\nCaused by: ${textOf(error.cause)}`;
    return [start, ...parts.map(located)].join('') + advice + cause;
  };
  return textOf;
}

/** Null if the map cannot be read: the stack stays unmapped. */
function readSourceMap(file: string): SourceMap | null {
  try {
    const builtin = process.getBuiltinModule('node:module');
    const { gunzipSync } = process.getBuiltinModule('node:zlib');
    const text = gunzipSync(process.getBuiltinModule('node:fs').readFileSync(file));
    return new builtin.SourceMap(JSON.parse(text.toString()));
  } catch {
    return null;
  }
}
