import { CommanderError, Option, Command as Parser } from 'commander';
import type { Command, Flags } from './command.ts';
import { UsageError } from './failure.ts';
import { globalsFor } from './globals.ts';
import { dashed, type Raw, twinOf } from './input.ts';
import type { Origin } from './settings.ts';
import { didYouMean } from './suggestions.ts';

/** The line of a command, taken apart but not yet read. */
export interface Parsed {
  own: Raw;
  global: Raw;
  /** Where each global flag that has a text got it. */
  origins: ReadonlyMap<string, Origin>;
  help: boolean;
}

type Texts = Map<string, string[]>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Takes a line apart with Commander; what the line does not give, the environment may. Throws UsageError. */
export function parse(command: Command, rest: readonly string[], environment: Environment): Parsed {
  const globals = globalsFor(command);
  const given: Texts = new Map();
  const parser = parserFor({ ...globals, ...command.flags }, given);
  let help = false;
  parser.addOption(new Option('-h, --help')).on('option:help', () => {
    help = true;
  });
  const words = run(parser, rest.map(withBareValue), { ...globals, ...command.flags });
  const origins = new Map<string, Origin>([...given.keys()].map((name) => [name, 'flag']));
  addFromEnvironment({ ...globals, ...command.flags }, environment, given, origins);
  return {
    own: { flags: only(given, command.flags), words },
    global: { flags: only(given, globals), words: [] },
    origins,
    help,
  };
}

/** `--json` never takes the next word: only `--json=id,status` has a value. */
function withBareValue(token: string): string {
  return token === '--json' ? '--json=' : token;
}

function parserFor(flags: Flags, given: Texts): Parser {
  const parser = new Parser('waybill')
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false)
    .allowExcessArguments()
    .argument('[words...]')
    .action(() => {});
  for (const [name, flag] of Object.entries(flags)) {
    for (const option of optionsOf(name, flag)) {
      parser.addOption(option);
      parser.on(`option:${option.name()}`, (text: string | null | undefined) => {
        const value = option.negate ? 'false' : (text ?? 'true');
        given.set(name, [...(given.get(name) ?? []), value]);
      });
    }
  }
  return parser;
}

function optionsOf(name: string, flag: Flags[string]): Option[] {
  const long = dashed(name);
  const value = flag.kind === 'switch' ? '' : flag.bare ? ' [value]' : ' <value>';
  const short = flag.short === null ? '' : `-${flag.short}, `;
  const negations = flag.negatable ? [new Option(`--no-${long}`)] : [];
  const aliases = flag.aliases.map((alias) => new Option(`--${alias}${value}`));
  return [new Option(`${short}--${long}${value}`), ...aliases, ...negations];
}

function run(parser: Parser, tokens: readonly string[], flags: Flags): string[] {
  try {
    parser.parse(tokens, { from: 'user' });
    return [...parser.args];
  } catch (error) {
    if (error instanceof CommanderError) throw usageError(error, flags);
    throw error;
  }
}

function usageError(error: CommanderError, flags: Flags): UsageError {
  const name = /'([^']+)'/.exec(error.message)?.[1] ?? '';
  const long = /--[\w-]+/.exec(name)?.[0] ?? name;
  if (error.code === 'commander.optionMissingArgument') {
    return new UsageError(`${long} takes a value.`, { code: 'missing_value' });
  }
  const names = Object.entries(flags).flatMap(([key, flag]) => [
    ...[dashed(key), ...flag.aliases].map((word) => `--${word}`),
    ...(flag.negatable ? [`--no-${dashed(key)}`] : []),
  ]);
  const hint = didYouMean(long.replace(/=.*$/s, ''), names);
  return new UsageError(`There is no flag ${long.replace(/=.*$/s, '')} for this command.`, {
    code: 'unknown_flag',
    ...(hint === undefined ? {} : { hint }),
    choices: names,
  });
}

/** Takes apart a line that names no command: only global flags may stand there. */
export function parseGlobals(rest: readonly string[], globals: Flags): { help: boolean; json: boolean } {
  const given: Texts = new Map();
  const parser = parserFor(globals, given);
  let help = false;
  parser.addOption(new Option('-h, --help')).on('option:help', () => {
    help = true;
  });
  run(parser, rest.map(withBareValue), globals);
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
    if (text === undefined || text === '' || given.has(name)) continue;
    if (name === 'json') {
      if (!isOff(text)) given.set(name, [/^(1|true|yes|on)$/.test(text) ? '' : text]);
    } else given.set(name, flag.kind === 'list' ? text.split('\n') : [text]);
    origins.set(name, 'environment');
  }
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
  if (line.some((token) => token === '--json' || token.startsWith('--json='))) return true;
  if (formats.some((format) => format !== undefined))
    return formats.some((format) => format === 'json' || format === 'ndjson');
  const twin = environment.WAYBILL_JSON ?? '';
  if (twin !== '' && !isOff(twin)) return true;
  return environment.WAYBILL_OUTPUT === 'json' || environment.WAYBILL_OUTPUT === 'ndjson';
}
