import type { Choice, Prompts } from '../context.ts';
import { Interrupted } from '../failure.ts';
import { oneLine } from '../output/sanitize.ts';

type Choices<T> = { name: string; value: T; description?: string }[];

/** Prompts in the terminal, on stderr. */
export async function terminalPrompts(signal: AbortSignal): Promise<Prompts> {
  const inquirer = await import('@inquirer/prompts');
  const place = { input: process.stdin, output: process.stderr, signal };
  return {
    text: (message, { initial, check } = {}) =>
      asked(
        inquirer.input(
          {
            message: oneLine(message),
            ...(initial === undefined ? {} : { default: initial }),
            validate: (text) => check?.(text) ?? true,
          },
          place,
        ),
      ),
    secret: (message) => asked(inquirer.password({ message: oneLine(message) }, place)),
    confirm: (message) => asked(inquirer.confirm({ message: oneLine(message), default: false }, place)),
    select: (message, choices) =>
      asked(inquirer.select({ message: oneLine(message), choices: safe(choices) }, place)),
    checkbox: (message, choices) =>
      asked(inquirer.checkbox({ message: oneLine(message), choices: safe(choices) }, place)),
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

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && ends.has(error.name)) throw new Interrupted();
    throw error;
  }
}
