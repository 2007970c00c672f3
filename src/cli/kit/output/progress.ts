import type { Host } from '../host/host.ts';
import { oneLine } from './sanitize.ts';
import { prose } from './width.ts';

/** A wait made visible on stderr: a spinner in a terminal, else nothing, or a line for each change. */
export interface Progress {
  say(text: string): void;
  stop(): void;
}

/** The settings that decide how progress is shown. */
type Settings = { quiet: boolean; accessible: boolean };

/** The part of the machine that is used. */
export type ProgressHost = Pick<Host, 'stderr' | 'spinner' | 'environment'>;

/** What turns, and a space. */
const spinner_columns = 2;

const silent: Progress = { say: () => {}, stop: () => {} };

/**
 * Makes a wait visible on stderr: a spinner in a terminal, a line for each change where accessible, or where the
 * terminal does not tell its width.
 */
export async function progressOn(host: ProgressHost, settings: Settings, text: string): Promise<Progress> {
  if (settings.quiet || !host.stderr.isTerminal || isCi(host)) return silent;
  if (!isRedrawn(host, settings)) return linesOn(host, text);
  const { columns } = host.stderr;
  const fitting = (next: string) => prose(oneLine(next), columns === null ? null : columns - spinner_columns);
  const spinner = await host.spinner(fitting(text));
  return {
    say: (next) => {
      spinner.text = fitting(next);
    },
    stop: () => spinner.stop(),
  };
}

/**
 * Whether a line on stderr is drawn again as it changes. That has to know how many lines it takes: without a width it
 * would climb without end.
 */
export function isRedrawn(
  { stderr, environment }: Pick<Host, 'stderr' | 'environment'>,
  { accessible }: Pick<Settings, 'accessible'>,
): boolean {
  return !accessible && environment.TERM !== 'dumb' && stderr.columns !== null;
}

async function linesOn(host: ProgressHost, text: string): Promise<Progress> {
  let last = '';
  const say = (next: string) => {
    const line = prose(oneLine(next), host.stderr.columns);
    if (next !== last) void host.stderr.write(`${line}\n`).catch(() => {});
    last = next;
  };
  say(text);
  return { say, stop: () => {} };
}

/** Continuous integration: a terminal there has nobody in front of it. */
export function isCi({ environment }: Pick<Host, 'environment'>): boolean {
  return !['', '0', 'false', undefined].includes(environment.CI);
}

/** The waits of a line, of which one at a time is shown. */
export interface Waits {
  /** What the command itself waits for. */
  open(text: string): Promise<Progress>;
  /** What else takes its time meanwhile: shown only while the command shows nothing itself. */
  aside(text: string): Promise<Progress>;
}

/** Where there is no terminal, whoever looks for a fault is told of what else takes its time. */
export function createWaits(
  host: ProgressHost,
  output: Settings,
  { debug, say }: { debug: boolean; say(text: string): void },
): Waits {
  let open = 0;
  let aside: Progress | null = null;
  const show = (text: string) => progressOn(host, output, text);
  const clear = () => {
    aside?.stop();
    aside = null;
  };
  return {
    open: async (text) => {
      open += 1;
      clear();
      const shown = await show(text);
      let isOpen = true;
      return {
        say: shown.say,
        stop: () => {
          if (!isOpen) return;
          isOpen = false;
          open -= 1;
          shown.stop();
        },
      };
    },
    aside: async (text) => {
      if (debug && !host.stderr.isTerminal) say(`* ${text}`);
      if (open > 0 || aside !== null) return silent;
      const shown = await show(text);
      // While it was made, the command may have begun a wait of its own.
      if (open > 0 || aside !== null) shown.stop();
      else aside = shown;
      return { say: () => {}, stop: clear };
    },
  };
}
