/** Reports the missing and invalid input of a command in one error, with the typed line completed (`inputError`). */
import { UsageError } from '../errors/failure.ts';
import {
  exampleSteps,
  type Invocation,
  invocation,
  type NextStep,
  shellWords,
  suggestionText,
  type Text,
} from '../result/message.ts';
import {
  type CommandSpec,
  type Example,
  emptyInputText,
  type Flags,
  findFaults,
  flagLabel,
  type InputFaults,
  type InvalidInput,
  isBlank,
  nameEnvVar,
  type RawInput,
  unexpectedArgumentText,
} from './command-input.ts';
import { typedFlagWords, typedOwnWords } from './context-flags.ts';
import { type GlobalValues, globalFlags, globalsFor } from './global-flags.ts';
import type { ParsedLine } from './parsed-line.ts';

/** The error for all faults of a line: `Missing: --pickup-address.` */
export function inputError(faults: InputFaults, command: CommandSpec, line: ParsedLine): UsageError {
  const { missing, invalid, oneOf } = faults;
  const labels = [...missing.map(({ label }) => label), ...(oneOf.length > 0 ? [oneOf.join(' or ')] : [])];
  const parts = [
    ...invalid.map(({ label, message }) => `${label} ${message}.`),
    ...(labels.length === 0 ? [] : [`Missing: ${labels.join(', ')}.`]),
  ];
  const hint = invalid.flatMap((fault) => fault.hint ?? []).at(0);
  return new UsageError(parts.join('\n'), {
    code: labels.length > 0 ? 'missing_input' : 'bad_value',
    ...(hint === undefined ? {} : { hint }),
    missing: labels,
    choices: [...invalid.flatMap(({ choices }) => choices), ...oneOf],
    next:
      labels.length > 0 ? completedLine(faults, command, line) : exampleSteps(examplesFor(command, invalid)),
  });
}

/** The global flags that change what a command does, and not its account or its output. */
const keptGlobals: readonly string[] = ['yes', 'dryRun', 'idempotencyKey'];

/** The typed line completed with what is missing; without any input the first example of the command. */
function completedLine(
  { missing, oneOf, invalid }: InputFaults,
  command: CommandSpec,
  { own, global, origins }: ParsedLine,
): NextStep[] {
  const { flags, examples } = command;
  const [example] = examples;
  const keptFlags = [...global.flags].filter(([name]) => keptGlobals.includes(name));
  const typed = [...own.flags, ...keptFlags].filter(([name]) => origins.get(name) === 'flag');
  if (example === undefined) return [];
  if (typed.length + own.words.length === 0) return exampleSteps([example]);
  const exampleWords = shellWords(example.command).slice(1);
  const path = pathOf(command);
  if (invalid.length > 0) return withFirstWord(path, own.words, invalid);
  const all: Flags = { ...globalFlags, ...flags };
  // If one of several flags is required, the flag of the example is suggested.
  const chosen = oneOf.find((label) => exampleWords.includes(label)) ?? oneOf[0];
  const words = [
    ...own.words,
    ...missing.flatMap(({ label, part }) => ('variadic' in part ? [label] : [])),
    ...typed.flatMap(([name, texts]) => typedFlagWords(name, all[name], texts)),
    ...missing.flatMap(({ name, part }) => ('variadic' in part ? [] : standInWords(name, all[name]))),
    ...Object.entries(all).flatMap(([name, flag]) =>
      flagLabel(name) === chosen ? standInWords(name, flag) : [],
    ),
  ];
  return [{ ...invocation(path, words), when: 'with what is missing' }];
}

/** The words by which a command is called, as in its first example: `deliveries cancel`, `track`. */
function pathOf({ name, examples }: CommandSpec): string {
  const first = examples[0]?.command.split(' ')[1] ?? name;
  return first === name ? name : `${first} ${name}`;
}

/** The line with the word that always comes first, such as `set`, if only that was left out; else nothing. */
function withFirstWord(
  path: string,
  words: readonly string[],
  [fault, ...otherFaults]: readonly InvalidInput[],
): NextStep[] {
  const [word, ...otherChoices] = fault?.choices ?? [];
  const isOnlyFault = otherFaults.length === 0 && fault?.label.startsWith('-') === false;
  if (!isOnlyFault || word === undefined || otherChoices.length > 0 || words.length === 0) return [];
  return [{ ...invocation(path, [word, ...words]), when: 'if this was meant' }];
}

/** A flag with its placeholder: `--reason TEXT`. */
function standInWords(name: string, flag: Flags[string] | undefined): string[] {
  return [flagLabel(name), ...(flag === undefined || flag.kind === 'switch' ? [] : [flag.placeholder])];
}

/** Selects an example that shows the invalid flag, if any. */
function examplesFor({ examples }: CommandSpec, invalid: InputFaults['invalid']): Example[] {
  const shows = ({ command }: Example) => invalid.some(({ label }) => command.split(/[ =]/).includes(label));
  return examples.filter(shows).slice(0, 1);
}

/** Lists all faults of the command's own input; a required choice of flags may be satisfied by a global flag. */
export function commandFaults(command: CommandSpec, parsed: ParsedLine): InputFaults {
  const { missing, oneOf } = command.check(parsed.own);
  const isChosen = [...parsed.global.flags.keys()].some((name) => oneOf.includes(flagLabel(name)));
  return { missing, oneOf: isChosen ? [] : oneOf, invalid: valueFaults(command, parsed) };
}

/** Without a terminal, reports --yes as missing together with other missing input. */
export function addMissingYes(
  faults: InputFaults,
  command: CommandSpec,
  { own, globals }: { own: RawInput; globals: Pick<GlobalValues, 'yes' | 'dryRun'> },
): InputFaults {
  const isOpen = faults.missing.length > 0 || faults.oneOf.length > 0;
  if (!isOpen || globals.yes || globals.dryRun || !command.willAskConfirmation(own)) return faults;
  const yes = { label: flagLabel('yes'), name: 'yes', part: globalFlags.yes };
  return { ...faults, missing: [...faults.missing, yes] };
}

export function globalFaults(command: CommandSpec, { global, origins }: ParsedLine): InvalidInput[] {
  const flags = globalsFor(command);
  return withVariableNames(
    [...findFaults(flags, {}, global).invalid, ...emptyTextFaults(flags, global)],
    flags,
    origins,
  );
}

/** Lists the faults of the command's own flags and positionals. */
export function valueFaults(command: CommandSpec, parsed: ParsedLine): InvalidInput[] {
  const { own, origins } = parsed;
  const invalid = [...command.check(own).invalid, ...emptyTextFaults(command.flags, own)];
  return withVariableNames(withSuggestions(invalid, command, parsed), command.flags, origins);
}

/** Finds flags that require a text and have an empty one: `--idempotency-key ''`, as from an unset variable. */
function emptyTextFaults(flags: Flags, { flags: given }: RawInput): InvalidInput[] {
  return Object.entries(flags)
    .filter(([, { kind, hasOptionalValue }]) => !hasOptionalValue && (kind === 'text' || kind === 'list'))
    .filter(([name]) => given.get(name)?.some(isBlank))
    .map(([name]) => ({ label: flagLabel(name), message: emptyInputText, choices: [] }));
}

/** Removes duplicate faults, and names the environment variable if the value came from one. */
function withVariableNames(
  invalid: readonly InvalidInput[],
  flags: Flags,
  origins: ParsedLine['origins'],
): InvalidInput[] {
  const fromEnvironment = Object.keys(flags).filter((name) => origins.get(name) === 'environment');
  const labels = new Map(fromEnvironment.map((name) => [flagLabel(name), nameEnvVar(name)]));
  return invalid
    .filter(({ label }, index) => invalid.findIndex((other) => other.label === label) === index)
    .map((fault) => ({ ...fault, label: labels.get(fault.label) ?? fault.label }));
}

type InputLine = Pick<ParsedLine, 'own' | 'global' | 'origins'>;

/** Adds a suggestion to an unexpected argument if its meaning is clear. */
function withSuggestions(
  invalid: readonly InvalidInput[],
  command: CommandSpec,
  line: InputLine,
): InvalidInput[] {
  return invalid.map((fault) => {
    const hint = fault.message.startsWith(unexpectedArgumentText)
      ? suggestionFor(fault.label.replace(/^"(.+)"$/, '$1'), command, line)
      : undefined;
    return hint === undefined ? fault : { ...fault, hint };
  });
}

/** Suggests what to type in place of an unexpected argument. */
function suggestionFor(word: string, command: CommandSpec, line: InputLine): Text | undefined {
  if (/^[{[]/.test(word) && Object.hasOwn(command.flags, 'file'))
    return 'JSON comes from a file with --file FILE, or from stdin with --file -.';
  if (/^(?:true|false)$/.test(word)) return 'A flag that takes no value stands alone, or is left out.';
  const meant = wordMeant(word, command, line);
  if (meant.length > 0) return suggestionText(meant);
  if (command.flags.from?.kind === 'text') return 'Several are read from a file or stdin with --from.';
  if (/^https?:\/\//.test(word)) return suggestionText([`--base-url ${word}`]);
  const fields = jsonFieldsMeant(word, line);
  return fields === undefined
    ? suggestionText(suggestListCommands(word, command, line))
    : suggestionText([`--json=${fields}`]);
}

/** What the command takes the word for, after the name of a recipient that only lacks quotes. */
function wordMeant(word: string, command: CommandSpec, line: InputLine): Invocation[] {
  const isPeriodOfList = command.name === 'list' && isDayWord(word) && Object.hasOwn(command.flags, 'period');
  const meant = isPeriodOfList ? null : (command.meantByWord?.(word, line.own.words) ?? null);
  const quoted = quotedName(command, line);
  const isOfDelivery = command.positionals.delivery?.kind === 'delivery';
  const isName = meant === null || (isOfDelivery && meant.args[0] === line.own.words[0]);
  return [isName ? quoted : null, meant].filter((each) => each !== null);
}

/** The line with the words of a name as one argument, `track 'Maria Khan'`, of a command that takes one record. */
function quotedName(command: CommandSpec, line: InputLine): Invocation | null {
  const { words } = line.own;
  const [only, ...others] = Object.values(command.positionals);
  const isOneRecord = only !== undefined && others.length === 0 && only.kind !== 'text';
  if (!isOneRecord || !words.every((word) => /^\p{L}[\p{L}'.-]*$/u.test(word))) return null;
  return invocation(pathOf(command), [words.join(' '), ...typedOwnWords(command.flags, line)]);
}

const isDayWord = (text: string) => /^(?:today|yesterday)$/.test(text);
const isField = (text: string) => /^[a-z][\w.]*$/.test(text);

/** Recognizes fields of `--json` that were given as a separate word, `id,status`, instead of after `=`. */
function jsonFieldsMeant(word: string, { own, global, origins }: InputLine): string | undefined {
  if (global.flags.get('json')?.at(-1) !== '' || origins.get('json') !== 'flag') return undefined;
  const list = own.words.find((each) => each.includes(',') && each.split(',').every(isField));
  return list ?? (isField(word) && !isDayWord(word) ? word : undefined);
}

/** Suggests for an argument of a list: the flag for such a record, the record with that reference, or a search. */
function suggestListCommands(word: string, command: CommandSpec, line: InputLine): Invocation[] {
  const { name, flags, examples } = command;
  const group = examples[0]?.command.split(' ')[1];
  if (name !== 'list' || group === undefined || word === '""') return [];
  if (flags.status?.choices.includes(word)) return [invocation(`${group} list`, [], { status: word })];
  if (isDayWord(word) && Object.hasOwn(flags, 'period'))
    return [invocation(`${group} list`, ['--period', word, ...typedOwnWords(flags, line)])];
  if (flags[word]?.kind === 'switch') return [invocation(`${group} list`, [], { [word]: true })];
  const named = ['record', 'delivery'].find((flag) => Object.hasOwn(flags, flag));
  if (named !== undefined) return [invocation(`${group} list`, [], { [named]: word })];
  if (!Object.hasOwn(flags, 'externalOrderRef')) return [];
  const filter = Object.hasOwn(flags, 'search') ? { search: word } : { ref: word };
  return [invocation(`${group} get`, [word]), invocation(`${group} list`, [], filter)];
}
