/** The topics of help that belong to no command: exit codes, statuses, environment, output and scenarios. */
import { statusGroups } from '../../contract/vocabulary.ts';
import { drivenStatuses, nextStatuses } from '../../domain/delivery-states.ts';
import { scenarios } from '../../domain/scenarios.ts';
import { statusMeaning } from '../../domain/status-words.ts';
import { exits, type OwnMeaning, ownCodes, serviceMeanings, usualCodes } from '../errors/error-codes.ts';
import { flagLabel, nameEnvVar } from '../kit/args/command-input.ts';
import { globalFlags } from '../kit/args/global-flags.ts';
import { formatMeanings } from '../kit/result/result.ts';
import { type HelpLine, linesSection, type Section, textSection } from './page-layout.ts';

/** A help page without a command, made from the tables that the code uses. */
export interface Topic {
  name: string;
  summary: string;
  sections(): Section[];
  /** Long reference sections, such as the error codes. The short page has `how` instead: how to look up one entry. */
  lookedUp?: { how: Section; sections(): Section[] };
  /** The content of the page for programs. */
  data(): readonly Record<string, unknown>[];
}

/** The pages of the user's guide, in reading order; each is `src/guide/NAME.md` and begins with its summary. */
export const guideTopics: readonly Pick<Topic, 'name' | 'summary'>[] = [
  { name: 'getting-started', summary: 'make a first delivery by hand, with the wizard, or in one command' },
  { name: 'support-desk', summary: 'find a delivery, explain what happened, and take the next step' },
  { name: 'scripts-and-ci', summary: 'use formats, exit codes, idempotency and waiting' },
  { name: 'auto-dispatch', summary: 'let the service quote, select, dispatch and retry' },
  { name: 'importing-orders', summary: 'create orders from a CSV, NDJSON or JSON file' },
  { name: 'events-and-webhooks', summary: 'follow every change locally or on your own server' },
  {
    name: 'simulated-couriers',
    summary: 'use simulated couriers, a clock that you control, and every outcome on demand',
  },
  {
    name: 'platform-programs',
    summary: 'test programs for the public platform against the sandbox',
  },
  { name: 'places', summary: 'how waybill knows where addresses are, and how you make it more precise' },
  { name: 'own-drivers', summary: 'let your own drivers carry deliveries, before any courier' },
  { name: 'dispatching', summary: "use the dispatcher's board: what needs a person, and every action" },
  { name: 'connecting-couriers', summary: 'connect Uber Direct, DoorDash Drive and other couriers' },
  { name: 'courier-protocol', summary: 'take deliveries from waybill with your own server' },
  { name: 'tracking-page', summary: 'show recipients their delivery, and notify them' },
  { name: 'library', summary: 'call a service from a program, verify webhooks, and test against a service' },
  { name: 'compatibility', summary: 'use waybill with a delivery service of someone else' },
  { name: 'ai-assistants', summary: 'let an assistant ship, find and cancel deliveries over MCP' },
  { name: 'agents', summary: 'what an agent on the command line must know' },
  { name: 'operating', summary: 'run the service on SQLite or PostgreSQL' },
  { name: 'scaling', summary: 'plan processors, disk and connections for many orders' },
  { name: 'formats', summary: 'choose the output format' },
  { name: 'installing', summary: 'install, update and remove waybill, and solve problems' },
  { name: 'settings', summary: 'configure settings, profiles and keys' },
];

/** Environment variables that belong to no flag. */
const variables: readonly { name: string; meaning: string }[] = [
  { name: 'WAYBILL_API_KEY', meaning: 'API key; overrides the key of the profile' },
  {
    name: 'WAYBILL_SMTP_PASSWORD',
    meaning: 'Password of the SMTP server of `serve`',
  },
  {
    name: 'WAYBILL_SECRET_KEY',
    meaning:
      'Key that encrypts stored secrets: 32 bytes in base64 or hexadecimal; older keys follow after commas',
  },
  { name: 'WAYBILL_SECRET_KEY_FILE', meaning: 'File of that key [beside a SQLite database]' },
  {
    name: 'WAYBILL_GEOCODER',
    meaning: 'Geocoder of the embedded service and of `serve`: nominatim+URL or census+URL [none]',
  },
  { name: 'WAYBILL_GEOCODER_RATE', meaning: 'Maximum requests a second to it [1]' },
  { name: 'WAYBILL_ROUTER', meaning: 'Router of the embedded service and of `serve` [none]' },
  { name: 'WAYBILL_WEBHOOK_SECRET', meaning: 'Secret for `webhooks verify`' },
  { name: 'WAYBILL_CONFIG_DIR', meaning: 'Settings folder' },
  { name: 'WAYBILL_DATA_DIR', meaning: "Folder of the embedded service's database" },
  { name: 'WAYBILL_CACHE_DIR', meaning: 'Folder of compiled code' },
  { name: 'NODE_DISABLE_COMPILE_CACHE', meaning: '1: do not cache compiled code; slows every start' },
  {
    name: 'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    meaning: 'Default locations of those folders',
  },
  { name: 'SHELL', meaning: 'Default shell for `completion`' },
  { name: 'NO_COLOR', meaning: 'Turn off color' },
  { name: 'FORCE_COLOR', meaning: 'Turn on color everywhere; 0: turn it off' },
  { name: 'CLICOLOR', meaning: '0: turn off color' },
  { name: 'CLICOLOR_FORCE', meaning: 'Turn on color everywhere' },
  { name: 'FORCE_HYPERLINK', meaning: '1: print links in every color terminal; 0: never' },
  { name: 'WAYBILL_PAGER, PAGER', meaning: 'Pager command; empty or `cat`: no pager [less -FRX]' },
  { name: 'TERM', meaning: 'dumb: no color, spinner or pager; dumb and linux: ASCII charts' },
  {
    name: 'LC_ALL, LC_CTYPE, LANG',
    meaning: 'The first one set applies; ASCII charts unless it contains UTF-8',
  },
  { name: 'CI', meaning: 'Turn off prompts, spinner, pager and links' },
  { name: 'ACCESSIBLE', meaning: 'Same as --accessible' },
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY',
    meaning: 'Proxy for requests to the service, as http://USER:PASSWORD@HOST:PORT or HOST:PORT',
  },
  { name: 'NO_PROXY', meaning: 'Hosts to reach without a proxy' },
];

const streamRules = [
  'stdout contains only the result; everything else goes to stderr.',
  'The default is a table in a terminal and tab-separated lines otherwise; --json or -o FORMAT override it.',
  'In a narrow terminal a table hides less important columns (noted on stderr) or becomes cards.',
  'Long output goes through a pager; URLs are links where the terminal supports them.',
  'In csv and tsv, cells that start like a formula (= + - @) get a leading apostrophe.',
  'Machine-readable formats have money in cents and times in ISO UTC.',
  'A csv of --columns has dollars and local times, and --raw the values of the API; a csv without --columns is for scripts and always has those, unless --no-raw.',
  'Phone numbers are masked as +1 312 *** **42 and e-mail addresses as j***@shop.example for people, unless --show-pii; machine-readable formats have them unmasked.',
  'With --json, an error is one JSON object on stderr, and there are no prompts.',
  'With --json, a write first prints { "type": "context", "profile", "mode" } on stderr, on its own line.',
];

/** The input and the features of filters. */
const filterLines: readonly HelpLine[] = [
  [
    '--jq FILTER',
    'jq 1.7.1. The input is what --json prints: a list is one array; with -o ndjson and for streams, each line is filtered separately. Strings are printed raw, everything else as JSON, one per line. Filters cannot read files or the environment.',
  ],
];

/** Where a scenario can be selected; the first one wins. */
const waysToSelectScenario: readonly HelpLine[] = [
  ['--simulate NAME', 'when creating an order or delivery (header x-simulation)'],
  [
    "--simulate 'NAME; provider=flaky_co'",
    'also includes a provider that quotes only when named; you still choose',
  ],
  ['+1 312 555 01NN', 'dropoff phone, any area code: the scenario with that number'],
  ['waybill sandbox scenario set', "the account's default"],
];

export const topics: readonly Topic[] = [
  {
    name: 'exit-codes',
    summary: 'meaning of each exit code',
    sections: () => [
      ...linesSection(
        'Exit codes',
        exits.map(({ code, meaning }): HelpLine => [String(code), meaning]),
      ),
      textSection(null, 'With --json, the error object on stderr also has a code in `error.code`.'),
    ],
    lookedUp: {
      how: textSection(
        null,
        'Those codes: `waybill help exit-codes 6` has all of an exit code, `waybill help exit-codes duplicate_ref` one.',
      ),
      sections: () => [
        ...linesSection('Service error codes', codeLines(serviceMeanings)),
        ...linesSection('CLI error codes', codeLines({ ...usualCodes, ...ownCodes })),
      ],
    },
    data: () => exits,
  },
  {
    name: 'statuses',
    summary: 'what each status of a delivery means, and their order',
    sections: () => [
      ...Object.entries(statusGroups).flatMap(([group, statuses]) =>
        linesSection(
          `Group ${group}`,
          statuses.map((status): HelpLine => [status, statusMeaning(status)]),
        ),
      ),
      textSection(
        'Order',
        `${['delivery_created', ...drivenStatuses, 'delivered'].join(', ')}. Couriers leave some of them out. Until it is delivered a delivery can be canceled or fail, and after the pickup also come back.`,
      ),
      textSection(
        null,
        '--status takes statuses and groups, and not_picked_up and active for several of them.',
      ),
    ],
    data: () =>
      Object.entries(statusGroups).flatMap(([group, statuses]) =>
        statuses.map((status) => {
          return { status, group, meaning: statusMeaning(status), next: nextStatuses(status) };
        }),
      ),
  },
  {
    name: 'environment',
    summary: 'environment variables',
    sections: () => [
      ...linesSection('Variables', environmentLines()),
      textSection(
        null,
        'Every command flag also has an environment variable of this form. A value such as tcp://10.0.0.1:4010, which Kubernetes sets beside a Service named waybill, is none.',
      ),
    ],
    data: () => environmentLines().map(([name, meaning]) => ({ name, meaning })),
  },
  {
    name: 'output',
    summary: 'formats and streams',
    sections: () => [
      ...linesSection('Formats (-o)', formatLines()),
      { title: 'Flags', blocks: [{ kind: 'lines', lines: outputFlagLines() }] },
      ...linesSection('Filters', filterLines),
      textSection('Streams', ...streamRules),
    ],
    data: () => formatLines().map(([name, meaning]) => ({ name, meaning })),
  },
  {
    name: 'scenarios',
    summary: 'scenarios that the sandbox can simulate',
    sections: () => [
      ...linesSection('How a scenario is selected (first match)', waysToSelectScenario),
      ...linesSection('Scenarios', scenarioLines()),
      textSection(null, 'Outcomes of a whole route follow the scenario of its first order.'),
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

function codeLines(table: Readonly<Record<string, Pick<OwnMeaning, 'when'> & { exit: number }>>): HelpLine[] {
  return Object.entries(table)
    .sort(([, left], [, right]) => left.exit - right.exit)
    .map(([code, { exit, when }]): HelpLine => [`${String(exit).padStart(3)}  ${code}`, when]);
}

function scenarioLines(): HelpLine[] {
  return Object.entries(scenarios).map(
    ([name, { number, happens, money }]): HelpLine => [`${number}  ${name}`, `${happens} (${money})`],
  );
}

function environmentLines(): HelpLine[] {
  const twins = Object.entries(globalFlags).map(
    ([name, { summary }]): HelpLine => [nameEnvVar(name), summary],
  );
  return [...twins, ...variables.map(({ name, meaning }): HelpLine => [name, meaning])];
}

function formatLines(): HelpLine[] {
  return Object.entries(formatMeanings);
}

function outputFlagLines(): HelpLine[] {
  const flags = ['json', 'jq', 'time', 'noPager', 'color', 'accessible', 'quiet', 'showPii'] as const;
  return flags.map((name): HelpLine => [flagLabel(name), globalFlags[name].summary]);
}
