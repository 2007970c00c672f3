import type { Progress } from '../../session/context.ts';
import type { Host } from '../host/host.ts';
import type { OutputSettings } from './format.ts';
import { oneLine } from './sanitize.ts';
import { prose } from './width.ts';

/** All of the machine that is used. */
export type ProgressHost = Pick<Host, 'stderr' | 'spinner' | 'environment'>;

/** What turns, and a space. */
const spinner_columns = 2;

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
  { accessible }: Pick<OutputSettings, 'accessible'>,
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
