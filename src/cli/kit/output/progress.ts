/** Progress on stderr while the user waits: a spinner in a terminal, or lines in accessible mode. */
import type { Host } from '../host/host.ts';
import { oneLine } from './safe-text.ts';
import { wrapProse } from './terminal-lines.ts';

/** Shows a wait on stderr: a spinner in a terminal, else nothing, or a line for each change. */
export interface Progress {
  say(text: string): void;
  stop(): void;
}

/** The settings that decide how progress is shown. */
type Settings = { quiet: boolean; accessible: boolean };

/** The part of the machine that progress needs. */
export type ProgressHost = Pick<Host, 'stderr' | 'spinner' | 'environment'>;

/** The width of the spinner and a space. */
const spinner_columns = 2;

const silent: Progress = { say: () => {}, stop: () => {} };

/** Shows a wait on stderr: a spinner in a terminal; lines in accessible mode, or if the width is unknown. */
export async function showProgress(host: ProgressHost, settings: Settings, text: string): Promise<Progress> {
  if (settings.quiet || !host.stderr.isTerminal || isCi(host)) return silent;
  if (!isRedrawn(host, settings)) return progressAsLines(host, text);
  const { columns } = host.stderr;
  const fitting = (next: string) =>
    wrapProse(oneLine(next), columns === null ? null : columns - spinner_columns);
  const spinner = await host.spinner(fitting(text));
  return {
    say: (next) => {
      spinner.text = fitting(next);
    },
    stop: () => spinner.stop(),
  };
}

/** True if a line on stderr is redrawn when it changes: the terminal's width says how many rows to erase. */
export function isRedrawn(
  { stderr, environment }: Pick<Host, 'stderr' | 'environment'>,
  { accessible }: Pick<Settings, 'accessible'>,
): boolean {
  return !accessible && environment.TERM !== 'dumb' && stderr.columns !== null;
}

async function progressAsLines(host: ProgressHost, text: string): Promise<Progress> {
  let last = '';
  const say = (next: string) => {
    const line = wrapProse(oneLine(next), host.stderr.columns);
    if (next !== last) void host.stderr.write(`${line}\n`).catch(() => {});
    last = next;
  };
  say(text);
  return { say, stop: () => {} };
}

/** True in continuous integration, where no user watches the terminal. */
export function isCi({ environment }: Pick<Host, 'environment'>): boolean {
  return !['', '0', 'false', undefined].includes(environment.CI);
}

/** The waits of a run, of which one is shown at a time. */
export interface ProgressDisplay {
  /** The wait of the command itself. */
  open(text: string): Promise<Progress>;
  /** A secondary wait: only shown while the command shows none. */
  openSecondary(text: string): Promise<Progress>;
}

/** Without a terminal, secondary waits are only reported with --debug. */
export function createProgressDisplay(
  host: ProgressHost,
  output: Settings,
  { debug, say }: { debug: boolean; say(text: string): void },
): ProgressDisplay {
  /** The number of open waits of the command. */
  let open_count = 0;
  let secondary: Progress | null = null;
  const show = (text: string) => showProgress(host, output, text);
  const stopSecondary = () => {
    secondary?.stop();
    secondary = null;
  };
  return {
    open: async (text) => {
      open_count += 1;
      stopSecondary();
      const shown = await show(text);
      let isOpen = true;
      return {
        say: shown.say,
        stop: () => {
          if (!isOpen) return;
          isOpen = false;
          open_count -= 1;
          shown.stop();
        },
      };
    },
    openSecondary: async (text) => {
      if (debug && !host.stderr.isTerminal) say(`* ${text}`);
      if (open_count > 0 || secondary !== null) return silent;
      const shown = await show(text);
      // The command may have started its own wait in the meantime.
      if (open_count > 0 || secondary !== null) shown.stop();
      else secondary = shown;
      return { say: () => {}, stop: stopSecondary };
    },
  };
}
