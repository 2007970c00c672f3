import { createInterface, type Interface } from 'node:readline/promises';
import type { Choice, Prompts } from '../context.ts';
import { Interrupted } from '../failures/failure.ts';
import { oneLine } from '../output/sanitize.ts';

/** Prompts as plain lines and numbered lists on stderr, without redraw: a screen reader reads them in order. */
export function linePrompts(signal: AbortSignal): Prompts {
  const line = (message: string) => ask(`${oneLine(message)} `, signal);
  return {
    text: async (message, { initial, check } = {}) => {
      for (;;) {
        const answer =
          (await line(initial === undefined ? message : `${message} [${initial}]`)) || (initial ?? '');
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
    select: async (message, choices) => {
      list(message, choices);
      for (;;) {
        const choice = choices[Number(await line('Number:')) - 1];
        if (choice !== undefined) return choice.value;
        say(`A number from 1 to ${choices.length}.`);
      }
    },
    checkbox: async (message, choices) => {
      list(message, choices);
      for (;;) {
        const numbers = (await line('Numbers, with commas between; empty for none:'))
          .split(',')
          .map((part) => part.trim());
        const picked = numbers.filter((part) => part !== '').map((part) => choices[Number(part) - 1]);
        const values = picked.flatMap((choice) => (choice === undefined ? [] : [choice.value]));
        if (values.length === picked.length) return values;
        say(`Numbers from 1 to ${choices.length}.`);
      }
    },
  };
}

function list<T>(message: string, choices: readonly Choice<T>[]): void {
  say(message);
  for (const [index, { name, description }] of choices.entries()) {
    say(`  ${index + 1}. ${name}${description === undefined ? '' : `: ${description}`}`);
  }
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
