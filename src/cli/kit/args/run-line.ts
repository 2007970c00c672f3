/**
 * Parses a command line, loads the command that it names, and runs it (`runLine`). Only the parsers that a line needs are
 * created; if it turns out that it needs more, such as the aliases of a group, it is parsed again.
 */
import { CommanderError } from 'commander';
import type { UsageError } from '../errors/failure.ts';
import type { Environment } from '../host/host.ts';
import {
  type CommandSpec,
  type CommandTree,
  findNamed,
  flagLabel,
  type Group,
  loadCommands,
  type Single,
} from './command-input.ts';
import { globalFlags, globalsFor } from './global-flags.ts';
import { FlagTakenAsValue, hasOption, isShortHelp, LineParser, type LineState } from './line-parser.ts';
import { type ParsedLine, withEnvironment } from './parsed-line.ts';

/** The actions of a command line; each resolves to the exit code. */
export interface LineActions<C extends CommandSpec> {
  /** Called when the command is known, before its flags are parsed. */
  commandFound(command: C): void;
  command(path: readonly string[], command: C, parsed: ParsedLine): Promise<number>;
  /** Shows the help of the program, a group or a command: all of it, or the short help of `-h`. */
  help(path: readonly string[], isShort: boolean): Promise<number>;
  /** Handles a line without a command, possibly with a group. */
  withoutCommand(group: Group | null): Promise<number>;
  /** True if a line without a command opens the wizard. */
  opensWizard(): boolean;
  unknownCommand(state: LineState): Promise<UsageError>;
}

/** The line to parse, the command tree, and the environment with values for flags that are not given. */
export interface LineInput<C extends CommandSpec> {
  tree: CommandTree<C>;
  argv: readonly string[];
  environment: Environment;
  state: LineState;
}

/** The result of parsing: an exit code, or how to parse the line again. */
type ParseResult = { exit: number } | { again: ParseAgain };

interface ParseAgain {
  argv: readonly string[];
  /** The group whose commands must all be loaded for their aliases. */
  loadedGroup: Group | null;
}

/** Parses and executes a line. Only its command is loaded, unless it may be an alias. Rejects with UsageError. */
export async function runLine<C extends CommandSpec>(
  line: LineInput<C>,
  actions: LineActions<C>,
): Promise<number> {
  let result: ParseResult = { again: { argv: line.argv, loadedGroup: null } };
  while ('again' in result) {
    line.state.texts.clear();
    line.state.parsers.length = 0;
    const { argv, loadedGroup }: ParseAgain = result.again;
    result = await parseOnce({ ...line, argv }, loadedGroup, actions);
  }
  return result.exit;
}

/** Parses the line once. The action of the command runs while Commander parses. */
async function parseOnce<C extends CommandSpec>(
  line: LineInput<C>,
  loadedGroup: Group | null,
  actions: LineActions<C>,
): Promise<ParseResult> {
  const { argv, state, tree } = line;
  const { groups, singles } = tree;
  let exit = 0;
  const runCommand: RunCommand<C> = async (path, command, parsed) => {
    exit = await actions.command(path, command, parsed);
  };
  const fill = commandFiller(line, actions.commandFound, runCommand);
  const root = new LineParser({ name: tree.name, aliases: [] }, state).version('', '-V, --version');
  // A line that starts with a command needs no other command's parser.
  const first = findNamed<Group<C> | Single<C>>([...groups, ...singles], argv[0] ?? '');
  if (first === undefined) root.addFlags(globalFlags);
  for (const each of first === undefined ? [...groups, ...singles] : [first])
    root.addCommand(new LineParser(each, state));
  root.hook('preSubcommand', async (_, parser) => {
    if (!(parser instanceof LineParser)) return;
    const single = singles.find(({ name }) => name === parser.name());
    if (single !== undefined) return fill(parser, [], await single.load());
    const group = groups.find(({ name }) => name === parser.name());
    if (group !== undefined)
      await fillGroup(parser, group, { state, next: root.args[1], isWhole: loadedGroup === group, fill });
  });
  try {
    await root.parseAsync([...argv], { from: 'user' });
    return { exit };
  } catch (error) {
    if (error instanceof FlagTakenAsValue) throw (await import('./parse-errors.ts')).flagAsValueError(error);
    if (!(error instanceof CommanderError)) throw error;
    return handleParseError(error, line, { loadedGroup, actions });
  }
}

type Fill<C> = (parser: LineParser, path: readonly string[], command: C) => void;

/** Gives a parser the flags, positionals and action of a command. */
function commandFiller<C extends CommandSpec>(
  { environment, state }: LineInput<C>,
  commandFound: LineActions<C>['commandFound'],
  run: RunCommand<C>,
): Fill<C> {
  return (parser, path, command) => {
    commandFound(command);
    parser.addFlags({ ...globalsFor(command), ...command.flags }).addPositionals(command.positionals);
    parser.flagHints = command.flagHints;
    parser.flagSteps = command.flagSteps;
    parser.allowExcessArguments();
    parser.action(async () => {
      const commandPath = [...path, command.name];
      const unknown = [...state.texts.keys()].find((name) => !hasFlag(parser, name));
      if (unknown !== undefined)
        throw (await import('./parse-errors.ts')).unknownFlagError(flagLabel(unknown), {
          parser,
          state,
          path: commandPath,
        });
      const dashedWord = parser.args.find((word) => longDashes.test(word));
      if (dashedWord !== undefined) await refuseLongDash(dashedWord, parser);
      const given = { words: parser.args, texts: state.texts };
      await run(commandPath, command, withEnvironment(command, given, environment));
    });
  };
}

/** Long dashes, into which word processors and chats turn two hyphens. */
const longDashes = /^[\u2010-\u2015\u2212]+(?=[a-z])/;

/** Throws UsageError if a word is a flag of the command behind a long dash. */
async function refuseLongDash(word: string, parser: LineParser): Promise<void> {
  const [typed = ''] = word.split('=');
  const flag = typed.replace(longDashes, '--');
  if (hasOption(parser.options, flag)) throw (await import('./parse-errors.ts')).longDashError(typed, flag);
}

/** Whether a command takes a flag; a global flag may precede a command that does not take it. */
function hasFlag(parser: LineParser, name: string): boolean {
  return parser.options.some((option) => option.attributeName() === name);
}

type RunCommand<C> = (path: readonly string[], command: C, parsed: ParsedLine) => Promise<void>;

/** True for a flag that every command takes: `--yes`, `-y`. */
export function isGlobalFlag(word: string): boolean {
  return globalFlag(word) !== undefined;
}

function globalFlag(word: string): { kind: string; hasOptionalValue: boolean | RegExp } | undefined {
  const entry = Object.entries(globalFlags).find(
    ([name, { short, aliases, negatable }]) =>
      [flagLabel(name), ...aliases.map((alias) => `--${alias}`)].includes(word) ||
      word === `-${short}` ||
      (negatable && word === flagLabel(`no-${name}`)),
  );
  return entry?.[1];
}

/** The words of a line without the flags of every command before and directly after the first one, and these flags. */
export function separateGlobalFlags(argv: readonly string[]): { flags: string[]; words: string[] } {
  const start = countGlobals(argv);
  const others = argv.slice(start + 1);
  const between = countGlobals(others);
  return {
    flags: [...argv.slice(0, start), ...others.slice(0, between)],
    words: [...argv.slice(start, start + 1), ...others.slice(between)],
  };
}

/** How many words at the beginning of a line are flags of every command and their values. */
function countGlobals(argv: readonly string[]): number {
  let count = 0;
  for (;;) {
    const [name = '', value] = (argv[count] ?? '').split('=', 2);
    const flag = globalFlag(name);
    if (flag === undefined) return count;
    count += flag.kind === 'switch' || flag.hasOptionalValue || value !== undefined ? 1 : 2;
  }
}

/** Adds the commands of a group by name, and by alias if all are loaded. */
async function fillGroup<C extends CommandSpec>(
  parser: LineParser,
  group: Group<C>,
  {
    state,
    next,
    isWhole,
    fill,
  }: { state: LineState; next: string | undefined; isWhole: boolean; fill: Fill<C> },
): Promise<void> {
  const verbs = group.verbs;
  const first = Object.hasOwn(verbs, next ?? '') ? next : undefined;
  if (first === undefined) parser.addFlags(globalFlags);
  const all = isWhole ? await loadCommands(group) : [];
  for (const name of first === undefined ? Object.keys(verbs) : [first]) {
    const aliases = all.find((command) => command.name === name)?.aliases ?? [];
    parser.addCommand(new LineParser({ name, aliases }, state));
  }
  parser.hook('preSubcommand', async (_, verb) => {
    const load = verbs[verb.name()];
    if (verb instanceof LineParser && load !== undefined) fill(verb, [group.name], await load());
  });
}

/** Handles Commander's errors by their codes. */
async function handleParseError<C extends CommandSpec>(
  error: CommanderError,
  { state, argv, tree }: LineInput<C>,
  { loadedGroup, actions }: { loadedGroup: Group | null; actions: LineActions<C> },
): Promise<ParseResult> {
  const { groups, bareCommand } = tree;
  const path = state.parsers.slice(1).map((parser) => parser.name());
  const group = path.length === 1 ? findNamed(groups, path[0] ?? '') : undefined;
  const code = isUnknownCommand(state) ? 'commander.unknownCommand' : error.code;
  switch (code) {
    case 'commander.helpDisplayed':
      return { exit: await actions.help(path, isShortHelp(argv)) };
    case 'commander.help':
      if (group === undefined && actions.opensWizard())
        return { again: { argv: [bareCommand, ...argv], loadedGroup } };
      return { exit: await actions.withoutCommand(group ?? null) };
    case 'commander.unknownCommand':
      if (group !== undefined && loadedGroup === null) return { again: { argv, loadedGroup: group } };
      throw await actions.unknownCommand(state);
    case 'commander.unknownOption':
      if (path.length === 0 && (await isBareFlag(state, tree)))
        return { again: { argv: [bareCommand, ...argv], loadedGroup } };
      break;
    default:
  }
  const listFlags = await flagsOfList(groups.find(({ name }) => name === path[0]));
  throw (await import('./parse-errors.ts')).parseError(error, { state, path, listFlags });
}

/** The flags of the list of a group, as they are typed. */
async function flagsOfList(group: Group | undefined): Promise<string[]> {
  const list = await group?.verbs.list?.();
  return Object.entries(list?.flags ?? {}).flatMap(([name, { aliases }]) =>
    [name, ...aliases].map(flagLabel),
  );
}

/** True if the word in place of a command is unknown: that error comes before help requested after it. */
function isUnknownCommand({ parsers }: LineState): boolean {
  const parser = parsers.at(-1);
  const [word = '-'] = parser?.args ?? [];
  return parser !== undefined && parser.commands.length > 0 && !word.startsWith('-');
}

/** True if a line without a command starts with a flag of the default command. */
async function isBareFlag({ parsers }: LineState, { singles, bareCommand }: CommandTree): Promise<boolean> {
  const [token = ''] = parsers[0]?.args ?? [];
  const single = singles.find(({ name }) => name === bareCommand);
  const command = single === undefined ? undefined : await single.load();
  return Object.keys(command?.flags ?? {}).some((name) => flagLabel(name) === token.replace(/=.*$/s, ''));
}
