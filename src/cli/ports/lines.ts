import { createInterface, type Interface } from 'node:readline/promises';
import type { Choice, Prompts } from '../context.ts';
import { Interrupted } from '../failures/failure.ts';
import { oneLine } from '../output/sanitize.ts';
import { WentBack } from './went-back.ts';

/** What is typed to go back; in a list it has a number. */
const backFromText = ['<'];
const backFromList = ['<', '0'];

/** Prompts as plain lines and numbered lists on stderr, without redraw: a screen reader reads them in order. */
export function linePrompts(signal: AbortSignal): Prompts {
  const line = (message: string, back: readonly string[] = []) =>
    answerOf(`${oneLine(message)} `, back, signal);
  return {
    text: async (message, { initial, check, back } = {}) => {
      for (;;) {
        const question = initial === undefined ? message : `${message} [${initial}]`;
        const answer = (await line(question, back && backFromText)) || (initial ?? '');
        const fault = check?.(answer) ?? null;
        if (fault === null) return answer;
        say(fault);
      }
    },
    secret: async (message) => {
      const { terminalPrompts } = await import('./prompts.ts');
      return (await terminalPrompts(signal, 0)).secret(message);
    },
    confirm: async (message) => /^y(es)?$/i.test((await line(`${message} yes or no [no]`)).trim()),
    select: async (message, choices, { initial, back } = {}) => {
      list(message, choices, back);
      const at = initial === undefined ? -1 : choices.findIndex(({ value }) => value === initial);
      const question = at === -1 ? 'Number:' : `Number: [${at + 1}]`;
      for (;;) {
        const typed = (await line(question, back && backFromList)) || String(at + 1);
        const choice = choices[Number(typed) - 1];
        if (choice !== undefined && choice.disabled === undefined) return choice.value;
        say(choice?.disabled ?? `A number from 1 to ${choices.length}.`);
      }
    },
    checkbox: async (message, choices, { back } = {}) => {
      list(message, choices, back);
      for (;;) {
        const typed = await line('Numbers, with commas between; empty for none:', back && backFromList);
        const numbers = typed.split(',').map((part) => part.trim());
        const picked = numbers.filter((part) => part !== '').map((part) => choices[Number(part) - 1]);
        const values = picked.flatMap((choice) => (choice === undefined ? [] : [choice.value]));
        if (values.length === picked.length) return values;
        say(`Numbers from 1 to ${choices.length}.`);
      }
    },
  };
}

function list<T>(message: string, choices: readonly Choice<T>[], back: true | undefined): void {
  say(message);
  for (const [index, { name, description, disabled }] of choices.entries()) {
    const more = [description, disabled].filter((text) => text !== undefined).join(', ');
    say(`  ${index + 1}. ${name}${more === '' ? '' : `: ${more}`}`);
  }
  if (back) say('  0. Go back');
}

/** A line; rejects with WentBack where it says so. */
async function answerOf(question: string, back: readonly string[], signal: AbortSignal): Promise<string> {
  const answer = await ask(question, signal);
  if (back.includes(answer.trim())) throw new WentBack();
  return answer;
}

function say(text: string): void {
  process.stderr.write(`${oneLine(text)}\n`);
}

/** One line from stdin, edited by the terminal itself; rejects with Interrupted at the end of stdin. */
async function ask(question: string, signal: AbortSignal): Promise<string> {
  const reader: Interface = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: false,
  });
  const { promise, reject } = Promise.withResolvers<never>();
  reader.once('close', () => reject(new Interrupted()));
  try {
    return await Promise.race([reader.question(question, { signal }), promise]);
  } finally {
    promise.catch(() => {});
    reader.close();
  }
}
