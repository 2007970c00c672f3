/**
 * Prompts in a terminal: those of the library `@inquirer/prompts` in the colors of this program. `openPrompt` adds what the
 * library lacks: Esc goes back, Ctrl+D interrupts, and a prompt that was stopped is drawn again.
 */
import { createInterface, emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { checkbox, confirm, input, password, search, select } from '@inquirer/prompts';
import { Interrupted } from '../errors/failure.ts';
import {
  type Choice,
  type Host,
  type Prompts,
  type SelectOptions,
  type TextOptions,
  WentBack,
} from '../host/host.ts';
import type { Palette } from '../output/colour.ts';
import { oneLine } from '../output/safe-text.ts';
import { wrapped } from '../output/terminal-lines.ts';
import { liveSelect } from './live-select.ts';
import { discardTypedLines, withoutLineEnds } from './pasted-lines.ts';
import { type OnContinued, redrawable } from './stopped-prompts.ts';

export interface PromptsConfig extends Pick<Host, 'signal' | 'timer'> {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  /** The size of the terminal is 0 or missing if unknown. */
  output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };
  palette: Palette;
  /** Absent if a process cannot be stopped. */
  onContinued?: OnContinued;
}

const default_columns = 80;
const default_rows = 24;
const max_choices = 12;
/** The rows that a list needs besides its choices: the question, the description, an error and the keys. */
const other_rows = 6;

/** The prompts of the library, in the palette's colors. Third-party text loses its control characters. */
export function terminalPrompts(config: PromptsConfig): Prompts {
  const { output } = config;
  const theme = themeOf(config);
  const pageSize = () => listedRows(output);
  const shown = (choice: Choice<unknown>) => shownChoice(choice, output);
  shortenEscapeTimeout(config.input);
  return {
    text: (message, { initial, hint, check, format = (text: string) => text, back } = {}) => {
      const question = {
        message: oneLine(hint === undefined ? message : `${message} ${hint}`),
        theme,
        default: initial,
        validate: validator(check),
        transformer: (text: string, { isFinal }: { isFinal: boolean }) =>
          isFinal ? theme.style.answer(format(text)) : oneLine(text),
      };
      return askLine(config, question, back);
    },
    secret: (message) =>
      openPrompt(config, (context) =>
        password({ message: oneLine(message), toggleMask: false, theme }, context),
      ),
    confirm: async (message) => {
      await discardTypedLines(config);
      const question = { message: oneLine(message), default: false, theme };
      return openPrompt(config, (context) => confirm(question, context));
    },
    select: (message, choices, options) => selectOne(config, theme, message, choices, options),
    search: (message, choices, { check } = {}) => {
      const question = {
        message: oneLine(message),
        theme,
        pageSize: pageSize(),
        source: (text = '') =>
          matchingChoices(choices, text.trim()).map((choice) => ({ ...shown(choice), value: choice.value })),
        validate: (text: string) => choices.some(({ value }) => value === text) || validator(check)(text),
      };
      return openPrompt(config, (context) => search(question, context));
    },
    checkbox: (message, choices, { back } = {}) => {
      const { keysHelpTip } = theme.style;
      const style = {
        ...theme.style,
        keysHelpTip: (keys: Keys) => keysHelpTip([...keys, ['esc', 'go back']]),
      };
      const question = {
        message: oneLine(message),
        pageSize: pageSize(),
        loop: false,
        theme: back ? { ...theme, style } : theme,
        choices: choices.map((choice) => ({ ...shown(choice), value: choice.value })),
      };
      return openPrompt(config, (context) => checkbox(question, context), back);
    },
  };
}

/** How many choices of a list are visible at once. */
function listedRows({ rows }: PromptsConfig['output']): number {
  return Math.max(1, Math.min(max_choices, (rows || default_rows) - other_rows));
}

/** Asks for one of several choices, which may change meanwhile. Throws WentBack after the choice to go back. */
async function selectOne<T>(
  config: PromptsConfig,
  theme: ReturnType<typeof themeOf>,
  message: string,
  choices: readonly Choice<T>[],
  { initial, current, back }: SelectOptions<T> = {},
): Promise<T> {
  const listed = () => [
    ...(current?.() ?? choices).map((choice, nth) => ({ ...shownChoice(choice, config.output), value: nth })),
    ...(back ? [{ name: 'Go back', short: 'Go back', value: choices.length }] : []),
  ];
  const proposed = choices.findIndex(({ value }) => initial !== undefined && value === initial);
  const question = {
    message: oneLine(message),
    theme,
    pageSize: listedRows(config.output),
    loop: false,
    ...(proposed === -1 ? {} : { default: proposed }),
  };
  await discardTypedLines(config);
  const index = await openPrompt(
    config,
    (context) =>
      current === undefined
        ? select({ ...question, choices: listed() }, context)
        : liveSelect({ ...question, current: listed, timer: config.timer }, context),
    back,
  );
  const chosen = choices[index];
  if (chosen === undefined) throw new WentBack();
  return chosen.value;
}

/** Asks for a line, in which a paste of several lines is one. */
async function askLine(
  config: PromptsConfig,
  question: Parameters<typeof input>[0],
  canGoBack: boolean | undefined,
): Promise<string> {
  const { input: keys, markPastes, close } = withoutLineEnds(config.input, config.output);
  // The shell switches the marks off while the process is stopped.
  const removeListener = config.onContinued?.(markPastes);
  // The context is changed, not copied, as `openPrompt` sets `clearPromptOnDone` on it when the user goes back.
  const ask = (context: PromptContext) => input(question, Object.assign(context, { input: keys }));
  try {
    return await openPrompt(config, ask, canGoBack);
  } finally {
    removeListener?.();
    close();
  }
}

function shownChoice({ name, description, disabled }: Choice<unknown>, { columns }: PromptsConfig['output']) {
  return {
    name: wrapped(oneLine(name), (columns || default_columns) - 4, '    '),
    // The answered prompt shows the first two columns only: the reference and the name.
    short: name.split(/ {2,}/).slice(0, 2).map(oneLine).join(', '),
    ...(description === undefined ? {} : { description: oneLine(description) }),
    ...(disabled === undefined ? {} : { disabled: `(${oneLine(disabled)})` }),
  };
}

/** The choices whose name or value contains every word of the text, and the text itself unless it is one of them. */
function matchingChoices(choices: readonly Choice<string>[], text: string): Choice<string>[] {
  const words = text.toLowerCase().split(/\s+/);
  const found = choices.filter(({ name, value }) => {
    const searched = `${name} ${value}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  if (text === '' || found.some(({ value }) => value === text)) return found;
  return [...found, { name: text, value: text, description: 'as typed' }];
}

function validator(check: TextOptions['check']): (text: string) => string | true {
  return (text) => {
    const fault = check?.(text) ?? null;
    return fault === null || oneLine(fault);
  };
}

type Keys = [key: string, action: string][];

function themeOf({ palette, output }: PromptsConfig) {
  const { strong, dim, good, bad, busy } = palette;
  const fitted = (text: string) => wrapped(text, (output.columns || default_columns) - 2);
  return {
    prefix: { idle: busy('?'), done: good('✔') },
    icon: { cursor: '❯', checked: good('◉') },
    style: {
      message: (text: string) => strong(fitted(text)),
      answer: (text: string) => busy(oneLine(text)),
      defaultAnswer: (text: string) => dim(`(${oneLine(text)})`),
      error: (text: string) => bad(fitted(`> ${text}`)),
      help: dim,
      highlight: busy,
      searchTerm: oneLine,
      description: (text: string) => dim(fitted(text)),
      disabled: dim,
      keysHelpTip: (keys: Keys) =>
        fitted(keys.map(([key, action]) => `${strong(key)} ${dim(action)}`).join(dim(' • '))),
    },
  };
}

/** The context of a prompt; the library reads the last field when the prompt ends. */
interface PromptContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  clearPromptOnDone: boolean;
}

/** The names of the errors with which the library ends an open question. */
const promptErrors: ReadonlySet<string> = new Set(['ExitPromptError', 'AbortPromptError']);

/** Opens a prompt. Esc erases it and goes back, if it can; Ctrl+D and the end of stdin interrupt it like Ctrl+C. */
async function openPrompt<T>(
  config: PromptsConfig,
  open: (context: PromptContext) => Promise<T>,
  canGoBack = false,
): Promise<T> {
  const keyboard = config.input;
  const ending = new AbortController();
  const { output, redraw } = redrawable(config.output);
  const context = {
    input: keyboard,
    output,
    clearPromptOnDone: false,
    signal: AbortSignal.any([config.signal, ending.signal]),
  };
  const end = () => ending.abort();
  const press = (_: string | undefined, key: { ctrl: boolean; name?: string }) => {
    if (canGoBack && key.name === 'escape') {
      context.clearPromptOnDone = true;
      ending.abort(new WentBack());
    }
    // Within a line Ctrl+D deletes a character; on an empty one it closes the line reader, which pauses the input.
    if (key.ctrl && key.name === 'd') queueMicrotask(() => keyboard.isPaused() && end());
  };
  keyboard.on('keypress', press).on('end', end).on('close', end);
  const removeListener = config.onContinued?.(() => {
    // Readline has paused its input.
    context.input.resume();
    redraw();
  });
  try {
    return await open(context);
  } catch (error) {
    if (!(error instanceof Error && promptErrors.has(error.name))) throw error;
    throw ending.signal.reason instanceof WentBack ? ending.signal.reason : new Interrupted();
  } finally {
    removeListener?.();
    keyboard.off('keypress', press).off('end', end).off('close', end);
  }
}

/** How long to wait after an escape character for the rest of a key such as an arrow, also over a slow network. */
const escape_timeout_ms = 50;

/**
 * Makes a stream report Esc sooner than after the library's half second. Call it before the first prompt: the first
 * caller of emitKeypressEvents sets a stream's timeout.
 */
function shortenEscapeTimeout(keyboard: NodeJS.ReadableStream): void {
  // The timeout is an option of a line reader. This one reads from an empty stream.
  const reader = createInterface({ input: new PassThrough(), escapeCodeTimeout: escape_timeout_ms });
  emitKeypressEvents(keyboard, reader);
  reader.close();
}
