import { lengthText, timesInNotes } from '../../kit/output/times.ts';
import { phrase, type Text, timePart } from '../../kit/result/message.ts';
import type { Context } from '../../session/context.ts';

/** Where the clock of the sandbox is. An age of its own time says nothing: how far it is from this machine does. */
export function clockText(now: string, context: Pick<Context, 'now' | 'output'>): Text {
  if (timesInNotes(context.output) === 'relative')
    return `The clock is ${apartText(Date.parse(now) - context.now())}`;
  return phrase`The clock is at ${timePart(now, 'none')}`;
}

/** `2 h ahead of this machine` */
export function apartText(ahead_ms: number): string {
  return `${lengthText(Math.abs(ahead_ms))} ${ahead_ms > 0 ? 'ahead of' : 'behind'} this machine`;
}
