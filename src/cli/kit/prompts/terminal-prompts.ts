import { createInterface, emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { confirm, password } from '@inquirer/prompts';
import { Interrupted } from '../errors/failure.ts';
import {
  type Choice,
  type Prompts,
  type QuestionOptions,
  type SelectOptions,
  type TextOptions,
  WentBack,
} from '../host/prompts.ts';
import { oneLine } from '../output/sanitize.ts';
import { answerLine, type Display } from './display.ts';
import { checkboxPrompt, searchPrompt, selectPrompt } from './list-prompts.ts';
import { textPrompt } from './text-prompt.ts';
import { wrapLine } from './wrap-line.ts';

interface PromptsConfig extends Display {
  input: NodeJS.ReadableStream;
  /** Aborted when the process is interrupted. */
  signal: AbortSignal;
}

/** The keys that go back; within a text ← moves the cursor. */
const text_back_keys = ['escape'];
const list_back_keys = ['escape', 'left'];

/**
 * Prompts that are redrawn as the user types. The library erases an answered question; a line with the answer then
 * replaces it, and can be redrawn later.
 */
export function terminalPrompts(config: PromptsConfig): Prompts {
  const theme = stockTheme(config);
  shortenEscapeTimeout(config.input);
  return {
    printed: config.screen.printed,
    text: (message, { initial = '', hint, check, format, back } = {}) => {
      const shown = oneLine(hint === undefined ? message : `${message} ${hint}`);
      const question = { ...config, message: shown, initial, check: sanitizedCheck(check) };
      return ask(config, message, {
        backKeys: back ? text_back_keys : [],
        open: (context) => textPrompt(question, context),
        answerText: (answer) => format?.(answer) ?? answer,
      });
    },
    secret: (message) =>
      ask(config, message, {
        open: (context) => password({ message: oneLine(message), toggleMask: false, theme }, context),
        answerText: () => '',
      }),
    confirm: (message) =>
      ask(config, message, {
        open: (context) => confirm({ message: oneLine(message), default: false, theme }, context),
        answerText: (answer) => (answer ? 'Yes' : 'No'),
      }),
    select: (message, choices, options) => askSelect(config, message, choices, options),
    search: (message, choices, { check } = {}) => {
      const question = { ...config, message: oneLine(message), choices, check: sanitizedCheck(check) };
      return ask(config, message, {
        open: (context) => searchPrompt({ ...question, back: false }, context),
        answerText: (answer) => answer,
      });
    },
    checkbox: (message, choices, options) => askCheckbox(config, message, choices, options),
  };
}

const goBack: Choice<null> = { name: 'Go back', value: null };

async function askSelect<T>(
  config: PromptsConfig,
  message: string,
  choices: readonly Choice<T>[],
  options: SelectOptions<T> = {},
): Promise<T> {
  const { current = () => choices } = options;
  const back = options.back === true;
  const question = {
    ...{ ...config, message: oneLine(message), back, initial: firstActive(choices, options) },
    current: () => (back ? [...current(), goBack] : current()),
    isLive: options.current !== undefined,
  };
  const { value } = await ask(config, message, {
    backKeys: back ? list_back_keys : [],
    open: async (context) => {
      const index = await selectPrompt(question, context);
      const choice = choices[index];
      if (choice === undefined) throw new WentBack();
      return { value: choice.value, name: current()[index]?.name ?? choice.name };
    },
    answerText: ({ name }) => name,
  });
  return value;
}

async function askCheckbox<T>(
  config: PromptsConfig,
  message: string,
  choices: readonly Choice<T>[],
  options: QuestionOptions = {},
): Promise<T[]> {
  const back = options.back === true;
  const question = { ...config, message: oneLine(message), choices, back };
  const picked = await ask(config, message, {
    backKeys: back ? list_back_keys : [],
    open: async (context) => {
      const indexes = await checkboxPrompt(question, context);
      return choices.filter((_, index) => indexes.includes(index));
    },
    answerText: (chosen) => chosen.map(({ name }) => name).join(', '),
  });
  return picked.map(({ value }) => value);
}

/** The index of the proposed choice; else of the first that is available. */
function firstActive<T>(choices: readonly Choice<T>[], { initial }: SelectOptions<T>): number {
  const available = choices.map(({ disabled }) => disabled === undefined);
  const proposed = choices.findIndex(({ value }, at) => available[at] && value === initial);
  return Math.max(0, initial === undefined || proposed === -1 ? available.indexOf(true) : proposed);
}

function sanitizedCheck(check: TextOptions['check']): (text: string) => string | null {
  return (text) => {
    const fault = check?.(text) ?? null;
    return fault === null ? null : oneLine(fault);
  };
}

/** The look of the prompts that the library brings. */
function stockTheme({ screen, palette }: Display) {
  const mark = '? ';
  const wrapped = (message: string) =>
    wrapLine(mark + message, screen.columns)
      .join('\n')
      .slice(mark.length);
  return {
    prefix: { idle: palette.busy('?'), done: palette.good('✔') },
    style: {
      message: (text: string) => palette.strong(wrapped(text)),
      answer: palette.busy,
      defaultAnswer: (text: string) => palette.dim(`(${text})`),
      error: (text: string) => palette.bad(`> ${text}`),
      help: palette.dim,
    },
  };
}

interface PromptContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  clearPromptOnDone: boolean;
}

interface Question<T> {
  backKeys?: readonly string[];
  open(context: PromptContext): Promise<T>;
  answerText(answer: T): string;
}

/** The names of the errors with which the library ends an open question. */
const endings: ReadonlySet<string> = new Set(['ExitPromptError', 'AbortPromptError']);

async function ask<T>(config: PromptsConfig, message: string, question: Question<T>): Promise<T> {
  const { input, screen, palette, signal } = config;
  const { left, stop } = watchKeys(input, question.backKeys ?? []);
  const context = { input, output: screen.terminal, clearPromptOnDone: true };
  try {
    const answer = await question.open({ ...context, signal: AbortSignal.any([signal, left]) });
    screen.print(answerLine({ palette }, oneLine(message), oneLine(question.answerText(answer))));
    return answer;
  } catch (error) {
    if (!(error instanceof Error && endings.has(error.name))) throw error;
    if (left.reason instanceof WentBack) throw left.reason;
    screen.print(`? ${oneLine(message)}`);
    throw new Interrupted();
  } finally {
    stop();
  }
}

/**
 * Returns a signal that is aborted with WentBack when one of the keys is pressed, and with any other reason on Ctrl+D
 * and at the end of stdin, which the library does not report.
 */
function watchKeys(input: NodeJS.ReadableStream, backKeys: readonly string[]) {
  const controller = new AbortController();
  const end = () => controller.abort();
  const press = (_: string | undefined, key: { ctrl: boolean; name?: string }) => {
    if (key.name !== undefined && backKeys.includes(key.name)) controller.abort(new WentBack());
    // Within a line Ctrl+D deletes a character; on an empty one it closes the line reader, which pauses the input.
    if (key.ctrl && key.name === 'd') queueMicrotask(() => input.isPaused() && end());
  };
  input.on('keypress', press).on('end', end).on('close', end);
  const stop = () => {
    input.off('keypress', press).off('end', end).off('close', end);
  };
  return { left: controller.signal, stop };
}

/** How long to wait after an escape character for the rest of a key such as an arrow, also over a slow network. */
const escape_timeout_ms = 50;

/**
 * Makes a stream report Esc sooner than after the library's half second. Call it before the first prompt: the first
 * caller of emitKeypressEvents sets a stream's timeout.
 */
function shortenEscapeTimeout(input: NodeJS.ReadableStream): void {
  // The timeout is an option of a line reader. This one reads from an empty stream.
  const reader = createInterface({ input: new PassThrough(), escapeCodeTimeout: escape_timeout_ms });
  emitKeypressEvents(input, reader);
  reader.close();
}
