import { UsageError } from '../errors/failure.ts';
import type { Choice, Prompts } from '../host/prompts.ts';
import { exampleSteps, type Invocation, invocation } from '../result/invocation.ts';
import type { Text } from '../result/message.ts';
import type {
  BadInput,
  CommandSpec,
  Example,
  Flags,
  InputFaults,
  MissingInput,
  Raw,
} from './command-spec.ts';
import { BadValue } from './flags.ts';
import { type GlobalValues, globalFlags, globalsFor } from './global-flags.ts';
import { envVarOf, faultsOf, flagLabel, isBlank, notEmpty, tooMany } from './input.ts';
import type { Parsed } from './parsed-line.ts';
import { meant } from './suggestions.ts';

/** Everything wrong with the words of a command as one error. */
export function inputError({ missing, bad, oneOf }: InputFaults, command: CommandSpec): UsageError {
  const labels = [...missing.map(({ label }) => label), ...(oneOf.length > 0 ? [oneOf.join(' or ')] : [])];
  const parts = [
    ...bad.map(({ label, message }) => `${label} ${message}.`),
    ...(labels.length === 0 ? [] : [`Missing: ${labels.join(', ')}.`]),
  ];
  const hint = bad.flatMap((fault) => fault.hint ?? []).at(0);
  return new UsageError(parts.join('\n'), {
    code: labels.length > 0 ? 'missing_input' : 'bad_value',
    ...(hint === undefined ? {} : { hint }),
    missing: labels,
    choices: [...bad.flatMap(({ choices }) => choices), ...oneOf],
    next: exampleSteps(examplesFor(command, labels, bad)),
  });
}

/** The first example where something is missing; else one that shows a flag that was given wrongly, if any does. */
function examplesFor(
  { examples }: CommandSpec,
  missing: readonly string[],
  bad: InputFaults['bad'],
): Example[] {
  const first = examples.slice(0, 1);
  if (missing.length > 0) return first;
  const found = examples.find(({ command }) =>
    bad.some(({ label }) => command.split(/[ =]/).includes(label)),
  );
  return found === undefined ? [] : [found];
}

/** All that is wrong with the words and flags of a command itself; a flag of every command may be the one of several. */
export function faultsIn(command: CommandSpec, parsed: Parsed): InputFaults {
  const { oneOf, ...found } = command.check(parsed.own);
  const isChosen = [...parsed.global.flags.keys()].some((name) => oneOf.includes(flagLabel(name)));
  return { ...found, oneOf: isChosen ? [] : oneOf, bad: valueFaults(command, parsed) };
}

/** Where something is missing and nobody can be asked, the yes that would be asked for behind it is missing, too. */
export function withYes(
  faults: InputFaults,
  command: CommandSpec,
  { own, asked }: { own: Raw; asked: Pick<GlobalValues, 'yes' | 'dryRun'> },
): InputFaults {
  const isOpen = faults.missing.length > 0 || faults.oneOf.length > 0;
  if (!isOpen || asked.yes || asked.dryRun || !command.asksYes(own)) return faults;
  const yes = { label: flagLabel('yes'), name: 'yes', part: globalFlags.yes };
  return { ...faults, missing: [...faults.missing, yes] };
}

/** What is wrong with the values of the global flags. */
export function globalFaults(command: CommandSpec, { global, origins }: Parsed): BadInput[] {
  const flags = globalsFor(command);
  return named([...faultsOf(flags, {}, global).bad, ...emptyTexts(flags, global)], flags, origins);
}

/** What is wrong with the values of the flags of the command itself, and with its words. */
export function valueFaults(command: CommandSpec, parsed: Parsed): BadInput[] {
  const { own, origins } = parsed;
  const bad = [...command.check(own).bad, ...emptyTexts(command.flags, own)];
  return named(withMeantWords(bad, command, parsed), command.flags, origins);
}

/** A flag that takes a text and was given none: `--idempotency-key ''`, as of a variable that is not set. */
function emptyTexts(flags: Flags, { flags: given }: Raw): BadInput[] {
  return Object.entries(flags)
    .filter(([, { kind, bare }]) => !bare && (kind === 'text' || kind === 'list'))
    .filter(([name]) => given.get(name)?.some(isBlank))
    .map(([name]) => ({ label: flagLabel(name), message: notEmpty, choices: [] }));
}

/** Each fault once, and with the name of the variable where that is where the value stands. */
function named(bad: readonly BadInput[], flags: Flags, origins: Parsed['origins']): BadInput[] {
  const twins = Object.keys(flags).filter((name) => origins.get(name) === 'environment');
  const labels = new Map(twins.map((name) => [flagLabel(name), envVarOf(name)]));
  return bad
    .filter(({ label }, index) => bad.findIndex((other) => other.label === label) === index)
    .map((fault) => ({ ...fault, label: labels.get(fault.label) ?? fault.label }));
}

/** What there is to pick from where an id of a kind is missing. */
export type Offers = (kind: string) => Promise<readonly Choice<string>[]>;

/** Asks for what is missing, one after the other; what is asked for may depend on what was answered. */
export async function completed(
  command: CommandSpec,
  raw: Raw,
  prompts: Prompts,
  offers: Offers = async () => [],
): Promise<Raw> {
  let given = raw;
  for (;;) {
    const [first] = faultsOf(command.flags, command.positionals, given).missing;
    if (first === undefined) return given;
    given = withAnswer(given, first, await askFor(first, prompts, offers));
  }
}

function withAnswer(raw: Raw, missing: MissingInput, answer: string): Raw {
  if ('variadic' in missing.part) return { ...raw, words: [...raw.words, answer] };
  return { ...raw, flags: new Map([...raw.flags, [missing.name, [answer]]]) };
}

async function askFor({ label, part }: MissingInput, prompts: Prompts, offers: Offers): Promise<string> {
  const question = ('question' in part && part.question) || `${part.summary} (${label})`;
  if ('secret' in part && part.secret) return prompts.secret(question);
  if ('choices' in part && part.choices.length > 0) {
    const choices = part.choices.map((name) => ({ name, value: name }));
    return prompts.select(question, choices);
  }
  const check = (text: string) => faultIn(text, part);
  const offered = 'variadic' in part ? await offers(part.kind) : [];
  return offered.length === 0
    ? prompts.text(question, { check })
    : prompts.search(question, offered, { check });
}

/** What is wrong with the text of a flag or a positional that is asked for; null where nothing is. */
export function faultIn(text: string, part: MissingInput['part']): string | null {
  if (text.trim() === '') return 'It cannot be empty.';
  try {
    part.read([text]);
    return 'check' in part ? (part.check?.(text) ?? null) : null;
  } catch (error) {
    if (error instanceof BadValue) return `It ${error.message}.`;
    throw error;
  }
}

type Line = Pick<Parsed, 'own' | 'global' | 'origins'>;

/** What is wrong with a line, and of a word too many what was meant by it, where that can be told. */
function withMeantWords(bad: readonly BadInput[], command: CommandSpec, line: Line): BadInput[] {
  return bad.map((fault) => {
    const hint = fault.message.startsWith(tooMany) ? hintFor(fault.label, command, line) : undefined;
    return hint === undefined ? fault : { ...fault, hint };
  });
}

function hintFor(word: string, command: CommandSpec, line: Line): Text | undefined {
  if (/^[{[]/.test(word) && Object.hasOwn(command.flags, 'file'))
    return 'JSON comes from a file with --file FILE, or from stdin with --file -.';
  if (/^https?:\/\//.test(word)) return meant([`--base-url ${word}`]);
  const fields = fieldsMeant(word, line);
  return fields === undefined ? meant(listsMeant(word, command)) : meant([`--json=${fields}`]);
}

const isField = (text: string) => /^[a-z][\w.]*$/.test(text);

/** `--json` takes its fields behind `=` alone: those that stand as a word of their own, `id,status`. */
function fieldsMeant(word: string, { own, global, origins }: Line): string | undefined {
  if (global.flags.get('json')?.at(-1) !== '' || origins.get('json') !== 'flag') return undefined;
  const list = own.words.find((each) => each.includes(',') && each.split(',').every(isField));
  return list ?? (isField(word) ? word : undefined);
}

/** A list takes no word: the record of that reference, or what is found with it. */
function listsMeant(word: string, { name, flags, examples }: CommandSpec): Invocation[] {
  const group = examples[0]?.command.split(' ')[1];
  if (name !== 'list' || group === undefined || !Object.hasOwn(flags, 'externalOrderRef')) return [];
  if (word === '""') return [];
  const filter = Object.hasOwn(flags, 'search') ? { search: word } : { ref: word };
  return [invocation(`${group} get`, [word]), invocation(`${group} list`, [], filter)];
}
