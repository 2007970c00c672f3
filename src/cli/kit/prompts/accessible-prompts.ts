import { createInterface, type Interface } from 'node:readline/promises';
import type { Choice, Prompts } from '../../context.ts';
import { Interrupted } from '../../failures/failure.ts';
import { oneLine } from '../../output/sanitize.ts';
import { prose } from '../../output/width.ts';
import { widthOf } from '../../ports/streams.ts';
import { openBoard, type Paper } from './screen.ts';
import { WentBack } from './went-back.ts';

/** What is typed to go back; in a list it has a number. */
const backFromText = ['<'];
const backFromList = ['<', '0'];

/** Where lines come from and go to. */
export interface Lines {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream & Paper & { isTTY?: boolean; columns?: number };
}

/** Prompts as plain lines and numbered lists on stderr, without redraw: a screen reader reads them in order. */
export function linePrompts(signal: AbortSignal, lines: Lines): Prompts {
  const say = (text: string) => lines.output.write(`${fitting(text, lines)}\n`);
  const line = (message: string, back: readonly string[] = []) => answerOf(message, back, { signal, lines });
  return {
    text: async (message, { initial, hint, check, meant, back } = {}) => {
      const proposed = initial === undefined ? undefined : `[${initial}]`;
      const question = [message, hint, proposed].filter((part) => part !== undefined).join(' ');
      for (;;) {
        const answer = (await line(question, back && backFromText)) || (initial ?? '');
        const fault = check?.(answer) ?? null;
        const taken = meant?.(answer) ?? answer;
        if (fault === null && taken !== answer) say(about(message, `taken as ${taken}`));
        if (fault === null) return answer;
        say(about(message, fault));
      }
    },
    secret: async (message) => {
      const { terminalPrompts } = await import('./terminal-prompts.ts');
      const desk = { input: lines.input, board: openBoard(lines.output) };
      return (await terminalPrompts(signal, 0, desk)).secret(message);
    },
    confirm: async (message) => /^y(es)?$/i.test((await line(`${message} yes or no [no]`)).trim()),
    select: async (message, choices, { initial, back } = {}) => {
      for (const each of listed(message, choices, back)) say(each);
      const at = initial === undefined ? -1 : choices.findIndex(({ value }) => value === initial);
      const question = at === -1 ? 'Number:' : `Number: [${at + 1}]`;
      for (;;) {
        const typed = (await line(question, back && backFromList)) || String(at + 1);
        const choice = choices[Number(typed) - 1];
        if (choice !== undefined && choice.disabled === undefined) return choice.value;
        const range = `a number from ${back ? 0 : 1} to ${choices.length}`;
        say(about(message, choice === undefined ? range : `${choice.name}: ${choice.disabled}`));
      }
    },
    pick: async (message, choices, { check } = {}) => {
      for (const each of listed(message, choices, undefined)) say(each);
      for (;;) {
        const typed = (await line('Number, or what it is:')).trim();
        const choice = choices[Number(typed) - 1];
        if (choice !== undefined) return choice.value;
        const fault = check?.(typed) ?? null;
        if (fault === null) return typed;
        say(about(message, fault));
      }
    },
    checkbox: async (message, choices, { back } = {}) => {
      for (const each of listed(message, choices, back)) say(each);
      for (;;) {
        const typed = await line('Numbers, with commas between; empty for none:', back && backFromList);
        const numbers = typed.split(',').map((part) => part.trim());
        const picked = numbers.filter((part) => part !== '').map((part) => choices[Number(part) - 1]);
        const values = picked.flatMap((choice) => (choice === undefined ? [] : [choice.value]));
        if (values.length === picked.length) return values;
        say(about(message, `numbers from 1 to ${choices.length}`));
      }
    },
  };
}

function listed<T>(message: string, choices: readonly Choice<T>[], back: true | undefined): string[] {
  const lines = choices.map(({ name, description, disabled }, index) => {
    const more = [description, disabled].filter((text) => text !== undefined).join(', ');
    return `  ${index + 1}. ${name}${more === '' ? '' : `: ${more}`}`;
  });
  return [message, ...lines, ...(back ? ['  0. Go back'] : [])];
}

/** What is said of an answer begins with the question that it is about, without what explains that. */
function about(message: string, text: string): string {
  const question = message.replace(/ \(.*$/s, '').replace(/[?:]$/, '');
  return `${question}: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** One line of text, broken at its spaces where the terminal is narrower. */
function fitting(text: string, { output }: Lines): string {
  return prose(oneLine(text), widthOf(output));
}

interface Asking {
  signal: AbortSignal;
  lines: Lines;
}

/** A line; rejects with WentBack where it says so. */
async function answerOf(question: string, back: readonly string[], asking: Asking): Promise<string> {
  const answer = await ask(`${fitting(question, asking.lines)} `, asking);
  if (back.includes(answer.trim())) throw new WentBack();
  return answer;
}

/** One line from stdin, edited by the terminal itself; rejects with Interrupted at the end of stdin. */
async function ask(question: string, { signal, lines }: Asking): Promise<string> {
  const reader: Interface = createInterface({ ...lines, terminal: false });
  const { promise, reject } = Promise.withResolvers<never>();
  reader.once('close', () => reject(new Interrupted()));
  try {
    return await Promise.race([reader.question(question, { signal }), promise]);
  } finally {
    promise.catch(() => {});
    reader.close();
  }
}
