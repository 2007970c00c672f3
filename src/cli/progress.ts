import type { Progress } from './context.ts';
import type { Host } from './host.ts';
import type { OutputSettings } from './output/format.ts';
import { oneLine } from './output/sanitize.ts';

/** All of the machine that is used. */
export type ProgressHost = Pick<Host, 'stderr' | 'spinner' | 'environment'>;

const silent: Progress = { say: () => {}, stop: () => {} };

/**
 * Makes a wait visible on stderr: a spinner in a terminal, a line for each change where accessible, or where the
 * terminal does not tell its width.
 */
export async function progressOn(
  host: ProgressHost,
  settings: Pick<OutputSettings, 'quiet' | 'accessible'>,
  text: string,
): Promise<Progress> {
  if (settings.quiet || !host.stderr.isTerminal || isCi(host)) return silent;
  // What is redrawn has to know how many lines it takes: without a width it would climb without end.
  const isDrawn = !settings.accessible && host.environment.TERM !== 'dumb' && host.stderr.columns !== null;
  if (!isDrawn) return linesOn(host, text);
  const spinner = await host.spinner(oneLine(text));
  return {
    say: (next) => {
      spinner.text = oneLine(next);
    },
    stop: () => spinner.stop(),
  };
}

async function linesOn(host: ProgressHost, text: string): Promise<Progress> {
  let last = '';
  const say = (next: string) => {
    if (next !== last) void host.stderr.write(`${oneLine(next)}\n`).catch(() => {});
    last = next;
  };
  say(text);
  return { say, stop: () => {} };
}

/** Continuous integration: a terminal there has nobody in front of it. */
export function isCi({ environment }: Pick<Host, 'environment'>): boolean {
  return !['', '0', 'false', undefined].includes(environment.CI);
}
