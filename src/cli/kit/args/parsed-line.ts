/** The texts of flags as typed, else of the environment (`withEnvironment`), else of a file (`withConfigFile`). */
import { type FailureDetails, UsageError } from '../errors/failure.ts';
import type { Environment } from '../host/host.ts';
import { columnName, columnNames } from '../result/column-names.ts';
import { dashed, didYouMean } from '../result/message.ts';
import {
  type CommandSpec,
  type Flags,
  flagLabel,
  flagsOfEnvVar,
  nameEnvVar,
  type RawInput,
} from './command-input.ts';
import type { Origin } from './flags.ts';
import { globalsFor } from './global-flags.ts';

/** A command line split into texts, before they are parsed. */
export interface ParsedLine {
  own: RawInput;
  global: RawInput;
  /** The origin of each global flag with a text. */
  origins: ReadonlyMap<string, Origin>;
}

/** The texts of each flag, by its name in the code, in order. */
export type FlagTexts = ReadonlyMap<string, readonly string[]>;

/** Combines the input of a line with the environment. Throws UsageError. */
export function withEnvironment(
  command: CommandSpec,
  { words, texts }: { words: readonly string[]; texts: FlagTexts },
  environment: Environment,
): ParsedLine {
  const globals = globalsFor(command);
  const given = new Map(texts);
  const origins = new Map<string, Origin>([...given.keys()].map((name) => [name, 'flag']));
  addFromEnvironment({ ...globals, ...command.flags }, environment, given, origins);
  checkFormat(given, origins, command);
  return {
    own: { flags: textsOf(given, command.flags), words, origins },
    global: { flags: textsOf(given, globals), words: [], origins },
    origins,
  };
}

/** The address that Kubernetes and Docker put in WAYBILL_PORT beside a service of our name: `tcp://10.0.0.7:4010`. */
const serviceLink = /^(?:tcp|udp|sctp):\/\/[\d.:a-f[\]]+$/;

function addFromEnvironment(
  flags: Flags,
  environment: Environment,
  given: Map<string, readonly string[]>,
  origins: Map<string, Origin>,
): void {
  // Looking up the variable of each flag would take longer than listing the existing variables.
  const named = new Set(Object.keys(environment).flatMap(flagsOfEnvVar));
  for (const [name, flag] of Object.entries(flags)) {
    const text = named.has(name) ? environment[nameEnvVar(name)] : undefined;
    if (text === undefined || text === '' || serviceLink.test(text)) continue;
    if (given.has(name) || isOverridden(name, given, origins)) continue;
    if (name === 'json') {
      if (!saysNo(text)) given.set(name, [/^(1|true|yes|on)$/.test(text) ? '' : text]);
    } else given.set(name, flag.kind === 'list' ? text.split('\n') : [text]);
    origins.set(name, 'environment');
  }
}

/** The flags that select the format: a single choice, although some can be combined. */
const formatFlags = ['json', 'output', 'jq'];

/** A format flag on the line overrides the environment variables of all format flags. */
function isOverridden(name: string, given: FlagTexts, origins: ReadonlyMap<string, Origin>): boolean {
  const isTyped = (other: string) => given.has(other) && origins.get(other) === 'flag';
  return formatFlags.includes(name) && formatFlags.some(isTyped);
}

/** Throws UsageError if format flags conflict. */
function checkFormat(
  given: FlagTexts,
  origins: ReadonlyMap<string, Origin>,
  command: Pick<CommandSpec, 'columns'>,
): void {
  const format = given.get('output')?.at(-1);
  const isOther = format !== undefined && format !== 'json' && format !== 'ndjson';
  const label = (name: string) => (origins.get(name) === 'environment' ? nameEnvVar(name) : flagLabel(name));
  const refuse = (name: string, other: string, details: FailureDetails = {}) => {
    throw new UsageError(`${label(name)} and ${other} cannot be used together.`, details);
  };
  const fields = given.get('json')?.at(-1) ?? '';
  if (given.has('columns') && fields !== '') refuse('json', label('columns'));
  for (const name of ['json', 'jq'])
    if (given.has(name) && isOther)
      refuse(name, `${label('output')} ${format}`, suggestColumns(fields, format ?? '', command));
}

/** Suggests `-o csv --columns id,status` for `--json=id,status -o csv`. */
function suggestColumns(
  fields: string,
  format: string,
  { columns }: Pick<CommandSpec, 'columns'>,
): FailureDetails {
  const existing = columnNames(columns);
  const names = fields.split(',').map((field) => columnName(field.split('.').at(-1) ?? ''));
  const meant = names.filter((name) => existing.includes(name));
  return meant.length === 0 ? {} : { hint: `Did you mean -o ${format} --columns ${meant.join(',')}?` };
}

function saysNo(text: string): boolean {
  return /^(0|false|no|off)$/.test(text);
}

function textsOf(given: FlagTexts, flags: Flags): FlagTexts {
  return new Map([...given].filter(([name]) => Object.hasOwn(flags, name)));
}

/** Adds the values of a command's configuration file, with `~` expanded, to a line. Throws UsageError. */
export async function withConfigFile(
  command: CommandSpec,
  parsed: ParsedLine,
  expandHome: (text: string) => string,
  read: (path: string) => Promise<string>,
): Promise<ParsedLine> {
  const path = command.configFlag === null ? undefined : parsed.own.flags.get(command.configFlag)?.at(-1);
  if (path === undefined) return parsed;
  const flags = new Map(parsed.own.flags);
  const origins = new Map(parsed.origins);
  for (const [name, texts] of parseConfig(await read(path), path, command)) {
    if (flags.has(name)) continue;
    flags.set(name, texts.map(expandHome));
    origins.set(name, 'file' satisfies Origin);
  }
  return { ...parsed, origins, own: { ...parsed.own, flags, origins } };
}

/** Parses lines of the form `name = value`, where the name is that of a flag, in quotes or not; `#` starts a comment. */
function parseConfig(
  text: string,
  path: string,
  { flags, configFlag }: CommandSpec,
): Map<string, readonly string[]> {
  const names = new Map(
    Object.keys(flags)
      .filter((name) => name !== configFlag)
      .map((name) => [dashed(name), name]),
  );
  const values = new Map<string, readonly string[]>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const location = `${path}, line ${index + 1}`;
    const [, label = '', value = ''] = /^([^\s=]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (label === '') throw new UsageError(`${location}: expected a setting such as \`port = 4010\`.`);
    const name = names.get(label);
    if (name === undefined) {
      const hint = didYouMean(label, [...names.keys()]);
      throw new UsageError(`${location}: unknown setting ${label}.`, hint === undefined ? {} : { hint });
    }
    const before = values.get(name) ?? [];
    if (before.length > 0 && flags[name]?.kind !== 'list')
      throw new UsageError(`${location}: ${label} is set twice.`);
    values.set(name, [...before, value.replace(/^(["'])(.*)\1$/, '$2')]);
  }
  return values;
}

/** True if flags or the environment select JSON; used for errors of lines that could not be parsed. */
export function wantsJson(texts: FlagTexts, environment: Environment): boolean {
  const isJson = (format: string | undefined) => format === 'json' || format === 'ndjson';
  if (texts.has('json') || texts.has('jq')) return true;
  if (texts.has('output')) return texts.get('output')?.some(isJson) === true;
  const json = environment[nameEnvVar('json')] ?? '';
  if ((json !== '' && !saysNo(json)) || environment[nameEnvVar('jq')]) return true;
  return isJson(environment[nameEnvVar('output')]);
}
