import { CommanderError, Option, Command as Parser } from 'commander';
import type { Command, Flags } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import type { Origin } from '../settings/settings.ts';
import { refuseEatenFlags } from './eaten.ts';
import { globalsFor } from './globals.ts';
import { dashed, flagLabel, type Raw, twinOf } from './input.ts';
import { meantFlag } from './suggestions.ts';

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

type Texts = Map<string, string[]>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Takes a line apart with Commander; what the line does not give, the environment may. Throws UsageError. */
export function parse({ path, command, rest }: Line, environment: Environment): Parsed {
  const globals = globalsFor(command);
  const given: Texts = new Map();
  if (wantsHelp(rest)) return { own: nothing, global: nothing, origins: new Map(), help: true };
  const line = { path, tokens: rest.map(withBareValue), flags: { ...globals, ...command.flags } };
  const { words, help } = takeApart(line, given);
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

interface Tokens {
  path: readonly string[];
  tokens: readonly string[];
  flags: Flags;
}

/** Fills in the texts of the flags; gives the words that are left, and whether help is asked for. */
function takeApart({ path, tokens, flags }: Tokens, given: Texts): { words: string[]; help: boolean } {
  refuseEatenFlags(tokens, flags);
  const program = silent(new Parser('waybill'));
  const parser = path.reduce((above, word) => above.command(word), program);
  parser
    .allowExcessArguments()
    .argument('[words...]')
    .action(() => {});
  let help = false;
  parser.addOption(new Option('-h, --help')).on('option:help', () => {
    help = true;
  });
  for (const [name, flag] of typed(flags, tokens)) addFlag(parser, name, flag, given);
  try {
    program.parse([...path, ...tokens], { from: 'user' });
    return { words: [...parser.args], help };
  } catch (error) {
    if (error instanceof CommanderError) throw usageError(error, flags);
    throw error;
  }
}

/** A command of Commander's that neither prints nor ends the process; its own commands take after it. */
function silent(parser: Parser): Parser {
  return parser
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false);
}

/** The flags that stand in the line: to make an option for each of the others costs more than to look. */
function typed(flags: Flags, tokens: readonly string[]): [string, Flags[string]][] {
  const longs = new Set(tokens.filter((token) => token.startsWith('--')).map((token) => token.split('=')[0]));
  const shorts = tokens.filter((token) => /^-[^-]/.test(token)).join('');
  return Object.entries(flags).filter(([name, flag]) => {
    const names = [dashed(name), `no-${dashed(name)}`, ...flag.aliases];
    return (
      names.some((long) => longs.has(`--${long}`)) || (flag.short !== null && shorts.includes(flag.short))
    );
  });
}

function addFlag(parser: Parser, name: string, flag: Flags[string], given: Texts): void {
  for (const option of optionsOf(name, flag)) {
    parser.addOption(option);
    parser.on(`option:${option.name()}`, (text: string | null | undefined) => {
      // A flag's own name may begin with `no-`, which Commander takes for the denial of another.
      const isDenied = option.negate && option.name() !== dashed(name);
      const value = isDenied ? 'false' : (text ?? 'true');
      given.set(name, [...(given.get(name) ?? []), value]);
    });
  }
}

function optionsOf(name: string, flag: Flags[string]): Option[] {
  const long = dashed(name);
  const value = flag.kind === 'switch' ? '' : flag.bare ? ' [value]' : ' <value>';
  const short = flag.short === null ? '' : `-${flag.short}, `;
  const negations = flag.negatable ? [new Option(`--no-${long}`)] : [];
  const aliases = flag.aliases.map((alias) => new Option(`--${alias}${value}`));
  return [new Option(`${short}--${long}${value}`), ...aliases, ...negations];
}

function usageError(error: CommanderError, flags: Flags): UsageError {
  const name = /'([^']+)'/.exec(error.message)?.[1] ?? '';
  const long = /--[\w-]+/.exec(name)?.[0] ?? name;
  if (error.code === 'commander.optionMissingArgument') {
    return new UsageError(`${long} needs a value.`, { code: 'missing_value' });
  }
  const names = Object.entries(flags).flatMap(([key, flag]) => [
    ...[dashed(key), ...flag.aliases].map((word) => `--${word}`),
    ...(flag.negatable ? [`--no-${dashed(key)}`] : []),
  ]);
  const flag = long.replace(/=.*$/s, '');
  if (names.includes(flag))
    return new UsageError(`${flag} takes no value: it stands alone.`, { code: 'bad_value' });
  const hint = meantFlag(flag, names);
  return new UsageError(`There is no flag ${flag} for this command.`, {
    code: 'unknown_flag',
    ...(hint === undefined ? {} : { hint }),
    choices: names,
  });
}

/** Takes apart a line that names no command: only global flags may stand there. */
export function parseGlobals(rest: readonly string[], globals: Flags): { help: boolean; json: boolean } {
  if (wantsHelp(rest)) return { help: true, json: false };
  const given: Texts = new Map();
  const { help } = takeApart({ path: [], tokens: rest.map(withBareValue), flags: globals }, given);
  return { help, json: given.has('json') };
}

function addFromEnvironment(
  flags: Flags,
  environment: Environment,
  given: Texts,
  origins: Map<string, Origin>,
): void {
  for (const [name, flag] of Object.entries(flags)) {
    const text = environment[twinOf(name)];
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
