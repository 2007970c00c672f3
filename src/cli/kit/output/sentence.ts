import type { Sink } from '../host/host.ts';
import type { Invocation } from '../result/invocation.ts';
import { isoTime, type Text, textOf, type Wording } from '../result/message.ts';
import type { OutputSettings } from './format.ts';
import { oneLine } from './sanitize.ts';
import { timeInSentence } from './times.ts';
import { prose } from './width.ts';

/** Where a sentence is said. */
export interface Beside {
  output: Pick<OutputSettings, 'json' | 'times'>;
  stderr: Pick<Sink, 'columns' | 'isTerminal'>;
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
  /** The command as it works in the same account as this run. */
  place<T extends Invocation>(line: T): T;
}

/** A sentence beside the answer, on one line, or on as many as the screen makes of it. Programs get it as it is. */
export function sentence(text: Text, beside: Beside): string {
  const { output, stderr } = beside;
  return prose(oneLine(worded(text, beside)), output.json ? null : stderr.columns);
}

/** The same with its lines as they are. */
export function worded(text: Text, beside: Beside): string {
  return textOf(text, wordingFor(beside));
}

/** Where nobody asked for a style of times and nobody looks, a log has better use of ISO times. */
export function wordingFor({ output: { json, times }, stderr, now, place }: Beside): Wording {
  const isPlain = json || (times === null && !stderr.isTerminal);
  return { place, time: isPlain ? isoTime : (part) => timeInSentence(part, { now, times }) };
}
