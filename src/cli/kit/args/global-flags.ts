import { colourModes } from '../output/colour.ts';
import { timeModes } from '../output/times.ts';
import { didYouMean } from '../result/message.ts';
import { columnName, columnNames, type Format, formats } from '../result/result.ts';
import { BadValue, choice, duration, type Flag, flag, list, optionalFlag, text, textAs } from './flags.ts';
import { type CommandSpec, type Raw, readFlags } from './input.ts';

function outputFlag(choices: readonly Format[]): Flag<Format | undefined> {
  return choice({ choices, short: 'o', summary: 'Output format', placeholder: 'FORMAT' });
}

/** Flags of every command. */
const everywhere = {
  json: {
    ...text({ summary: 'Print one JSON document; =a,b.c selects fields', placeholder: 'FIELDS' }),
    bare: true,
  },
  output: outputFlag(formats),
  jq: text({
    summary: 'Filter the JSON output with a jq expression',
    placeholder: 'FILTER',
  }),
  time: choice({ choices: timeModes, summary: 'How to show times', placeholder: 'HOW' }),
  noPager: flag({ summary: 'Do not use a pager' }),
  quiet: flag({
    short: 'q',
    summary: 'Print only errors, and a warning when an expired quote is replaced',
  }),
  color: choice({
    choices: colourModes,
    default: 'auto',
    summary: 'When to use color',
    placeholder: 'WHEN',
    aliases: ['colour'],
  }),
  accessible: flag({ summary: 'Screen reader mode: no spinners, redraws or charts' }),
  showPii: flag({
    summary: 'Show phone numbers and e-mail addresses unmasked (masked: +1 312 *** **42, j***@shop.example)',
  }),
  input: flag({ default: true, summary: 'Prompt for missing values (in a terminal)' }),
  profile: text({ summary: 'Profile to use', placeholder: 'PROFILE' }),
  baseUrl: text({ summary: 'URL of the service', placeholder: 'URL' }),
  apiKeyFile: text({ summary: 'Read the API key from this file', placeholder: 'FILE' }),
  requestTimeout: duration({ default: 120_000, summary: 'Time limit for a request, including retries' }),
  debug: flag({ summary: 'Print requests and responses to stderr (keys redacted)' }),
  curl: flag({ summary: 'Print each request to stderr as a curl command' }),
};

/** Flags of commands whose columns can be chosen. */
const tabular = {
  columns: columnsFlag(null),
  raw: optionalFlag({
    summary: "Show the API's own values: cents, UTC times, unmasked; --no-raw: dollars, local times",
  }),
};

/** The flag for names of these columns; null: any names, which are checked once the command is known. */
function columnsFlag(columns: CommandSpec['columns'] | null): Flag<string[] | undefined> {
  const base = list({ summary: 'Columns to show, in this order, in every format', placeholder: 'COLUMNS' });
  const names = columnNames(columns ?? []);
  const read = (texts: readonly string[]) => {
    const given = texts.flatMap((each) => each.split(',').map(columnName));
    const unknown = given.find((name) => !names.includes(name));
    if (columns !== null && unknown !== undefined) throw unknownColumn(unknown, columns);
    return [...new Set(given)];
  };
  return { ...base, choices: names, read, absent: () => undefined };
}

function unknownColumn(name: string, columns: CommandSpec['columns']): BadValue {
  const fields = [...new Set(columns.map(({ field }) => field))];
  const hint = didYouMean(name, columnNames(columns)) ?? null;
  return new BadValue(`cannot be "${name}": the columns are ${fields.join(', ')}`, fields, name, hint);
}

/** Flags of commands that change records. */
const writing = {
  dryRun: flag({ summary: 'Print the request without sending it' }),
  idempotencyKey: textAs(readKey, { summary: 'Make it safe to repeat this command', placeholder: 'KEY' }),
};

/** The key is sent in a header: RFC 9110 allows visible characters with spaces between them. */
function readKey(key: string): string {
  if (/^[\x20-\x7e]*$/.test(key)) return key;
  throw new BadValue('must contain only printable ASCII characters');
}

/** The flag of commands that ask for confirmation. */
const confirming = { yes: flag({ short: 'y', summary: 'Skip the confirmation prompt' }) };

export const globalFlags = { ...everywhere, ...tabular, ...writing, ...confirming };
export type GlobalName = keyof typeof globalFlags;
export type GlobalValues = {
  [K in GlobalName]: (typeof globalFlags)[K] extends Flag<infer T> ? T : never;
};

/** The global flags that a command takes. */
export function globalsFor(
  command: Pick<CommandSpec, 'effect' | 'confirms' | 'formats' | 'columns'>,
): Record<string, Flag<unknown>> {
  return {
    ...everywhere,
    output: outputFlag(command.formats),
    ...(command.columns.length === 0 ? {} : { ...tabular, columns: columnsFlag(command.columns) }),
    ...(command.effect === 'write' ? writing : {}),
    ...(command.confirms || command.effect === 'write' ? confirming : {}),
  };
}

/** Reads the values of the global flags; those that a command does not take have their defaults. */
export function readGlobals(raw: Raw): GlobalValues {
  const values = readFlags(globalFlags, raw);
  if (isWhole(values)) return values;
  throw new TypeError('the global flags are not whole');
}

function isWhole(values: object): values is GlobalValues {
  return Object.keys(globalFlags).every((name) => Object.hasOwn(values, name));
}
