import type { Command, Flags } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import type { Origin } from '../settings/settings.ts';
import { globalsFor } from './globals.ts';
import { flagLabel, flagOfTwin, type Raw, twinOf } from './input.ts';
import { plainWords, type Taken, type Texts, type Tokens } from './plain.ts';

/** The line of a command, taken apart but not yet read. */
export interface Parsed {
  own: Raw;
  global: Raw;
  /** Where each global flag that has a text got it. */
  origins: ReadonlyMap<string, Origin>;
  help: boolean;
}

/** A line whose words have been found. */
export interface Line {
  /** `['orders', 'create']` */
  path: readonly string[];
  command: Command;
  /** The line without the words of the path. */
  rest: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Takes a line apart; what the line does not give, the environment may. Rejects with UsageError. */
export async function parse({ path, command, rest }: Line, environment: Environment): Promise<Parsed> {
  const globals = globalsFor(command);
  const given: Texts = new Map();
  if (wantsHelp(rest)) return { own: nothing, global: nothing, origins: new Map(), help: true };
  const line = { path, tokens: rest.map(withBareValue), flags: { ...globals, ...command.flags } };
  const { words, help } = await takeApart(line, given);
  const origins = new Map<string, Origin>([...given.keys()].map((name) => [name, 'flag']));
  addFromEnvironment(line.flags, environment, given, origins);
  if (!help) checkFormat(given, origins);
  return {
    own: { flags: only(given, command.flags), words },
    global: { flags: only(given, globals), words: [] },
    origins,
    help,
  };
}

const nothing: Raw = { flags: new Map(), words: [] };

/** Asked for anywhere in the line, before `--`, help goes before everything that is wrong with it. */
function wantsHelp(tokens: readonly string[]): boolean {
  const end = tokens.indexOf('--');
  const line = end === -1 ? tokens : tokens.slice(0, end);
  return line.some((token) => token === '--help' || token === '-h');
}

/** `--json` never takes the next word: only `--json=id,status` has a value. */
function withBareValue(token: string): string {
  return token === '--json' ? '--json=' : token;
}

/**
 * Fills in the texts of the flags; gives the words that are left, and whether help is asked for. Commander takes most
 * of a short command's time: what is no more than words and whole flags is taken apart without it.
 */
async function takeApart(line: Tokens, given: Texts): Promise<Taken> {
  const words = plainWords(line, given);
  if (words !== null) return { words, help: false };
  const { takenApart } = await import('./commander.ts');
  return takenApart(line, given);
}

/** Takes apart a line that names no command: only global flags may stand there. */
export async function parseGlobals(
  rest: readonly string[],
  globals: Flags,
): Promise<{ help: boolean; json: boolean }> {
  if (wantsHelp(rest)) return { help: true, json: false };
  const given: Texts = new Map();
  const { help } = await takeApart({ path: [], tokens: rest.map(withBareValue), flags: globals }, given);
  return { help, json: given.has('json') };
}

function addFromEnvironment(
  flags: Flags,
  environment: Environment,
  given: Texts,
  origins: Map<string, Origin>,
): void {
  // To ask the system for the twin of each flag would take longer than to see which there are.
  const named = new Set(Object.keys(environment).flatMap(flagOfTwin));
  for (const [name, flag] of Object.entries(flags)) {
    const text = named.has(name) ? environment[twinOf(name)] : undefined;
    if (text === undefined || text === '' || given.has(name) || isOverruled(name, given, origins)) continue;
    if (name === 'json') {
      if (!isOff(text)) given.set(name, [/^(1|true|yes|on)$/.test(text) ? '' : text]);
    } else given.set(name, flag.kind === 'list' ? text.split('\n') : [text]);
    origins.set(name, 'environment');
  }
}

/** The flags of the format: one choice, though some go together. */
const choosing = ['json', 'output', 'jq', 'template'];

/** Where a flag of the format stands on the line, the twins of the others say nothing. */
function isOverruled(name: string, given: Texts, origins: ReadonlyMap<string, Origin>): boolean {
  const isTyped = (other: string) => given.has(other) && origins.get(other) === 'flag';
  return choosing.includes(name) && choosing.some(isTyped);
}

/** Throws UsageError where the flags of the format contradict each other. */
function checkFormat(given: Texts, origins: ReadonlyMap<string, Origin>): void {
  const format = given.get('output')?.at(-1);
  const isOther = format !== undefined && format !== 'json' && format !== 'ndjson';
  const label = (name: string) => (origins.get(name) === 'environment' ? twinOf(name) : flagLabel(name));
  const refuse = (name: string, other: string) => {
    throw new UsageError(`${label(name)} and ${other} contradict each other: give one.`);
  };
  if (given.has('jq') && given.has('template')) refuse('jq', label('template'));
  if (given.has('template') && format !== undefined) refuse('template', `${label('output')} ${format}`);
  for (const name of ['json', 'jq'])
    if (given.has(name) && isOther) refuse(name, `${label('output')} ${format}`);
}

function isOff(text: string): boolean {
  return /^(0|false|no|off)$/.test(text);
}

function only(given: Texts, flags: Flags): Texts {
  return new Map([...given].filter(([name]) => Object.hasOwn(flags, name)));
}

/** Whether errors are to be JSON, found without parsing: the line may be wrong. */
export function wantsJson(argv: readonly string[], environment: Environment): boolean {
  const end = argv.indexOf('--');
  const line = end === -1 ? argv : argv.slice(0, end);
  const formats = line.map((token, index) =>
    /^(?:-o|--output)$/.test(token) ? line[index + 1] : /^(?:-o|--output)=?(.*)$/.exec(token)?.[1],
  );
  if (line.some((token) => /^--(?:json|jq)(?:=|$)/.test(token))) return true;
  if (line.some((token) => /^--template(?:=|$)/.test(token))) return false;
  if (formats.some((format) => format !== undefined))
    return formats.some((format) => format === 'json' || format === 'ndjson');
  const twin = environment.WAYBILL_JSON ?? '';
  if ((twin !== '' && !isOff(twin)) || environment.WAYBILL_JQ) return true;
  return environment.WAYBILL_OUTPUT === 'json' || environment.WAYBILL_OUTPUT === 'ndjson';
}
