import { scenarios } from '../../domain/scenarios.ts';
import { exits } from '../failures/exit-codes.ts';
import { type OwnMeaning, ownCodes, usualCodes } from '../failures/own-codes.ts';
import { serviceMeanings } from '../failures/service-errors.ts';
import { formatMeanings, globalFlags } from '../line/globals.ts';
import { envVarOf, flagLabel } from '../line/input.ts';
import { type Line, lines, type Section, words } from './page.ts';

/** A page of help that belongs to no command, made from the tables that the code uses. */
export interface Topic {
  name: string;
  summary: string;
  sections(): Section[];
  /** The same as data. */
  data(): readonly Record<string, unknown>[];
}

/** The pages of the user's guide, in reading order; each is `src/guide/NAME.md` and begins with its summary. */
export const guideTopics: readonly Pick<Topic, 'name' | 'summary'>[] = [
  { name: 'getting-started', summary: 'make a first delivery by hand, with the wizard, or in one line' },
  { name: 'support-desk', summary: 'find a delivery, explain what happened, and do what can still be done' },
  { name: 'scripts-and-ci', summary: 'rely on formats, exit codes, idempotency and waiting' },
  { name: 'auto-dispatch', summary: 'let the service quote, choose, dispatch and retry' },
  { name: 'importing-orders', summary: 'create orders from a CSV, NDJSON or JSON file' },
  { name: 'events-and-webhooks', summary: 'follow every change, on your machine or at your own server' },
  {
    name: 'simulated-couriers',
    summary: 'simulated couriers, a clock that you control, and every outcome on purpose',
  },
  { name: 'operating', summary: 'run the service for others on SQLite or PostgreSQL' },
  { name: 'formats', summary: 'choose how an answer is written' },
  { name: 'settings', summary: 'settings, profiles and keys' },
];

/** Variables that are no twin of a flag. */
export const variables: readonly { name: string; meaning: string }[] = [
  { name: 'WAYBILL_API_KEY', meaning: 'The API key; goes before the key of the profile' },
  { name: 'WAYBILL_WEBHOOK_SECRET', meaning: 'The secret that `webhooks verify` checks with' },
  { name: 'WAYBILL_CONFIG_DIR', meaning: 'Folder of the settings' },
  { name: 'WAYBILL_DATA_DIR', meaning: "Folder of the embedded service's database" },
  { name: 'WAYBILL_CACHE_DIR', meaning: 'Folder of compiled code, and of the ids that completion offers' },
  { name: 'WAYBILL_NO_CACHE', meaning: '1: no ids are kept for completion' },
  { name: 'NODE_DISABLE_COMPILE_CACHE', meaning: '1: compiled code is not kept; every start is slower' },
  { name: 'WAYBILL_NO_UPDATE_NOTICE, NO_UPDATE_NOTIFIER', meaning: 'No word of newer versions' },
  {
    name: 'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    meaning: 'Where those folders are, unless their own variable says so',
  },
  { name: 'SHELL', meaning: 'The shell that `completion` is for where none is named' },
  { name: 'NO_COLOR', meaning: 'No colour' },
  { name: 'FORCE_COLOR', meaning: 'Colour everywhere; 0 for none' },
  { name: 'CLICOLOR', meaning: '0: no colour' },
  { name: 'CLICOLOR_FORCE', meaning: 'Colour everywhere' },
  { name: 'FORCE_HYPERLINK', meaning: '1: addresses are links on every terminal with colour; 0: on none' },
  { name: 'WAYBILL_PAGER, PAGER', meaning: 'What shows long text; empty or `cat`: nothing does [less -FRX]' },
  { name: 'TERM', meaning: 'dumb: no colour, no spinner, no pager; dumb and linux: plots in ASCII' },
  {
    name: 'LC_ALL, LC_CTYPE, LANG',
    meaning: 'The first that is set; without UTF-8 in it plots are in ASCII',
  },
  { name: 'CI', meaning: 'No prompts, no spinner, no pager and no links' },
  { name: 'ACCESSIBLE', meaning: 'The same as --accessible' },
  { name: 'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY', meaning: 'Proxy for the service' },
  { name: 'NO_PROXY', meaning: 'Hosts that no proxy is used for' },
];

const streams = [
  'stdout carries the answer and nothing else; all other words go to stderr.',
  'A table on a terminal, tab-separated lines elsewhere; --json or -o FORMAT choose.',
  'A table wider than the terminal leaves columns out, as stderr says, or turns into cards.',
  'What is longer than the screen goes through a pager; addresses are links where a terminal has them.',
  'Where a cell of csv or tsv begins as a formula does (= + - @), an apostrophe stands before it.',
  'Money is cents and times are ISO UTC in the formats for programs.',
  'People see phone numbers as +1 312 *** **42, unless --show-pii; formats for programs have them whole.',
  'With --json an error is one JSON object on stderr, and nobody is asked anything.',
  'With --json a write says { "type": "context", "profile", "mode" } on stderr first, on a line of its own.',
];

/** What filters and templates are given, and what they may do. */
const expressions: readonly Line[] = [
  [
    '--jq FILTER',
    'jq 1.7.1 itself. It is given what --json writes: a list is one array; with -o ndjson, and for what goes on, each line by itself. Text is written as it is, all else as JSON on a line. It sees no files and no environment.',
  ],
  [
    '--template TEXT',
    'Liquid, each record by itself: {{ id }}, {{ dropoffs[0].dropoff_name }}, {% if courier_name %}…{% endif %}. \\n and \\t are a new line and a tab; @FILE reads it from a file. A field that is not there is an error, but in `if` and before `default`.',
  ],
  ['{{ payment_amount | money }}', 'cents as $6.47'],
  ['{{ created_at | time }}', 'as --time says'],
  ['{{ created_at | age }}', '4 min ago'],
  ['{{ items | json }}', 'JSON on a line'],
  ['{{ external_order_ref | csv }}', 'a cell of a CSV, quoted where it must be, formulas guarded'],
];

/** Where a scenario is chosen, the first that names one. */
const doors: readonly Line[] = [
  ['--simulate NAME', 'when an order or a delivery is created; the header x-simulation carries it'],
  [
    "--simulate 'NAME; provider=flaky_co'",
    'lets one quote too that only quotes when it is named; you still choose',
  ],
  ['+1 312 555 01NN', 'as its dropoff phone, any area: the scenario with this number, if there is one'],
  ['waybill sandbox scenario set', 'the default of the account'],
];

export const topics: readonly Topic[] = [
  {
    name: 'exit-codes',
    summary: 'what each exit code means',
    sections: () => [
      ...lines(
        'Exit codes',
        exits.map(({ code, meaning }): Line => [String(code), meaning]),
      ),
      words(null, 'An error has a code too: `error.code` of the object that --json writes on stderr.'),
      ...lines('Error codes of the service', codeLines(serviceMeanings)),
      ...lines('Error codes of this program', codeLines({ ...usualCodes, ...ownCodes })),
    ],
    data: () => exits,
  },
  {
    name: 'environment',
    summary: 'variables that waybill reads',
    sections: () => [
      ...lines('Variables', environmentLines()),
      words(null, 'Every flag of a command has such a twin too.'),
    ],
    data: () => environmentLines().map(([name, meaning]) => ({ name, meaning })),
  },
  {
    name: 'output',
    summary: 'formats and streams',
    sections: () => [
      ...lines('Formats (-o)', formatLines()),
      { title: 'Flags', blocks: [{ kind: 'lines', lines: outputFlagLines() }] },
      ...lines('Filters and templates', expressions),
      words('Streams', ...streams),
    ],
    data: () => formatLines().map(([name, meaning]) => ({ name, meaning })),
  },
  {
    name: 'scenarios',
    summary: 'what the sandbox can make happen',
    sections: () => [
      ...lines('Scenarios', scenarioLines()),
      ...lines('Chosen by the first of', doors),
      words(null, 'What concerns a whole route is the fate of its first order.'),
    ],
    data: () =>
      Object.entries(scenarios).map(([name, { number, happens, money }]) => ({
        name,
        number,
        happens,
        money,
      })),
  },
];

/** Codes with their exit codes, the lowest first. */
function codeLines(table: Readonly<Record<string, Pick<OwnMeaning, 'when'> & { exit: number }>>): Line[] {
  return Object.entries(table)
    .sort(([, left], [, right]) => left.exit - right.exit)
    .map(([code, { exit, when }]): Line => [`${String(exit).padStart(3)}  ${code}`, when]);
}

function scenarioLines(): Line[] {
  return Object.entries(scenarios).map(
    ([name, { number, happens, money }]): Line => [`${number}  ${name}`, `${happens} (${money})`],
  );
}

function environmentLines(): Line[] {
  const twins = Object.entries(globalFlags).map(([name, { summary }]): Line => [envVarOf(name), summary]);
  return [...twins, ...variables.map(({ name, meaning }): Line => [name, meaning])];
}

function formatLines(): Line[] {
  return Object.entries(formatMeanings);
}

function outputFlagLines(): Line[] {
  const flags = [
    'json',
    'jq',
    'template',
    'time',
    'noPager',
    'color',
    'accessible',
    'quiet',
    'showPii',
  ] as const;
  return flags.map((name): Line => [flagLabel(name), globalFlags[name].summary]);
}
