import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Terminal } from '@xterm/headless';
import type { Prompts } from '../../../src/cli/context.ts';
import { type Board, openBoard } from '../../../src/cli/kit/prompts/screen.ts';
import { terminalPrompts } from '../../../src/cli/kit/prompts/terminal-prompts.ts';
import { back, ctrlC } from './person.ts';

const ctrlD: unique symbol = Symbol('ctrl+d');
/** Stdin ends. */
export const closed: unique symbol = Symbol('closed');
/** Nothing is typed: the typing ends here. */
export const nothing: unique symbol = Symbol('nothing');

/** What is typed at a question: a text, or the choice of a list that begins so; a key; or something else is done. */
export type Keys = string | typeof back | typeof ctrlC | typeof ctrlD | typeof closed | typeof nothing;
export type Typed = Keys | ((typist: Typist) => Keys | Promise<Keys>);
export type Typing = readonly (readonly [question: string, typed: Typed])[];

export interface Typist {
  prompts: Prompts;
  said(text: string): void;
  /** The screen with all that scrolled off, without the empty lines below; once all that was written stands there. */
  screen(): Promise<string[]>;
  /** All that was written, with what moves the cursor. */
  written(): string;
  resize(columns: number): void;
  /** To be called once the line has ended: how many replies are left; throws where another question came. */
  end(): Promise<number>;
}

interface Place {
  columns: number;
  rows?: number;
  signal?: AbortSignal;
}

/** Somebody at a terminal with a screen, in this process: the prompts are the real ones, and so are the keys. */
export async function typist(replies: Typing, { columns, rows = 60, signal }: Place): Promise<Typist> {
  const screen = new Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let text = '';
  const write = (chunk: string) => {
    text += chunk;
    screen.write(chunk);
  };
  const paper = Object.assign(new EventEmitter(), { columns, rows, write });
  const board = openBoard(paper);
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const real = await terminalPrompts(signal ?? new AbortController().signal, 0, { input, board });
  const { prompts, opened } = counted(real);
  let isOver = false;
  const me: Typist = {
    prompts,
    said: (line) => {
      write(line);
      board.heard(line);
    },
    screen: async () => {
      await new Promise<void>((resolve) => screen.write('', resolve));
      return linesOf(screen);
    },
    written: () => text,
    resize: (width) => {
      screen.resize(width, rows);
      paper.columns = width;
      paper.emit('resize');
    },
    end: () => {
      isOver = true;
      return typed;
    },
  };
  const isShown = (count: number) => opened() === count && board.frame !== null;
  const typed = typeAll(replies, { me, board, input, isShown, isOver: () => isOver });
  typed.catch(() => input.end());
  return me;
}

/** The same prompts, which tell how often somebody was asked. */
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

function linesOf({ buffer: { active } }: Terminal): string[] {
  const lines = Array.from(
    { length: active.length },
    (_, at) => active.getLine(at)?.translateToString(true) ?? '',
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

interface Desk {
  me: Typist;
  board: Board;
  input: PassThrough;
  /** Whether this is the question that somebody is asked now: by its number, from 1. */
  isShown(count: number): boolean;
  isOver(): boolean;
}

async function typeAll(replies: Typing, desk: Desk): Promise<number> {
  for (const [index, [question, reply]] of replies.entries()) {
    while (!desk.isShown(index + 1)) {
      if (desk.isOver()) return replies.length - index;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const asked = desk.board.frame?.lines[0] ?? '';
    if (!asked.startsWith(`? ${question}`)) throw new Error(`"${asked}" came, and not "${question}"`);
    press(typeof reply === 'function' ? await reply(desk.me) : reply, desk);
  }
  return 0;
}

const down = '\u001b[B';

function press(keys: Keys, desk: Desk): void {
  const { board, input } = desk;
  if (keys === back) goBack(desk);
  else if (keys === ctrlC) input.write('\u0003');
  else if (keys === ctrlD) input.write('\u0004');
  else if (keys === closed) input.end();
  else if (typeof keys === 'string') input.write(`${wayTo(keys, board)}\r`);
}

/** With half an answer typed, where one types: by itself a reader of keys waits whether more than the escape is to come. */
function goBack({ board, input }: Desk): void {
  const key = (name: string, sequence: string) => ({
    name,
    sequence,
    ctrl: false,
    meta: false,
    shift: false,
  });
  if (board.frame?.cursor) input.emit('keypress', 'x', key('x', 'x'));
  input.emit('keypress', undefined, key('escape', '\u001b'));
}

/** The keys that lead to a choice of the list; a text itself where it is none. */
function wayTo(text: string, { frame }: Board): string {
  if (frame === null || frame.cursor !== null) return text;
  const choices = frame.lines.slice(1).filter((line) => /^[❯ ] \S/.test(line));
  const at = choices.findIndex((line) => line.slice(2).startsWith(text));
  const from = choices.findIndex((line) => line.startsWith('❯'));
  // One that is out of sight is found by what it begins with.
  if (at === -1) return text;
  return down.repeat((at - from + choices.length) % choices.length);
}

/** Whether whoever hid the cursor showed it again. */
export function isCursorShown(written: string): boolean {
  return written.lastIndexOf('\u001b[?25h') >= written.lastIndexOf('\u001b[?25l');
}
