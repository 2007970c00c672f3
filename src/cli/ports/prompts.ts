import { Writable } from 'node:stream';
import type { Choice, Prompts, SelectOptions } from '../context.ts';
import { Interrupted } from '../failures/failure.ts';
import type { ColourLevel } from '../output/colour.ts';
import { oneLine } from '../output/sanitize.ts';
import { WentBack } from './went-back.ts';

type Choices<T> = { name: string; value: T; description?: string; disabled: string | false }[];
export type Place = { input: NodeJS.ReadStream; output: NodeJS.WritableStream; signal: AbortSignal };

/** The keys that go back, where one can: in a text ← moves the cursor. */
type BackKeys = readonly string[];
const backInText: BackKeys = ['escape'];
const backInList: BackKeys = ['escape', 'left'];

/** So many choices are shown at once. */
const page_size = 12;

/** Prompts in the terminal, on stderr. */
export async function terminalPrompts(signal: AbortSignal, colour: ColourLevel): Promise<Prompts> {
  const inquirer = await import('@inquirer/prompts');
  const asked = <T>(ask: (place: Place) => Promise<T>, keys: BackKeys = []) =>
    answered(ask, { signal, colour, keys });
  return {
    text: (message, { initial, check, back } = {}) => {
      const validate = (text: string) => check?.(text) ?? true;
      const start = initial === undefined ? {} : { default: initial };
      const question = { message: oneLine(message), ...start, validate };
      return asked((place) => inquirer.input(question, place), back && backInText);
    },
    secret: (message) =>
      asked((place) => inquirer.password({ message: oneLine(message), toggleMask: false }, place)),
    confirm: (message) =>
      asked((place) => inquirer.confirm({ message: oneLine(message), default: false }, place)),
    select: async <T>(message: string, choices: readonly Choice<T>[], options: SelectOptions<T> = {}) => {
      const question = listOf(message, withBack(choices, options));
      const taken = await asked(
        (place) => selected(inquirer, question, options, place),
        options.back && backInList,
      );
      return taken();
    },
    checkbox: (message, choices, { back } = {}) =>
      asked((place) => inquirer.checkbox(listOf(message, choices), place), back && backInList),
  };
}

interface List<T> {
  message: string;
  choices: Choices<T>;
  pageSize: number;
}

function listOf<T>(message: string, choices: readonly Choice<T>[]): List<T> {
  return { message: oneLine(message), choices: safe(choices), pageSize: page_size };
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
async function selected<T>(
  inquirer: typeof import('@inquirer/prompts'),
  list: List<Taken<T>>,
  options: SelectOptions<T>,
  place: Place,
): Promise<Taken<T>> {
  const at = list.choices.findIndex(({ value }) => value !== goBack && value() === options.initial);
  const proposed = options.initial === undefined ? undefined : list.choices[at]?.value;
  const { current } = options;
  if (current === undefined)
    return inquirer.select({ ...list, ...(proposed === undefined ? {} : { default: proposed }) }, place);
  const { changingSelect } = await import('./changing-select.ts');
  return changingSelect({ ...list, proposed, current: () => safe(withBack(current(), options)) }, place);
}

function safe<T>(choices: readonly Choice<T>[]): Choices<T> {
  return choices.map(({ name, value, description, disabled }) => ({
    name: oneLine(name),
    value,
    disabled: disabled ?? false,
    ...(description === undefined ? {} : { description: oneLine(description) }),
  }));
}

const ends: ReadonlySet<string> = new Set(['ExitPromptError', 'AbortPromptError']);

interface Asking {
  signal: AbortSignal;
  colour: ColourLevel;
  keys: BackKeys;
}

/** The answer to one prompt; rejects with Interrupted on Ctrl+C, Ctrl+D and at the end of stdin. */
async function answered<T>(ask: (place: Place) => Promise<T>, { signal, colour, keys }: Asking): Promise<T> {
  const input = process.stdin;
  const { left, forget } = leaving(input, keys);
  const output = colour === 0 ? uncoloured() : process.stderr;
  try {
    return await ask({ input, output, signal: AbortSignal.any([signal, left]) });
  } catch (error) {
    if (!(error instanceof Error) || !ends.has(error.name)) throw error;
    throw left.reason instanceof WentBack ? left.reason : new Interrupted();
  } finally {
    forget();
  }
}

/**
 * Aborted when stdin ends, and with WentBack where one of the keys is pressed. Ctrl+D only closes the reader of
 * lines, which the prompts do not notice.
 */
function leaving(input: NodeJS.ReadStream, keys: BackKeys): { left: AbortSignal; forget: () => void } {
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

const sequence = '\u001b';
const colours = new RegExp(`${sequence}\\[[0-9;]*m`, 'g');

/** Stderr without the colours that are written to it: the prompts have their own mind about those. */
function uncoloured(): NodeJS.WritableStream {
  const stream = new Writable({
    write: (chunk, _, done) => {
      process.stderr.write(String(chunk).replace(colours, ''));
      done();
    },
  });
  // What is redrawn has to know how many lines it takes.
  return Object.defineProperty(stream, 'columns', { get: () => process.stderr.columns });
}
