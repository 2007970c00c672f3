import { styleText } from 'node:util';
import * as inquirer from '@inquirer/prompts';
import type { Choice, Prompts, SelectOptions, TextOptions } from '../../context.ts';
import { Interrupted } from '../../failures/failure.ts';
import type { ColourLevel } from '../../output/colour.ts';
import { oneLine } from '../../output/sanitize.ts';
import { displayWidth } from '../../output/width.ts';
import { tellKeys } from './escape-timeout.ts';
import { narrowed } from './filter-choices.ts';
import { inquired } from './inquired.ts';
import type { Board } from './screen.ts';
import { WentBack } from './went-back.ts';

type Choices<T> = { name: string; value: T; description?: string; disabled: string | false }[];
export type Place = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream; signal: AbortSignal };

/** Where keys come from, and what is drawn on. */
export interface Desk {
  input: NodeJS.ReadableStream;
  board: Board;
}

/** The keys that go back, where one can: in a text ← moves the cursor. */
type BackKeys = readonly string[];
const backInText: BackKeys = ['escape'];
const backInList: BackKeys = ['escape', 'left'];

/** So many choices are shown at once, where the screen has room; and so few at least. */
const most_choices = 12;
const least_choices = 3;

/** Prompts in the terminal, on stderr. */
export async function terminalPrompts(
  signal: AbortSignal,
  colour: ColourLevel,
  desk: Desk,
): Promise<Prompts> {
  const { board, input } = desk;
  tellKeys(input);
  const asked = <T>(ask: (place: Place) => Promise<T>, keys: BackKeys = []) =>
    answered(ask, { signal, colour, keys, desk });
  return {
    board,
    text: (message, { initial, hint, check, meant, back } = {}) => {
      const validate = (text: string) => faultIn(text, check) ?? true;
      const start = initial === undefined ? {} : { default: initial };
      const transformer = (text: string, { isFinal }: { isFinal: boolean }) =>
        oneLine(isFinal ? (meant?.(text) ?? text) : text);
      const theme = { style: { message: hinted(hint), defaultAnswer: proposed } };
      const question = { message: oneLine(message), ...start, validate, transformer, theme };
      return asked((place) => inquirer.input(question, place), back && backInText);
    },
    secret: (message) =>
      asked((place) => inquirer.password({ message: oneLine(message), toggleMask: false }, place)),
    confirm: (message) =>
      asked((place) => inquirer.confirm({ message: oneLine(message), default: false }, place)),
    select: <T>(message: string, choices: readonly Choice<T>[], options: SelectOptions<T> = {}) => {
      const question = listOf(message, withBack(choices, options), board);
      const taken = async (place: Place) => (await selected(question, options, place))();
      return asked(taken, options.back && backInList);
    },
    pick: (message, choices, { check = () => null } = {}) => {
      const list = listOf(message, choices, board);
      const source = (typed = '') => narrowed(list.choices, typed, (text) => faultIn(text, check));
      return asked((place) => inquirer.search({ ...list, source }, place));
    },
    checkbox: (message, choices, { back } = {}) =>
      asked((place) => inquirer.checkbox(listOf(message, choices, board), place), back && backInList),
  };
}

/** How a question is written: its hint goes with its answer. */
function hinted(hint: string | undefined): (message: string, status: string) => string {
  return (message, status) =>
    styleText('bold', hint === undefined || status === 'done' ? message : `${message} ${oneLine(hint)}`);
}

function proposed(text: string): string {
  return styleText('dim', `(${oneLine(text)})`);
}

function faultIn(text: string, check: TextOptions['check']): string | null {
  const fault = check?.(text) ?? null;
  return fault === null ? null : oneLine(fault);
}

interface List<T> {
  message: string;
  choices: Choices<T>;
  pageSize: number;
}

function listOf<T>(message: string, choices: readonly Choice<T>[], board: Board): List<T> {
  const safe = safeChoices(choices);
  return { message: oneLine(message), choices: safe, pageSize: roomFor(safe, board) };
}

/** As many as have room below the question, however many rows each of them takes. */
function roomFor(choices: Choices<unknown>, { columns, rows }: Board): number {
  const longest = Math.max(...choices.map(({ name }) => displayWidth(name)));
  const tallest = Math.ceil((longest + 8) / columns);
  return Math.min(most_choices, Math.max(least_choices, Math.floor((rows - 6) / tallest)));
}

type Taken<T> = () => T;

/** What each choice gives; to go back is one too, where one can. */
function withBack<T>(choices: readonly Choice<T>[], { back }: SelectOptions<T>): Choice<Taken<T>>[] {
  const taking = choices.map((choice) => ({ ...choice, value: () => choice.value }));
  return back ? [...taking, { name: 'Go back', value: goBack }] : taking;
}

function goBack(): never {
  throw new WentBack();
}

/** One of a list; where it changes while it is open, by a prompt of our own. */
async function selected<T>(list: List<Taken<T>>, options: SelectOptions<T>, place: Place): Promise<Taken<T>> {
  const at = list.choices.findIndex(({ value }) => value !== goBack && value() === options.initial);
  const proposed = options.initial === undefined ? undefined : list.choices[at]?.value;
  const { current } = options;
  if (current === undefined)
    return inquirer.select({ ...list, ...(proposed === undefined ? {} : { default: proposed }) }, place);
  const { changingSelect } = await import('./select.ts');
  return changingSelect(
    { ...list, proposed, current: () => safeChoices(withBack(current(), options)) },
    place,
  );
}

function safeChoices<T>(choices: readonly Choice<T>[]): Choices<T> {
  return choices.map(({ name, value, description, disabled }) => ({
    name: oneLine(name),
    value,
    disabled: disabled === undefined ? false : oneLine(disabled),
    ...(description === undefined ? {} : { description: oneLine(description) }),
  }));
}

const ends: ReadonlySet<string> = new Set(['ExitPromptError', 'AbortPromptError']);

interface Asking {
  signal: AbortSignal;
  colour: ColourLevel;
  keys: BackKeys;
  desk: Desk;
}

/** The answer to one prompt; rejects with Interrupted on Ctrl+C, Ctrl+D and at the end of stdin. */
async function answered<T>(
  ask: (place: Place) => Promise<T>,
  { signal, colour, keys, desk: { input, board } }: Asking,
): Promise<T> {
  const { left, forget } = leaving(input, keys);
  // Whoever is told to end writes at once what is true: the question is not to be half drawn by then.
  const end = () => board.leave('kept');
  signal.addEventListener('abort', end);
  try {
    const output = inquired(board, colour > 0);
    return await ask({ input, output, signal: AbortSignal.any([signal, left]) });
  } catch (error) {
    const isEnd = error instanceof Error && ends.has(error.name);
    const reason = isEnd ? (left.reason instanceof WentBack ? left.reason : new Interrupted()) : error;
    if (reason instanceof WentBack) board.leave('taken');
    throw reason;
  } finally {
    end();
    signal.removeEventListener('abort', end);
    forget();
  }
}

/**
 * Aborted when stdin ends, and with WentBack where one of the keys is pressed. Ctrl+D only closes the reader of
 * lines, which the prompts do not notice.
 */
function leaving(input: NodeJS.ReadableStream, keys: BackKeys): { left: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  const close = () => controller.abort();
  const typed = (_: string | undefined, key: { ctrl: boolean; name?: string }) => {
    if (key.name !== undefined && keys.includes(key.name)) controller.abort(new WentBack());
    // The reader of lines pauses its input when it closes; in the midst of a line Ctrl+D takes a letter away.
    if (key.ctrl && key.name === 'd') queueMicrotask(() => input.isPaused() && close());
  };
  input.on('keypress', typed).on('end', close).on('close', close);
  const forget = () => {
    input.off('keypress', typed).off('end', close).off('close', close);
  };
  return { left: controller.signal, forget };
}
