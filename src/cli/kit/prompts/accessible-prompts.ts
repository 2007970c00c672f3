/** Prompts for screen readers: questions as plain lines and numbered lists, which are answered by typing a line. */
import { createInterface, type Interface } from 'node:readline/promises';
import { Interrupted } from '../errors/failure.ts';
import { type Choice, type Prompts, type TextOptions, WentBack } from '../host/host.ts';
import { plainPalette } from '../output/colour.ts';
import { oneLine } from '../output/safe-text.ts';
import { wrapProse } from '../output/terminal-lines.ts';
import { discardTypedLines, joinedLines, paste_ms } from './pasted-lines.ts';
import type { PromptsConfig } from './terminal-prompts.ts';

/** The answers that go back to the previous question; a list has the number 0 for it. */
const text_back = ['<'];
const list_back = ['<', '0'];

/** What the prompts need. Only prompts for secrets use `onContinued`: other lines are read by the terminal itself. */
type LinesConfig = Omit<PromptsConfig, 'palette'>;

/** Creates prompts that are never redrawn, so that a screen reader reads them in order. */
export function accessiblePrompts(config: LinesConfig): Prompts {
  const print = (text: string) => printLine(text, config);
  const readAnswer = (question: string, back: readonly string[] = []) => answerTo(question, back, config);
  const printList = async (message: string, choices: readonly Choice<unknown>[], back?: true) => {
    await discardTypedLines(config);
    for (const line of listLines(message, choices, back)) print(line);
  };
  return {
    text: (message, options) => askText(config, message, options),
    secret: async (message) => {
      const { terminalPrompts } = await import('./terminal-prompts.ts');
      return terminalPrompts({ ...config, palette: plainPalette }).secret(message);
    },
    confirm: async (message) => {
      await discardTypedLines(config);
      return /^y(es)?$/i.test((await readAnswer(`${message} yes or no [no]`)).trim());
    },
    select: async (message, choices, { initial, back } = {}) => {
      await printList(message, choices, back);
      const proposed = initial === undefined ? -1 : choices.findIndex(({ value }) => value === initial);
      const question = proposed === -1 ? 'Number:' : `Number: [${proposed + 1}]`;
      for (;;) {
        const typed = (await readAnswer(question, back && list_back)) || String(proposed + 1);
        const choice = choices[Number(typed) - 1];
        if (choice !== undefined && choice.disabled === undefined) return choice.value;
        const range = `enter a number from ${back ? 0 : 1} to ${choices.length}`;
        print(remark(message, choice === undefined ? range : `${choice.name}: ${choice.disabled}`));
      }
    },
    search: async (message, choices, { check } = {}) => {
      await printList(message, choices);
      for (;;) {
        const typed = (await readAnswer('Number or text:')).trim();
        const choice = choices[Number(typed) - 1];
        if (choice !== undefined) return choice.value;
        const fault = check?.(typed) ?? null;
        if (fault === null) return typed;
        print(remark(message, fault));
      }
    },
    checkbox: async (message, choices, { back } = {}) => {
      await printList(message, choices, back);
      for (;;) {
        const typed = await readAnswer('Numbers, separated by commas (Enter for none):', back && list_back);
        const numbers = typed.split(',').map((part) => part.trim());
        const picked = numbers.filter((part) => part !== '').map((part) => choices[Number(part) - 1]);
        const values = picked.flatMap((choice) => (choice === undefined ? [] : [choice.value]));
        if (values.length === picked.length) return values;
        print(remark(message, `enter numbers from 1 to ${choices.length}`));
      }
    },
  };
}

async function askText(config: LinesConfig, message: string, options: TextOptions = {}): Promise<string> {
  const { initial, hint, check, format, back } = options;
  const proposed = initial === undefined ? undefined : `[${initial}]`;
  const question = [message, hint, proposed].filter((part) => part !== undefined).join(' ');
  await discardTypedLines(config);
  for (;;) {
    const answer = (await pastedAnswerTo(question, back ? text_back : [], config)) || (initial ?? '');
    const fault = check?.(answer) ?? null;
    const formatted = format?.(answer) ?? answer;
    if (fault === null && formatted !== answer) printLine(remark(message, `stored as ${formatted}`), config);
    if (fault === null) return answer;
    printLine(remark(message, fault), config);
  }
}

function listLines(message: string, choices: readonly Choice<unknown>[], back?: true): string[] {
  const lines = choices.map(({ name, description, disabled }, index) => {
    const details = [description, disabled].filter((text) => text !== undefined).join(', ');
    return `  ${index + 1}. ${name}${details === '' ? '' : `: ${details}`}`;
  });
  return [message, ...lines, ...(back ? ['  0. Go back'] : [])];
}

/** A remark on an answer: the question without its parentheses, then the text. */
function remark(message: string, text: string): string {
  const question = message.replace(/ \(.*$/s, '').replace(/[?:]$/, '');
  return `${question}: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function printLine(text: string, config: LinesConfig): void {
  config.output.write(`${fitted(text, config)}\n`);
}

/** Wraps a line of text at spaces to a narrow terminal. */
function fitted(text: string, { output }: LinesConfig): string {
  return wrapProse(oneLine(text), output.isTTY === true ? output.columns || null : null);
}

/** Reads a line; rejects with WentBack if the user goes back. */
async function answerTo(question: string, back: readonly string[], config: LinesConfig): Promise<string> {
  const [answer = ''] = await readLines(`${fitted(question, config)} `, config, 0);
  if (back.includes(answer.trim())) throw new WentBack();
  return answer;
}

/** Reads a line, or the lines of a paste as one, and tells the user so. */
async function pastedAnswerTo(
  question: string,
  back: readonly string[],
  config: LinesConfig,
): Promise<string> {
  const [first = '', ...more] = await readLines(`${fitted(question, config)} `, config, paste_ms);
  if (back.includes(first.trim())) throw new WentBack();
  const others = more.filter((line) => line.trim() !== '');
  if (others.length === 0) return first;
  const answer = joinedLines([first, ...others]);
  printLine(`${others.length + 1} lines were pasted, and are read as one: ${answer}`, config);
  return answer;
}

/** Reads a line and those that follow within some milliseconds; rejects with Interrupted at the end of stdin. */
async function readLines(question: string, config: LinesConfig, wait_ms: number): Promise<string[]> {
  const { input, output, signal, timer } = config;
  // The input may have ended during the wait for lines of a paste.
  if (!input.readable) throw new Interrupted();
  const reader: Interface = createInterface({ input, output, terminal: false });
  const { promise, reject } = Promise.withResolvers<never>();
  reader.once('close', () => reject(new Interrupted()));
  const more: string[] = [];
  reader.on('line', (line) => more.push(line));
  try {
    const first = await Promise.race([reader.question(question, { signal }), promise]);
    if (wait_ms > 0) await new Promise<void>((resolve) => void timer(wait_ms, resolve));
    return [first, ...more];
  } finally {
    promise.catch(() => {});
    reader.close();
  }
}
