import { type FailureDetails, UsageError } from '../errors/failure.ts';
import type { Environment } from '../host/host.ts';
import { columnName, columnNames } from '../result/result.ts';
import type { Origin } from './flags.ts';
import { globalsFor } from './global-flags.ts';
import { type CommandSpec, envVarOf, type Flags, flagLabel, flagsOfEnvVar, type Raw } from './input.ts';

/** A command line split into texts, before they are parsed. */
export interface Parsed {
  own: Raw;
  global: Raw;
  /** The origin of each global flag with a text. */
  origins: ReadonlyMap<string, Origin>;
}

/** The texts of each flag, by its name in the code, in order. */
export type Texts = ReadonlyMap<string, readonly string[]>;

/** Combines the input of a line with the environment. Throws UsageError. */
export function parsedOf(
  command: CommandSpec,
  { words, texts }: { words: readonly string[]; texts: Texts },
  environment: Environment,
): Parsed {
  const globals = globalsFor(command);
  const given = new Map(texts);
  const origins = new Map<string, Origin>([...given.keys()].map((name) => [name, 'flag']));
  addFromEnvironment({ ...globals, ...command.flags }, environment, given, origins);
  checkFormat(given, origins, command);
  return {
    own: { flags: only(given, command.flags), words, origins },
    global: { flags: only(given, globals), words: [], origins },
    origins,
  };
}

function addFromEnvironment(
  flags: Flags,
  environment: Environment,
  given: Map<string, readonly string[]>,
  origins: Map<string, Origin>,
): void {
  // Looking up the variable of each flag would take longer than listing the existing variables.
  const named = new Set(Object.keys(environment).flatMap(flagsOfEnvVar));
  for (const [name, flag] of Object.entries(flags)) {
    const text = named.has(name) ? environment[envVarOf(name)] : undefined;
    if (text === undefined || text === '' || given.has(name) || isOverruled(name, given, origins)) continue;
    if (name === 'json') {
      if (!isOff(text)) given.set(name, [/^(1|true|yes|on)$/.test(text) ? '' : text]);
    } else given.set(name, flag.kind === 'list' ? text.split('\n') : [text]);
    origins.set(name, 'environment');
  }
}

/** The flags that select the format: a single choice, although some can be combined. */
const choosing = ['json', 'output', 'jq'];

/** A format flag on the line overrides the environment variables of all format flags. */
function isOverruled(name: string, given: Texts, origins: ReadonlyMap<string, Origin>): boolean {
  const isTyped = (other: string) => given.has(other) && origins.get(other) === 'flag';
  return choosing.includes(name) && choosing.some(isTyped);
}

/** Throws UsageError if format flags conflict. */
function checkFormat(
  given: Texts,
  origins: ReadonlyMap<string, Origin>,
  command: Pick<CommandSpec, 'columns'>,
): void {
  const format = given.get('output')?.at(-1);
  const isOther = format !== undefined && format !== 'json' && format !== 'ndjson';
  const label = (name: string) => (origins.get(name) === 'environment' ? envVarOf(name) : flagLabel(name));
  const refuse = (name: string, other: string, details: FailureDetails = {}) => {
    throw new UsageError(`${label(name)} and ${other} cannot be used together.`, details);
  };
  const fields = given.get('json')?.at(-1) ?? '';
  if (given.has('columns') && fields !== '') refuse('json', label('columns'));
  for (const name of ['json', 'jq'])
    if (given.has(name) && isOther)
      refuse(name, `${label('output')} ${format}`, columnsMeant(fields, format ?? '', command));
}

/** Suggests `-o csv --columns id,status` for `--json=id,status -o csv`. */
function columnsMeant(
  fields: string,
  format: string,
  { columns }: Pick<CommandSpec, 'columns'>,
): FailureDetails {
  const known = columnNames(columns);
  const names = fields.split(',').map((field) => columnName(field.split('.').at(-1) ?? ''));
  const found = names.filter((name) => known.includes(name));
  return found.length === 0 ? {} : { hint: `Did you mean -o ${format} --columns ${found.join(',')}?` };
}

function isOff(text: string): boolean {
  return /^(0|false|no|off)$/.test(text);
}

function only(given: Texts, flags: Flags): Texts {
  return new Map([...given].filter(([name]) => Object.hasOwn(flags, name)));
}

/** True if flags or the environment select JSON; used for errors of lines that could not be parsed. */
export function wantsJson(texts: Texts, environment: Environment): boolean {
  const isJson = (format: string | undefined) => format === 'json' || format === 'ndjson';
  if (texts.has('json') || texts.has('jq')) return true;
  if (texts.has('output')) return texts.get('output')?.some(isJson) === true;
  const json = environment[envVarOf('json')] ?? '';
  if ((json !== '' && !isOff(json)) || environment[envVarOf('jq')]) return true;
  return isJson(environment[envVarOf('output')]);
}
