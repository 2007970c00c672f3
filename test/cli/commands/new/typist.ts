import type { PassThrough } from 'node:stream';
import type { Prompts } from '../../../../src/cli/kit/host/host.ts';
import { promptsOn } from '../../kit/prompts/terminal.ts';
import { back, ctrlC } from './person.ts';

const ctrlD: unique symbol = Symbol('ctrl+d');
/** Stdin is closed. */
export const closed: unique symbol = Symbol('closed');
/** Nothing is typed: the typing ends here. */
export const nothing: unique symbol = Symbol('nothing');

/** The reaction to a prompt: a text, the prefix of a choice, a key, or another action. */
export type Keys = string | typeof back | typeof ctrlC | typeof ctrlD | typeof closed | typeof nothing;
export type Typed = Keys | ((typist: Typist) => Keys | Promise<Keys>);
export type Typing = readonly (readonly [question: string, typed: Typed])[];

export interface Typist {
  prompts: Prompts;
  said(text: string): void;
  /** The screen including scrolled lines, without trailing empty ones, after all pending output. */
  screen(): Promise<string[]>;
  /** The raw output, with cursor movements. */
  written(): string;
  /**
   * To be called at the end of the command: returns the number of remaining replies; throws if there was an
   * unexpected prompt.
   */
  end(): Promise<number>;
}

interface Place {
  columns: number;
  rows?: number;
  signal?: AbortSignal;
}

/** A person at a terminal with a screen, in this process, with the real prompts and keys. */
export async function typist(replies: Typing, { columns, rows = 60, signal }: Place): Promise<Typist> {
  const { input, prompts: real, ...terminal } = promptsOn({ columns, rows }, signal);
  const { prompts, opened } = counted(real);
  let isOver = false;
  const me: Typist = {
    prompts,
    said: (line) => {
      terminal.output.write(line);
    },
    screen: terminal.lines,
    written: terminal.written,
    end: () => {
      isOver = true;
      return typed;
    },
  };
  const typed = typeAll(replies, { me, input, opened, isOver: () => isOver });
  typed.catch(() => input.end());
  return me;
}

/** The same prompts, counted. */
function counted(real: Prompts): { prompts: Prompts; opened(): number } {
  let count = 0;
  const asked = <T>(answer: Promise<T>): Promise<T> => {
    count += 1;
    return answer;
  };
  const prompts: Prompts = {
    ...real,
    text: (...question) => asked(real.text(...question)),
    confirm: (...question) => asked(real.confirm(...question)),
    select: (...question) => asked(real.select(...question)),
    checkbox: (...question) => asked(real.checkbox(...question)),
  };
  return { prompts, opened: () => count };
}

interface Desk {
  me: Typist;
  input: PassThrough;
  /** The number of prompts. */
  opened(): number;
  isOver(): boolean;
}

async function typeAll(replies: Typing, desk: Desk): Promise<number> {
  for (const [index, [question, reply]] of replies.entries()) {
    let open: string[] = [];
    while (open.length === 0) {
      if (desk.isOver()) return replies.length - index;
      await new Promise((resolve) => setImmediate(resolve));
      if (desk.opened() === index + 1) open = openQuestion(await desk.me.screen());
    }
    if (!open[0]?.startsWith(`? ${question}`)) throw new Error(`"${open[0]}" came, and not "${question}"`);
    press(typeof reply === 'function' ? await reply(desk.me) : reply, open, desk);
  }
  return 0;
}

/** The lines of the open prompt; empty without one. */
function openQuestion(screen: readonly string[]): string[] {
  const first = screen.findLastIndex((line) => line.startsWith('? '));
  return first === -1 ? [] : screen.slice(first);
}

const down = '\u001b[B';

function press(keys: Keys, open: readonly string[], desk: Desk): void {
  const { me, input } = desk;
  const isText = isCursorShown(me.written());
  if (keys === back) goBack(input, isText);
  else if (keys === ctrlC) input.write('\u0003');
  else if (keys === ctrlD) input.write('\u0004');
  else if (keys === closed) input.end();
  else if (typeof keys === 'string') input.write(`${isText ? keys : keysTo(keys, open)}\r`);
}

/** Types half an answer first in text prompts: a lone escape would be ambiguous for the key parser. */
function goBack(input: PassThrough, isText: boolean): void {
  const key = (name: string, sequence: string) => ({
    name,
    sequence,
    ctrl: false,
    meta: false,
    shift: false,
  });
  if (isText) input.emit('keypress', 'x', key('x', 'x'));
  input.emit('keypress', undefined, key('escape', '\u001b'));
}

/** The keys that select a choice; the text itself if it is not visible, to filter for it. */
function keysTo(text: string, open: readonly string[]): string {
  const choices = open.filter((line) => /^[❯ ] \S/.test(line));
  const at = choices.findIndex((line) => line.slice(2).startsWith(text));
  const from = choices.findIndex((line) => line.startsWith('❯'));
  return at === -1 ? text : down.repeat((at - from + choices.length) % choices.length);
}

/** Whether the cursor is visible at the end of the output. */
export function isCursorShown(written: string): boolean {
  return written.lastIndexOf('\u001b[?25h') >= written.lastIndexOf('\u001b[?25l');
}
