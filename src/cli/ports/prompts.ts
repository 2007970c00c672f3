import { Writable } from 'node:stream';
import type { Choice, Prompts } from '../context.ts';
import { Interrupted } from '../failures/failure.ts';
import type { ColourLevel } from '../output/colour.ts';
import { oneLine } from '../output/sanitize.ts';

type Choices<T> = { name: string; value: T; description?: string }[];
type Place = { input: NodeJS.ReadStream; output: NodeJS.WritableStream; signal: AbortSignal };

/** Prompts in the terminal, on stderr. */
export async function terminalPrompts(signal: AbortSignal, colour: ColourLevel): Promise<Prompts> {
  const inquirer = await import('@inquirer/prompts');
  const asked = <T>(ask: (place: Place) => Promise<T>) => answered(ask, signal, colour);
  return {
    text: (message, { initial, check } = {}) => {
      const validate = (text: string) => check?.(text) ?? true;
      const start = initial === undefined ? {} : { default: initial };
      const question = { message: oneLine(message), ...start, validate };
      return asked((place) => inquirer.input(question, place));
    },
    secret: (message) =>
      asked((place) => inquirer.password({ message: oneLine(message), toggleMask: false }, place)),
    confirm: (message) =>
      asked((place) => inquirer.confirm({ message: oneLine(message), default: false }, place)),
    select: (message, choices) =>
      asked((place) => inquirer.select({ message: oneLine(message), choices: safe(choices) }, place)),
    checkbox: (message, choices) =>
      asked((place) => inquirer.checkbox({ message: oneLine(message), choices: safe(choices) }, place)),
  };
}

function safe<T>(choices: readonly Choice<T>[]): Choices<T> {
  return choices.map(({ name, value, description }) => ({
    name: oneLine(name),
    value,
    ...(description === undefined ? {} : { description: oneLine(description) }),
  }));
}

const ends: ReadonlySet<string> = new Set(['ExitPromptError', 'AbortPromptError']);

/** The answer to one prompt; rejects with Interrupted on Ctrl+C, Ctrl+D and at the end of stdin. */
async function answered<T>(
  ask: (place: Place) => Promise<T>,
  signal: AbortSignal,
  colour: ColourLevel,
): Promise<T> {
  const input = process.stdin;
  const { closed, forget } = closing(input);
  const output = colour === 0 ? uncoloured() : process.stderr;
  try {
    return await ask({ input, output, signal: AbortSignal.any([signal, closed]) });
  } catch (error) {
    if (error instanceof Error && ends.has(error.name)) throw new Interrupted();
    throw error;
  } finally {
    forget();
  }
}

/** Aborted when stdin ends. Ctrl+D only closes the reader of lines, which the prompts do not notice. */
function closing(input: NodeJS.ReadStream): { closed: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  const close = () => controller.abort();
  const typed = (_: string | undefined, key: { ctrl: boolean; name?: string }) => {
    // The reader of lines pauses its input when it closes; in the midst of a line Ctrl+D takes a letter away.
    if (key.ctrl && key.name === 'd') queueMicrotask(() => input.isPaused() && close());
  };
  input.on('keypress', typed).on('end', close).on('close', close);
  const forget = () => {
    input.off('keypress', typed).off('end', close).off('close', close);
  };
  return { closed: controller.signal, forget };
}

const sequence = '\u001b';
const colours = new RegExp(`${sequence}\\[[0-9;]*m`, 'g');

/** Stderr without the colours that are written to it: the prompts have their own mind about those. */
function uncoloured(): NodeJS.WritableStream {
  return new Writable({
    write: (chunk, _, done) => {
      process.stderr.write(String(chunk).replace(colours, ''));
      done();
    },
  });
}
