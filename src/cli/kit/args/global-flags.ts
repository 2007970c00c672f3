/** The flags of every command, or of every command of a kind (`globalsFor`), and their values (`readGlobals`). */
import { colourModes } from '../output/colour.ts';
import { timeModes } from '../output/times.ts';
import { columnMeant, columnName, columnNames, otherColumnNames } from '../result/column-names.ts';
import { didYouMean } from '../result/message.ts';
import { type Format, formats } from '../result/result.ts';
import { type CommandSpec, type ConnectionFlag, hasEach, type RawInput, readFlags } from './command-input.ts';
import {
  BadValue,
  choiceFlag,
  durationFlag,
  type Flag,
  listFlag,
  optionalSwitchFlag,
  parsedTextFlag,
  switchFlag,
  textFlag,
} from './flags.ts';

function outputFlag(choices: readonly Format[]): Flag<Format | undefined> {
  return choiceFlag({ choices, short: 'o', summary: 'Output format', placeholder: 'FORMAT' });
}

/** Flags of every command. */
const commonFlags = {
  json: {
    ...textFlag({ summary: 'Print one JSON document; =a,b.c selects fields', placeholder: 'FIELDS' }),
    hasOptionalValue: true,
  },
  output: outputFlag(formats),
  jq: textFlag({
    summary: 'Filter the JSON output with a jq expression',
    placeholder: 'FILTER',
  }),
  time: choiceFlag({ choices: timeModes, summary: 'How to show times', placeholder: 'HOW' }),
  noPager: switchFlag({ summary: 'Do not use a pager' }),
  quiet: switchFlag({
    short: 'q',
    summary: 'Print only errors, a warning when an expired quote is replaced, and of what was created its ID',
  }),
  color: choiceFlag({
    choices: colourModes,
    default: 'auto',
    summary: 'When to use color',
    placeholder: 'WHEN',
    aliases: ['colour'],
  }),
  accessible: switchFlag({ summary: 'Screen reader mode: no spinners, redraws or charts' }),
  showPii: switchFlag({
    summary: 'Show phone numbers and e-mail addresses unmasked (masked: +1 312 *** **42, j***@shop.example)',
  }),
  input: switchFlag({ default: true, summary: 'Prompt for missing values (in a terminal)' }),
  debug: switchFlag({ summary: 'Print requests and responses to stderr (keys redacted)' }),
};

const connectionFlags = {
  profile: textFlag({ summary: 'Profile to use', placeholder: 'PROFILE' }),
  baseUrl: textFlag({ summary: 'URL of the service', placeholder: 'URL' }),
  apiKeyFile: textFlag({ summary: 'Read the API key from this file', placeholder: 'FILE' }),
  requestTimeout: durationFlag({ default: 120_000, summary: 'Time limit for a request, including retries' }),
  curl: switchFlag({ summary: 'Print each request to stderr as a curl command' }),
} satisfies Record<ConnectionFlag, Flag<unknown>>;

/** Flags of commands whose columns can be chosen. */
const columnFlags = {
  columns: columnsFlag(null),
  raw: optionalSwitchFlag({
    summary: "Show the API's own values: cents, UTC times, unmasked; --no-raw: dollars, local times",
  }),
};

/** The flag for names of these columns; null: any names, which are checked once the command is known. */
function columnsFlag(columns: CommandSpec['columns'] | null): Flag<string[] | undefined> {
  const base = listFlag({
    summary: 'Columns to show, in this order, in every format',
    placeholder: 'COLUMNS',
  });
  const names = columnNames(columns ?? []);
  const read = (texts: readonly string[]) => {
    const given = texts.flatMap((each) =>
      each.split(',').map((name) => columnMeant(columnName(name), names)),
    );
    const unknown = given.find((name) => !names.includes(name));
    if (columns !== null && unknown !== undefined) throw unknownColumn(unknown, columns);
    return [...new Set(given)];
  };
  return { ...base, choices: names, read, absent: () => undefined };
}

/** The most columns that an error names; more are only in the help. */
const max_named_columns = 20;

/** The fault of a name that no column has; `what` is the predicate of its sentence. */
export function unknownColumn(
  name: string,
  columns: CommandSpec['columns'],
  what = 'cannot be',
  meant: string | null = null,
): BadValue {
  const fields = [...new Set(columns.map(({ field }) => field))];
  const names = columnNames(columns);
  const others = Object.keys(otherColumnNames).filter((each) => columnMeant(each, names) !== each);
  const hint = meant ?? didYouMean(columnName(name), [...names, ...others]) ?? null;
  const lookup = hint === null ? '; --help lists them' : '';
  const isShort = fields.length <= max_named_columns;
  const columnsText = isShort ? `: the columns are ${fields.join(', ')}` : lookup;
  return new BadValue(`${what} "${name}"${columnsText}`, fields, name, hint);
}

/** Flags of commands that change records. */
const writeFlags = {
  dryRun: switchFlag({ summary: 'Print the request without sending it' }),
  idempotencyKey: parsedTextFlag(readIdempotencyKey, {
    summary: 'Make it safe to repeat this command',
    placeholder: 'KEY',
  }),
};

/** The key is sent in a header: RFC 9110 allows visible characters with spaces between them. */
function readIdempotencyKey(key: string): string {
  if (/^[\x20-\x7e]*$/.test(key)) return key;
  throw new BadValue('must contain only printable ASCII characters');
}

/** The flag of commands that ask for confirmation. */
function confirmationFlags(when = '') {
  return { yes: switchFlag({ short: 'y', summary: `Skip the confirmation prompt ${when}`.trimEnd() }) };
}

export const globalFlags = {
  ...commonFlags,
  ...connectionFlags,
  ...columnFlags,
  ...writeFlags,
  ...confirmationFlags(),
};
export type GlobalName = keyof typeof globalFlags;
export type GlobalValues = {
  [K in GlobalName]: (typeof globalFlags)[K] extends Flag<infer T> ? T : never;
};

export function globalsFor(
  command: Pick<
    CommandSpec,
    'effect' | 'confirms' | 'confirmsWhen' | 'formats' | 'columns' | 'connectionFlags'
  >,
): Record<string, Flag<unknown>> {
  return {
    ...commonFlags,
    output: outputFlag(command.formats),
    ...Object.fromEntries(command.connectionFlags.map((name) => [name, connectionFlags[name]])),
    ...(command.columns.length === 0 ? {} : { ...columnFlags, columns: columnsFlag(command.columns) }),
    ...(command.effect === 'write' ? writeFlags : {}),
    ...(command.confirms || command.effect === 'write' ? confirmationFlags(command.confirmsWhen) : {}),
  };
}

/** Reads the values of the global flags; those that a command does not take have their defaults. */
export function readGlobals(raw: RawInput): GlobalValues {
  const values = readFlags(globalFlags, raw);
  if (hasEach<GlobalValues>(globalFlags, values)) return values;
  throw new TypeError('the global flags are not whole');
}
