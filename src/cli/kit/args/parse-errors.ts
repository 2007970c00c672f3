/**
 * The errors of a line that cannot be parsed, with suggestions. Those for an unknown flag are, in this order: the command's
 * own hint, an argument (`--order-id ord_1` is `ord_1`), a filter, a list, or another flag.
 */
import type { CommanderError } from 'commander';
import { nearNames } from '../../../domain/near-names.ts';
import { UsageError } from '../errors/failure.ts';
import { columnMeant } from '../result/column-names.ts';
import {
  dashed,
  invocation,
  type NextStep,
  phrase,
  suggestionText,
  type Text,
  withCommands,
  withValues,
} from '../result/message.ts';
import { positionalLabel } from './command-input.ts';
import { globalFlags } from './global-flags.ts';
import { type FlagTakenAsValue, hasName, hasOption, type LineParser, type LineState } from './line-parser.ts';
import { flagsOfOtherPrograms } from './other-programs.ts';

interface ErrorLine {
  state: LineState;
  path: readonly string[];
  /** The flags of the list of its group. */
  listFlags?: readonly string[];
}

/** Converts an error of Commander by its code and the parsed tokens. */
export function parseError(error: CommanderError, line: ErrorLine): Error {
  const { state } = line;
  const parser = state.parsers.at(-1);
  if (parser === undefined) return error;
  switch (error.code) {
    case 'commander.unknownOption':
      return unknownFlagError(parser.args.find(isDashed) ?? '', { ...line, parser });
    case 'commander.optionMissingArgument':
      return missingValueError(lastFlag(state.tokens), parser);
    default:
      return error;
  }
}

function isDashed(arg: string): boolean {
  return arg.length > 1 && arg.startsWith('-');
}

/** Only the last flag of a line can lack its value: `--limit`, or the last letter of `-qo`. */
function lastFlag(tokens: readonly string[]): string {
  const last = tokens.at(-1) ?? '';
  return last.startsWith('--') ? last : `-${last.slice(-1)}`;
}

interface UnknownFlagLine extends ErrorLine {
  parser: LineParser;
}

/** The error for an unknown flag, or for one with a value that takes none. */
export function unknownFlagError(token: string, line: UnknownFlagLine): UsageError {
  const { parser, path } = line;
  const flag = token.replace(/=.*$/s, '');
  const options = parser.options;
  if (hasOption(options, flag))
    return new UsageError(`${flag} takes no value: it stands alone.`, { code: 'bad_value', param: flag });
  const verbs = path.length === 1 ? parser.commands.map((command) => command.name()) : [];
  if (verbs.includes('list')) return flagOfGroupError(flag, { ...line, verbs });
  const { hint, next } = meantInstead(flag, line);
  const own = options.filter((option) => !Object.hasOwn(globalFlags, option.attributeName()));
  return new UsageError(`There is no flag ${flag} for this command.`, {
    code: 'unknown_flag',
    param: flag,
    ...(hint === undefined ? {} : { hint }),
    choices: longNames(own.length > 0 ? own : options),
    next: [...next, { ...invocation(path.join(' '), ['-h']), when: 'see its flags' }],
  });
}

function longNames(options: LineParser['options']): string[] {
  return options.flatMap(({ long }) => long ?? []);
}

/** Suggests what to type in place of an unknown flag, in a hint and as commands. */
function meantInstead(
  flag: string,
  line: UnknownFlagLine,
): { hint: Text | undefined; next: readonly NextStep[] } {
  const { parser, state, path } = line;
  const hinted = hintedFlag(flag, parser) ?? '';
  const ownHint = parser.flagHints[hinted];
  if (ownHint !== undefined) {
    const values = typedValues(flag, parser, state);
    const next = (parser.flagSteps[hinted] ?? []).map((step) => withValues(step, values));
    return { hint: withCommands(ownHint, (command) => withValues(command, values)), next };
  }
  const argument = argumentMeant(flag, parser);
  if (argument === undefined) {
    const command = filterMeant(flag, line) ?? listMeant(flag, line);
    if (command !== null)
      return { hint: suggestionText([command]), next: [{ ...command, when: 'if this was meant' }] };
    const meant = flagsMeant(flag, parser);
    return { hint: suggestionText(meant), next: withKnownFlag({ flag, meant, parser, state, path }) };
  }
  const corrected = withArgument({ flag, argument, parser, state, path });
  return {
    hint: phrase`${flag} is the argument ${argument}: ${corrected}`,
    next: [{ ...corrected, when: 'pass it as an argument' }],
  };
}

/** The error for a flag of a group, which may be one of its list. */
function flagOfGroupError(
  flag: string,
  { verbs, state, path, listFlags = [] }: ErrorLine & { verbs: string[] },
): UsageError {
  // `charges --store loop yesterday`: the list takes the day as a flag.
  const isDay = (token: string) => /^(?:today|yesterday)$/.test(token) && listFlags.includes('--period');
  const words = state.tokens.flatMap((token) => (isDay(token) ? ['--period', token] : periodFlag(token)));
  const list = ownLine([...path, 'list'], words);
  const hint = suggestionText([list]);
  return new UsageError(`There is no flag ${flag} for this command.`, {
    code: 'unknown_flag',
    param: flag,
    ...(hint === undefined ? {} : { hint }),
    choices: verbs,
    next: [{ ...list, when: 'if this was meant' }],
  });
}

/** Replaces `--yesterday` by the flag that lists have for it, `--period yesterday`; returns any other token as it is. */
function periodFlag(token: string): readonly string[] {
  const [, period] = /^--period '?([^']+)'?$/.exec(`${flagsOfOtherPrograms[token] ?? ''}`) ?? [];
  return period === undefined ? [token] : ['--period', period];
}

/** The flag for which the command has a hint of its own: the unknown one, or the one that it is in other programs. */
function hintedFlag(flag: string, { flagHints, options }: LineParser): string | undefined {
  const names = flagsElsewhere(flag);
  const isTaken = names.some((name) => hasOption(options, name));
  return [flag, ...(isTaken ? [] : names)].find((name) => Object.hasOwn(flagHints, name));
}

/** The flags of waybill that mean the same as a flag of another program. */
function flagsElsewhere(flag: string): readonly string[] {
  return Object.hasOwn(flagsOfOtherPrograms, flag) ? [flagsOfOtherPrograms[flag] ?? []].flat() : [];
}

/** The typed words by the labels of the arguments, and the value of a flag as VALUE, to fill in placeholders. */
function typedValues(flag: string, parser: LineParser, { tokens }: LineState) {
  const words = tokens.slice(0, tokens.findIndex(isDashed));
  const labels = parser.registeredArguments.map((argument) => positionalLabel(argument.name()));
  const at = tokens.findIndex((token) => token === flag || token.startsWith(`${flag}=`));
  const value = tokens[at] === flag ? tokens[at + 1] : tokens[at]?.slice(flag.length + 1);
  return new Map([
    ...labels.map((label, index) => [label, words[index]] as const),
    ['VALUE', value] as const,
  ]);
}

/**
 * The line that filters by the column that a flag names; null if it names none, or its value does not fit:
 * - `--zip 60614` is `--filter 'zip = 60614'`, and `--max-minutes 30` is `--filter 'minutes <= 30'`.
 * - `--no-phone` is `--filter '!phone'`.
 * - `--today` of a list without periods is `--filter 'created = today'`.
 */
function filterMeant(flag: string, { parser, state, path }: UnknownFlagLine) {
  const { options } = parser;
  const [, prefix = '', typed = ''] = /^--(no-|without-|min-|max-|over-|under-)?(.+)$/.exec(flag) ?? [];
  const [name = '', period] = periodFlag(flag);
  const isPeriod = period !== undefined && !hasOption(options, name);
  const column = isPeriod ? 'created' : typed.replaceAll('-', '_');
  const columns = options.find((option) => hasName(option, '--sort'))?.argChoices ?? [];
  const isFiltered = hasOption(options, '--filter');
  const isElsewhere = flagsElsewhere(flag).some((each) => hasOption(options, each));
  if (!isFiltered || isElsewhere || !columns.includes(columnMeant(column, columns))) return null;
  const value = typedValues(flag, parser, state).get('VALUE');
  const at = state.tokens.findIndex((token) => token.split('=')[0] === flag);
  const corrected = (count: number, condition: string) =>
    ownLine(path, state.tokens.toSpliced(at, count, '--filter', condition));
  if (isPeriod) return corrected(1, `${column} = ${period}`);
  if (/^(?:no|without)-$/.test(prefix)) return corrected(1, `!${column}`);
  if (value === undefined || isDashed(value)) return null;
  const isTime = /_at$/.test(columnMeant(column, columns)) || columns.includes(`${column}_at`);
  const isNumber = /^\$?\d+(?:\.\d+)?$/.test(value);
  // The suggested condition must not be refused, too.
  if (isTime ? !/^(?:today|yesterday|\w+day|\d{4}-\d\d-\d\d)$/i.test(value) : prefix !== '' && !isNumber)
    return null;
  const usual = isTime || isNumber ? '=' : '~';
  const compared = /^(?:min|over)-$/.test(prefix) ? '>=' : prefix === '' ? usual : '<=';
  const condition = `${column} ${compared} ${/\s/.test(value) ? `"${value}"` : value}`;
  return corrected(state.tokens[at] === flag ? 2 : 1, condition);
}

/** The line of the list of its group that has a flag: `deliveries list --active` for `deliveries get --active`. */
function listMeant(flag: string, { state, path, listFlags = [] }: UnknownFlagLine) {
  const [name = flag] = periodFlag(flag);
  // A word names one record.
  if (!listFlags.includes(name) || !state.tokens.every(isDashed)) return null;
  return ownLine([path[0] ?? '', 'list'], state.tokens.flatMap(periodFlag));
}

/** The argument that a flag was probably meant for: ROUTE for `--route-id` and `--route`. */
function argumentMeant(flag: string, parser: LineParser): string | undefined {
  const field = flag.replace(/^--/, '').replace(/-?ids?$/, '');
  const names = parser.registeredArguments.map((argument) => argument.name());
  // A delivery or an order is found by the ID of either, and by its reference.
  const isOfEither =
    ['delivery', 'order'].includes(field) ||
    (/^(?:ref|reference|external-order-ref)$/.test(field) && !hasOption(parser.options, '--ref'));
  const name =
    names.find((each) => field === dashed(each) || field.endsWith(`-${dashed(each)}`)) ??
    names.find((each) => isOfEither && ['delivery', 'order'].includes(each)) ??
    names.find((each) => field === '' && !['stdin', 'file', 'text', 'command'].includes(each));
  return name === undefined ? undefined : positionalLabel(name);
}

/** The line with a flag replaced by its value, which takes the place of the only argument, or by the argument's name. */
function withArgument({
  flag,
  argument,
  parser,
  state,
  path,
}: UnknownFlagLine & { flag: string; argument: string }) {
  const { tokens } = state;
  const at = tokens.findIndex((typed) => typed === flag || typed.startsWith(`${flag}=`));
  const [token = '', next = '-'] = tokens.slice(at);
  const value = token.slice(flag.length + 1);
  const isBehind = value === '' && !next.startsWith('-');
  const args = at === -1 ? [argument] : tokens.toSpliced(at, 1, ...(isBehind ? [] : [value || argument]));
  const [only, another] = parser.registeredArguments;
  const isTyped = at > 0 && another === undefined && only?.variadic === false && !isDashed(tokens[0] ?? '-');
  return ownLine(path, isTyped ? args.slice(1) : args);
}

/** The user's own line, corrected; a flag without its optional value is parsed with `=` at its end. */
function ownLine(path: readonly string[], args: readonly string[]) {
  const typed = args.map((each) => each.replace(/^(--[^=]+)=$/, '$1'));
  return { ...invocation(path.join(' '), typed), isOwnLine: true as const };
}

/** The line with flags of other programs replaced: `--status failed` for `--failed`. Nothing if one is unclear. */
function withKnownFlag({
  flag,
  meant: [meant, ...others],
  parser,
  state: { tokens },
  path,
}: ErrorLine & { flag: string; meant: readonly string[]; parser: LineParser }) {
  // No step confirms for the user, takes a key for the name of a file, or chooses one of several flags. A value of several
  // words is in the hint only.
  const isNeverSuggested = meant === '--yes' || (meant === '--api-key-file' && !flag.endsWith('-file'));
  if (meant === undefined || others.length > 0 || isNeverSuggested || meant.includes("'")) return [];
  const valueAfter = (index: number) => tokens.slice(index + 1, index + 2).filter((next) => !isDashed(next));
  // `--by driver` has no place for the name that was typed behind `--driver`.
  const at = tokens.findIndex((token) => token.split('=')[0] === flag);
  if (meant.includes(' ') && (tokens[at]?.includes('=') || valueAfter(at).length > 0)) return [];
  const args: string[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    const [typed = '', ...value] = token.split('=');
    const isKnown = !isDashed(typed) || hasOption(parser.options, typed);
    const [known] = isKnown ? [] : flagsMeant(typed, parser);
    const option = parser.options.find((each) => hasName(each, known ?? ''));
    // A switch takes no value, and an optional one is not the next word.
    const isAlone = value.length === 0 && (option?.isBoolean() || option?.optional);
    const [after] = isAlone ? valueAfter(index) : [];
    if (after !== undefined) index += 1;
    const joined = option?.isBoolean() ? [] : option?.optional && after !== undefined ? [after] : value;
    if (known === undefined) args.push(token);
    else args.push(...(joined.length === 0 ? known.split(' ') : [`${known}=${joined.join('=')}`]));
  }
  return [{ ...ownLine(path, args), when: 'if this was meant' }];
}

/** The flags that may be meant by an unknown one: what it is in other programs, one of its choices, or near names. */
function flagsMeant(flag: string, { options }: LineParser): string[] {
  const names = [...longNames(options), '--help', '--version'];
  // The status until which one waits is not the end of a period.
  const isPeriod = /^--stat(?:us|e)$/.test(flag) && names.includes('--since');
  const known = [...flagsElsewhere(flag), ...choiceMeant(flag, options)].find(
    (each) => names.includes(each.split(' ')[0] ?? '') && !(isPeriod && each === '--until'),
  );
  if (known !== undefined) return [known];
  const undashed = (name: string) => name.replace(/^-+/, '');
  // One letter is an edit away from every other one.
  if (undashed(flag).length < 2) return [];
  // Without the dashes, so that two letters count as the short word that they are.
  return nearNames(undashed(flag), names.map(undashed)).map((name) => `--${name}`);
}

/** The flag that has an unknown one as a choice: `--status in_transit` for `--in-transit`. */
function choiceMeant(flag: string, options: LineParser['options']): string[] {
  const choice = flag.replace(/^-+/, '').replaceAll('-', '_');
  const having = options.filter(({ argChoices }) => argChoices?.includes(choice));
  return ['--status', '--where', '--kind', '--by', '--sort'].flatMap((name) =>
    hasOption(having, name) ? [`${name} ${choice}`] : [],
  );
}

/** The error for a flag behind a long dash, as pasted from a chat or a document. */
export function longDashError(typed: string, flag: string): UsageError {
  return new UsageError(`"${typed}" begins with a long dash. Type two hyphens: ${flag}`, {
    code: 'unknown_flag',
    param: typed,
  });
}

/** The error for a flag without its value at the end of the line. */
function missingValueError(flag: string, parser: LineParser): UsageError {
  const option = parser.options.find((each) => hasName(each, flag));
  const placeholder = /<(.*)>/.exec(option?.flags ?? '')?.[1] ?? '';
  return new UsageError(`${option?.long ?? flag} needs a value.`, {
    code: 'missing_value',
    param: option?.long ?? flag,
    ...(option === undefined ? {} : { hint: `${option.long} ${placeholder}: ${option.description}.` }),
    choices: option?.argChoices ?? [],
  });
}

/** The error for a flag whose value would be the next flag. */
export function flagAsValueError({ found: { flag, value } }: FlagTakenAsValue): UsageError {
  const joined = flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`;
  return new UsageError(`${flag} needs a value.`, {
    code: 'missing_value',
    param: flag,
    hint: `The next word, ${value}, is a flag. Were it the value, it would be ${joined}.`,
  });
}
