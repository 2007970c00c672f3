import type { Context } from '../context.ts';
import { fullTime, lengthText, styledTime, timesInNotes } from '../output/times.ts';

/** Where the clock of the sandbox is. An age of its own time says nothing: how far it is from this machine does. */
export function clockText(now: string, context: Pick<Context, 'now' | 'output'>): string {
  const times = timesInNotes(context.output);
  if (times === 'relative') return `The clock is ${apartText(Date.parse(now) - context.now())}`;
  return `The clock is at ${styledTime(now, context.now(), times, fullTime)}`;
}

/** `2 h ahead of this machine` */
export function apartText(ahead_ms: number): string {
  return `${lengthText(Math.abs(ahead_ms))} ${ahead_ms > 0 ? 'ahead of' : 'behind'} this machine`;
}
