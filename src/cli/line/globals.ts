import type { Command } from '../command.ts';
import { BadValue, choice, duration, type Flag, flag, text } from './flags.ts';
import { type Raw, readFlags } from './input.ts';

export const formats = ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json', 'id'] as const;
export type Format = (typeof formats)[number];

/** The formats of an answer that is drawn: it has no columns. */
export const drawingFormats = ['table', 'wide', 'tsv', 'ndjson', 'json', 'id'] as const;
/** The formats of an answer that comes line by line. */
export const streamFormats = ['table', 'wide', 'tsv', 'ndjson', 'json'] as const;

/** The formats of an answer about something that has no id. */
export const idlessFormats = ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json'] as const;

/** What each format of an answer is. */
export const formatMeanings = {
  table: 'columns for people; the default on a terminal',
  wide: 'the same with all columns',
  tsv: 'a tab between values, no header; the default elsewhere',
  csv: 'with a header line, formulas guarded',
  ndjson: 'one JSON object on each line',
  json: "one JSON document, the interface's own objects (the same as --json)",
  id: 'the ids alone, one on each line',
} as const satisfies Record<Format, string>;

export const timeModes = ['relative', 'local', 'iso'] as const;

export const colourModes = ['auto', 'always', 'never'] as const;

function outputFlag(choices: readonly Format[]): Flag<Format | undefined> {
  return choice({ choices, short: 'o', summary: 'Format of the answer', placeholder: 'FORMAT' });
}

/** Flags of every command. */
const everywhere = {
  json: {
    ...text({ summary: 'One JSON document; =a,b.c picks fields', placeholder: 'FIELDS' }),
    bare: true,
  },
  output: outputFlag(formats),
  jq: text({
    summary: 'JSON through this jq filter; text stands raw, all else on a line each',
    placeholder: 'FILTER',
  }),
  template: text({
    summary: 'Each record through this Liquid template, or that in @FILE',
    placeholder: 'TEXT',
  }),
  time: choice({ choices: timeModes, summary: 'How people see times', placeholder: 'HOW' }),
  noPager: flag({ summary: 'Long text goes straight to the terminal' }),
  quiet: flag({
    short: 'q',
    summary: 'Nothing on stderr but errors, and a warning where an expired quote was replaced',
  }),
  color: choice({
    choices: colourModes,
    default: 'auto',
    summary: 'Colour on a terminal',
    placeholder: 'WHEN',
    aliases: ['colour'],
  }),
  accessible: flag({ summary: 'No spinner, no redraw and no plots: one line for each change' }),
  showPii: flag({ summary: 'Phone numbers whole; else people see +1 312 *** **42' }),
  input: flag({ default: true, summary: 'Prompts for what is missing, in a terminal' }),
  profile: text({ summary: 'Profile to work in', placeholder: 'PROFILE' }),
  baseUrl: text({ summary: 'Address of the service', placeholder: 'URL' }),
  apiKeyFile: text({ summary: 'File that holds the API key', placeholder: 'FILE' }),
  requestTimeout: duration({ default: 120_000, summary: 'For all attempts of one request' }),
  debug: flag({ summary: 'Both sides of each exchange on stderr, keys cut' }),
  curl: flag({ summary: 'Each request on stderr as a curl command' }),
};

/** Flags of commands that change something. */
const writing = {
  dryRun: flag({ summary: 'Print the request that would change something; do not send it' }),
  idempotencyKey: keyFlag(),
};

/** A header carries the key: RFC 9110 allows visible characters and spaces within. */
function keyFlag(): Flag<string | undefined> {
  const base = text({ summary: 'Makes repeating this command safe', placeholder: 'KEY' });
  const read = (texts: readonly string[]) => {
    const key = texts.at(-1) ?? '';
    if (/^[\x20-\x7e]*$/.test(key)) return key;
    throw new BadValue('takes visible ASCII characters and spaces, without line breaks');
  };
  return { ...base, read };
}

/** The flag of commands that can ask for a yes. */
const confirming = { yes: flag({ short: 'y', summary: 'Say yes beforehand' }) };

export const globalFlags = { ...everywhere, ...writing, ...confirming };
export type GlobalName = keyof typeof globalFlags;
export type GlobalValues = {
  [K in GlobalName]: (typeof globalFlags)[K] extends Flag<infer T> ? T : never;
};

/** The global flags that a command takes. */
export function globalsFor(
  command: Pick<Command, 'effect' | 'confirms' | 'formats'>,
): Record<string, Flag<unknown>> {
  return {
    ...everywhere,
    output: outputFlag(command.formats),
    ...(command.effect === 'write' ? writing : {}),
    ...(command.confirms ? confirming : {}),
  };
}

/** The values of the global flags; those that a command does not take have their defaults. */
export function readGlobals(raw: Raw): GlobalValues {
  const values = readFlags(globalFlags, raw);
  if (isWhole(values)) return values;
  throw new TypeError('the global flags are not whole');
}

function isWhole(values: object): values is GlobalValues {
  return Object.keys(globalFlags).every((name) => Object.hasOwn(values, name));
}
