import type { Sink } from '../host.ts';
import type { OutputSettings } from './format.ts';
import { oneLine } from './sanitize.ts';
import { withTimes } from './times.ts';
import { prose } from './width.ts';

/** Where a sentence is said. */
export interface Beside {
  output: Pick<OutputSettings, 'json' | 'times'>;
  stderr: Pick<Sink, 'columns' | 'isTerminal'>;
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
}

/** A sentence beside the answer, on one line, or on as many as the screen makes of it. Programs get it as it is. */
export function sentence(text: string, beside: Beside): string {
  const { output, stderr } = beside;
  return prose(oneLine(timed(text, beside)), output.json ? null : stderr.columns);
}

/** The same with its lines as they are. Where nobody asked and nobody looks, a log has better use of ISO times. */
export function timed(text: string, { output: { json, times }, stderr, now }: Beside): string {
  return json || (times === null && !stderr.isTerminal) ? text : withTimes(text, { now, times });
}
