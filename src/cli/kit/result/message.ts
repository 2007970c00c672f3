/**
 * Messages whose commands and times stay data until they are formatted (`phrase`, `formatText`), and suggested commands
 * (`invocation`). The message phrase`Next: ${invocation('orders list')}` is `Next: waybill --profile kitchen orders list` for
 * people, with the flags of their account.
 */
import { nearNames } from '../../../domain/near-names.ts';
import { product } from '../product.ts';

/** A time in a sentence, with the word before it. */
export interface TimePart {
  iso: string;
  /** `none`: without a word, and never as an age; `aged`: without a word, possibly as an age. */
  word: 'at' | 'about' | 'until' | 'none' | 'aged';
  /** The IANA zone in which people read it, if not their own. */
  zone?: string | null;
}

type Part = string | Invocation | TimePart;

/** A sentence whose commands and times stay data until it is formatted. */
interface Message {
  parts: readonly Part[];
}

export type Text = string | Message;

/** How the parts of a message are formatted. */
export interface MessageFormat {
  withContextFlags<T extends Invocation>(line: T): T;
  time(part: TimePart): string;
}

/** The template tag that makes a message: phrase`Next: ${invocation('orders list')}`. */
export function phrase(
  strings: TemplateStringsArray,
  ...values: readonly (Text | number | Invocation | TimePart)[]
): Message {
  const parts = strings.flatMap((text, index): readonly Part[] => {
    const value = values[index];
    return value === undefined ? [text] : [text, ...partsOf(value)];
  });
  return { parts: parts.filter((part) => part !== '') };
}

function partsOf(value: Text | number | Invocation | TimePart): readonly Part[] {
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && 'parts' in value ? value.parts : [value];
}

/** Joins texts with a separator. A command at the end of one is set apart from the sentence that follows. */
export function joinedTexts(texts: readonly Text[], separator: string): Text {
  const [first = '', ...rest] = texts;
  if (areStrings(texts)) return texts.join(separator);
  const beforeText = separator === ' ' ? withCommandClosed : (text: Text) => text;
  return rest.reduce<Text>((joined, text) => phrase`${beforeText(joined)}${separator}${text}`, first);
}

/**
 * Quotes a command at the end of a text, and ends the sentence: `In another terminal: waybill sandbox advance --next`
 * becomes ``In another terminal: `waybill sandbox advance --next`.``
 */
function withCommandClosed(text: Text): Text {
  const parts = partsOf(text).filter((part) => part !== '');
  const last = parts.at(-1);
  if (typeof last !== 'object' || 'iso' in last) return text;
  return phrase`${{ parts: parts.slice(0, -1) }}\`${last}\`.`;
}

function areStrings(texts: readonly Text[]): texts is readonly string[] {
  return texts.every((text) => typeof text === 'string');
}

/** A time in a sentence with its word: `at 10:04`. */
export function timePart(iso: string, word: TimePart['word'] = 'at', zone: string | null = null): TimePart {
  return { iso, word, zone };
}

/** Formats a message as text. */
export function formatText(text: Text, format: MessageFormat): string {
  if (typeof text === 'string') return text;
  return text.parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'iso' in part ? format.time(part) : shellLine(format.withContextFlags(part));
    })
    .join('');
}

/** Formats a message for programs: commands without context flags, times in ISO. */
export function plainText(text: Text): string {
  return formatText(text, plainMessageFormat);
}

/** A time for programs. */
export function isoTime({ iso, word }: TimePart): string {
  return word === 'none' || word === 'aged' ? iso : `${word} ${iso}`;
}

export const plainMessageFormat: MessageFormat = { withContextFlags: (line) => line, time: isoTime };

export function invocationsIn(text: Text): (Invocation & { when?: string })[] {
  if (typeof text === 'string') return [];
  return text.parts.filter((part) => typeof part === 'object' && 'command' in part);
}

/** Removes the sentences with a command that is not kept; null if no sentence remains. */
export function withoutCommands(text: Text, isKept: (line: Invocation) => boolean): Text | null {
  if (typeof text === 'string') return text;
  const { parts } = text;
  // A command or a time is marked by its index between NUL characters, so that the text can be split into sentences.
  const marked = parts.map((part, index) => (typeof part === 'string' ? part : `\0${index}\0`)).join('');
  const keptSentences = marked.split(/(?<=[.!?]) /).filter((sentence) =>
    [...sentence.matchAll(/\0(\d+)\0/g)].every(([, index]) => {
      const part = parts[Number(index)];
      return typeof part !== 'object' || !('command' in part) || isKept(part);
    }),
  );
  if (keptSentences.length === 0) return null;
  // Every second piece is the index of a part.
  const pieces = keptSentences.join(' ').split(/\0(\d+)\0/);
  return { parts: pieces.map((piece, nth) => (nth % 2 === 0 ? piece : (parts[Number(piece)] ?? ''))) };
}

/** Replaces each command in a message. */
export function withCommands(text: Text, replace: (line: Invocation) => Invocation): Text {
  if (typeof text === 'string') return text;
  return {
    parts: text.parts.map((part) => (typeof part === 'object' && 'command' in part ? replace(part) : part)),
  };
}

/** A suggested command as data: its name in the tree, and its arguments. */
export interface Invocation {
  /** `orders get`; empty for the program itself. */
  command: string;
  args: readonly string[];
  /** Flags before the command that make it use the same account as this run. */
  context?: readonly string[];
  /** Whether it is the user's own line, corrected or repeated: it is given no maximum that the user did not give. */
  isOwnLine?: true;
}

/** A command to run next, and when. */
export interface NextStep extends Invocation {
  when: string;
}

interface ExampleLine {
  command: string;
}

/** Converts examples to suggested commands; leaves out those that are more than one command, such as a pipe. */
export function exampleSteps(examples: readonly ExampleLine[]): NextStep[] {
  return examples.flatMap(({ command }) => {
    const [, ...args] = shellWords(command);
    const isPipe = args.some((arg) => /^[|<>]/.test(arg));
    return isPipe ? [] : [{ command: '', args, when: 'for example' }];
  });
}

/** A list is a flag for each of its values. */
type FlagValue = string | number | boolean | readonly string[] | undefined;
export type InvocationFlags = Readonly<Record<string, FlagValue>>;

/** Creates a command with flags by their names in the code; leaves out flags without a value. */
export function invocation(
  command: string,
  args: readonly string[] = [],
  flags: InvocationFlags = {},
): Invocation {
  return { command, args: [...args, ...flagArgs(flags)] };
}

/** Appends arguments to a command. */
export function withArgs(base: Invocation, more: readonly string[]): Invocation {
  return { ...base, args: [...base.args, ...more] };
}

/** Replaces placeholders in arguments, such as `ROUTE` or the end of `minutes > VALUE`, by the values that there are. */
export function withValues<T extends Invocation>(
  line: T,
  values: ReadonlyMap<string, string | null | undefined>,
): T {
  const filled = (arg: string) => arg.replace(/(?<![^ ])[A-Z]+$/, (name) => values.get(name) ?? name);
  return { ...line, args: line.args.map(filled) };
}

/** Formats flags as words of a line. */
export function flagArgs(flags: InvocationFlags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    const label = `--${dashed(name)}`;
    if (value === true) return [label];
    return [value].flat().flatMap((each) => [label, String(each)]);
  });
}

/** All words after the program's name. */
export function toArgv({ command, args, context = [] }: Invocation): string[] {
  const words = command === '' ? [] : command.split(' ');
  return [...context, ...words, ...args];
}

/** A command as a line for the shell. */
export function shellLine(line: Invocation): string {
  return [product.name, ...toArgv(line)].map(quoted).join(' ');
}

/** The words of suggested commands that stand for a value that only the user knows; help has the same words. */
const placeholders: readonly string[] = [
  'ADDRESS',
  'BATCH',
  'COURIER',
  'DATABASE',
  'DELIVERY',
  'DOLLARS',
  'DRIVER',
  'ENDPOINT',
  'EVENT',
  'FILE',
  'ITEM',
  'KEY',
  'NAME',
  'ORDER',
  'PATH',
  'PHONE',
  'PROFILE',
  'REASON',
  'ROUTE',
  'STATUS',
  'STORE',
  'TASK',
  'TEXT',
  'URL',
  'VALUE',
  'WHEN',
];

/** A suggested command for programs: as a shell line, and as arguments. */
export interface StepObject {
  command: string;
  args: string[];
  when: string;
  /** The arguments to replace by values before it can be run; absent if it can be run as it is. */
  placeholders?: string[];
}

export function stepObject(step: NextStep): StepObject {
  const args = toArgv(step);
  const toReplace = args.filter((arg) => placeholders.includes(arg));
  const base = { command: shellLine(step), args, when: step.when };
  return toReplace.length === 0 ? base : { ...base, placeholders: toReplace };
}

/** True if two commands and their arguments are equal, in any account. */
export function isSameInvocation(left: Invocation, right: Invocation): boolean {
  return shellLine({ ...left, context: [] }) === shellLine({ ...right, context: [] });
}

/** Converts `pickupAddress` to `pickup-address`. */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A word in quotes for the shell, if it needs them. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Splits a line into words as a shell does, without expanding or running anything. */
export function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
}

/** `Did you mean …?` with the names that are similar to a word; undefined if none is. */
export function didYouMean(word: string, names: readonly string[]): Text | undefined {
  return suggestionText(nearNames(word, names));
}

/** `Did you mean …?` with these names or commands; undefined without any. */
export function suggestionText(meant: readonly (string | Invocation)[]): Text | undefined {
  const texts = meant.map((each) => (typeof each === 'string' ? each : phrase`${each}`));
  const names = joinedTexts(texts, ' or ');
  if (texts.length === 0) return undefined;
  return typeof names === 'string' ? `Did you mean ${names}?` : phrase`Did you mean ${names}?`;
}
