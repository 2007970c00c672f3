import type { Sink } from '../host/host.ts';
import { type Invocation, isoTime, type Text, textOf, type Wording } from '../result/message.ts';
import type { OutputSettings } from './format.ts';
import { oneLine, prose } from './sanitize.ts';
import { timeInSentence } from './times.ts';

/** The context of a sentence. */
export interface Beside {
  output: Pick<OutputSettings, 'json' | 'times'>;
  stderr: Pick<Sink, 'columns' | 'isTerminal'>;
  /** The service's time in milliseconds since the epoch. */
  now: number;
  /** Adds the context flags of this run to a command. */
  place<T extends Invocation>(line: T): T;
}

/** Formats a sentence for stderr, wrapped to the terminal; programs get it on one line. */
export function sentence(text: Text, beside: Beside): string {
  const { output, stderr } = beside;
  return prose(oneLine(worded(text, beside)), output.json ? null : stderr.columns);
}

/** The same without wrapping. */
export function worded(text: Text, beside: Beside): string {
  return textOf(text, wordingFor(beside));
}

/** Times are ISO if no style was requested and stderr is not a terminal, as in a log. */
export function wordingFor({ output: { json, times }, stderr, now, place }: Beside): Wording {
  const isPlain = json || (times === null && !stderr.isTerminal);
  return { place, time: isPlain ? isoTime : (part) => timeInSentence(part, { now, times }) };
}
