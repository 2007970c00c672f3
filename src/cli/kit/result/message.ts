import { type Invocation, shellLine } from './invocation.ts';

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
export interface Message {
  parts: readonly Part[];
}

export type Text = string | Message;

/** How the parts of a message are formatted. */
export interface Wording {
  /** Adds the context flags of this run to a command. */
  place<T extends Invocation>(line: T): T;
  time(part: TimePart): string;
}

/** A template tag: phrase`Next: ${invocation('orders list')}`. */
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

/** Joins texts with a separator. */
export function joinedTexts(texts: readonly Text[], separator: string): Text {
  const [first = '', ...rest] = texts;
  if (areStrings(texts)) return texts.join(separator);
  return rest.reduce<Text>((joined, text) => phrase`${joined}${separator}${text}`, first);
}

function areStrings(texts: readonly Text[]): texts is readonly string[] {
  return texts.every((text) => typeof text === 'string');
}

/** A time in a sentence with its word: `at 10:04`. */
export function timePart(iso: string, word: TimePart['word'] = 'at', zone: string | null = null): TimePart {
  return { iso, word, zone };
}

/** Formats a message as text. */
export function textOf(text: Text, wording: Wording): string {
  if (typeof text === 'string') return text;
  return text.parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'iso' in part ? wording.time(part) : shellLine(wording.place(part));
    })
    .join('');
}

/** Formats a message for programs: commands without context flags, times in ISO. */
export function plainText(text: Text): string {
  return textOf(text, plainWording);
}

/** A time for programs. */
export function isoTime({ iso, word }: TimePart): string {
  return word === 'none' || word === 'aged' ? iso : `${word} ${iso}`;
}

export const plainWording: Wording = { place: (line) => line, time: isoTime };

/** The commands in a message. */
export function invocationsIn(text: Text): Invocation[] {
  if (typeof text === 'string') return [];
  return text.parts.filter((part) => typeof part === 'object' && 'command' in part);
}

/** Replaces each command in a message. */
export function withCommands(text: Text, replace: (line: Invocation) => Invocation): Text {
  if (typeof text === 'string') return text;
  return {
    parts: text.parts.map((part) => (typeof part === 'object' && 'command' in part ? replace(part) : part)),
  };
}
