/** The completion index that the build makes of the command tree. */
import { deliveryStatuses } from '../../contract/vocabulary.ts';
import { scenarios } from '../../domain/scenarios.ts';
import { type CommandTree, flagLabel, loadCommands } from '../kit/args/command-input.ts';
import type { Flag } from '../kit/args/flags.ts';
import { globalFlags, globalsFor } from '../kit/args/global-flags.ts';
import { shortcutSummary, shortcuts } from '../records.ts';
import type { Command, Positional } from '../session/command.ts';
import { preferences } from '../settings/setting-entries.ts';
import type {
  Candidate,
  CommandPage,
  FlagPage,
  GlobalPage,
  PositionalPage,
  RootPage,
  ValuePage,
  ValueSource,
  Values,
  WordPage,
} from './candidates.ts';

/** The values of a flag, by its placeholder in help. */
const sourcesOfFlags: Readonly<Record<string, readonly ValueSource[]>> = {
  BATCH: ['batch'],
  DATABASE: ['file'],
  'DELIVERY:STATUS': ['delivery_status'],
  DELIVERY: ['delivery', 'reference'],
  ENDPOINT: ['webhook_endpoint'],
  EVENT: ['event'],
  DRIVER: ['driver'],
  FILE: ['file'],
  NAMES: ['provider'],
  ORDER: ['order', 'reference'],
  PROFILE: ['profile'],
  PROVIDER: ['provider'],
  QUOTE: ['quote'],
  REF: ['reference'],
  SCENARIO: ['scenario'],
  STORE: ['store'],
};

/** The placeholders of flags that take comma-separated lists. */
const listPlaceholders: readonly string[] = ['COLUMNS', 'NAMES', 'STATUSES', 'TYPES'];

/** The names that the command tree does not have. */
interface OtherNames {
  topics: readonly Candidate[];
  providers: readonly Candidate[];
  couriers: readonly Candidate[];
}

/** Returns every page by the words typed for it. */
export async function completionPages(
  tree: CommandTree<Command>,
  names: OtherNames,
): Promise<Record<string, object>> {
  const { groups, singles } = tree;
  const pages: Record<string, object> = { '': rootPage(tree), '-': globalPage(), '?': valuePage(names) };
  for (const single of singles) {
    const command = await single.load();
    pages[single.name] = commandPage([single.name], command);
  }
  for (const group of groups) {
    const commands = await loadCommands(group);
    pages[group.name] = { commands: commands.map(wordPage) };
    for (const command of commands)
      pages[`${group.name} ${command.name}`] = commandPage([group.name, command.name], command);
  }
  for (const [name, verb] of Object.entries(shortcuts)) pages[name] = pages[`deliveries ${verb}`] ?? {};
  return pages;
}

function rootPage({ groups, singles }: CommandTree): RootPage {
  const short = Object.keys(shortcuts).map((name) => ({ name, aliases: [], summary: shortcutSummary }));
  return { groups: groups.map(wordPage), commands: [...singles.map(wordPage), ...short] };
}

function globalPage(): GlobalPage {
  const flags = Object.entries(globalFlags).map((entry) => flagPage(entry, []));
  return { flags: [...flags, help, version] };
}

function valuePage(names: OtherNames): ValuePage {
  return {
    statuses: deliveryStatuses,
    ...names,
    scenarios: Object.entries(scenarios).map(([value, { happens }]) => ({ value, description: happens })),
  };
}

const switchPage = {
  aliases: [],
  negation: null,
  isOnByDefault: false,
  takes: 'nothing',
  repeats: false,
} as const;
const noValues = { sources: [], choices: [], isList: false } as const;
const help: FlagPage = {
  ...switchPage,
  names: ['--help'],
  short: '-h',
  summary: 'Examples and flags',
  values: noValues,
};
const version: FlagPage = {
  ...switchPage,
  names: ['--version'],
  short: '-V',
  summary: 'Its version',
  values: noValues,
};

function wordPage({ name, aliases, summary }: WordPage): WordPage {
  return { name, aliases, summary };
}

function commandPage(path: readonly string[], command: Command): CommandPage {
  const known = Object.entries(globalFlags).map((entry) => JSON.stringify(flagPage(entry, [])));
  const globals = Object.entries(globalsFor(command)).map((entry) => flagPage(entry, path));
  const isUsual = (page: FlagPage) => known.includes(JSON.stringify(page));
  return {
    flags: [
      ...Object.entries(command.flags).map((entry) => flagPage(entry, path)),
      ...globals.filter((page) => !isUsual(page)),
    ],
    globals: [...globals.filter(isUsual), help].map(({ names }) => names[0] ?? ''),
    positionals: Object.entries(command.positionals).map((entry) => positionalPage(entry, path)),
  };
}

function flagPage([name, flag]: [string, Flag<unknown>], path: readonly string[]): FlagPage {
  return {
    names: [flagLabel(name), ...flag.aliases.map((alias) => `--${alias}`)],
    short: flag.short === null ? null : `-${flag.short}`,
    negation: flag.negatable ? `--no-${flagLabel(name).slice(2)}` : null,
    isOnByDefault: flag.defaultText === 'yes',
    summary: flag.summary,
    takes: flag.kind === 'switch' ? 'nothing' : flag.hasOptionalValue ? 'maybe' : 'value',
    repeats: flag.kind === 'list',
    values: {
      sources: flag.choices.length > 0 ? [] : sourcesOf(flag.placeholder, path),
      choices: flag.choices,
      isList: listPlaceholders.includes(flag.placeholder),
    },
  };
}

/** The service does not list the quotes of a delivery. */
function sourcesOf(placeholder: string, [group]: readonly string[]): readonly ValueSource[] {
  if (placeholder === 'QUOTE' && group === 'deliveries') return [];
  return sourcesOfFlags[placeholder] ?? [];
}

function positionalPage(
  [name, positional]: [string, Positional<unknown>],
  path: readonly string[],
): PositionalPage {
  const { variadic, choices } = positional;
  const values = {
    sources: sourcesOfPositional(name, positional, path),
    choices,
    isList: false,
    ...statusesOf(positional),
  };
  return path.join(' ') === 'config set' && name === 'value'
    ? { values, variadic, after: settingValues() }
    : { values, variadic };
}

function statusesOf({ statuses }: Positional<unknown>): Pick<Values, 'statuses'> {
  return statuses === undefined ? {} : { statuses };
}

/** The values of settings that have a fixed list. */
function settingValues(): Record<string, readonly string[]> {
  return Object.fromEntries(
    preferences.map(({ key, flagSpec: { kind, choices } }) => [
      key,
      kind === 'switch' ? ['yes', 'no'] : choices,
    ]),
  );
}

function sourcesOfPositional(
  name: string,
  { kind }: Positional<unknown>,
  path: readonly string[],
): readonly ValueSource[] {
  if (path[0] === 'help') return ['command'];
  // These take a dash only.
  if (kind === 'text' || name === 'stdin') return [];
  return kind === 'delivery' || kind === 'order' ? [kind, 'reference'] : [kind];
}
