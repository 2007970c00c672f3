import type { ClockAdvance, ClockEvent } from '../../../contract/sandbox.ts';
import type { DeliveryStatus } from '../../../contract/vocabulary.ts';
import { Interrupted } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { clockText } from './clock-columns.ts';

/** A clock advance in the form of the contract. */
export type Move =
  | { by: number }
  | { to: string }
  | { until: { delivery_id: string; status: DeliveryStatus } }
  | { next: true }
  | { drain: true };

/** Advances the clock in as many requests as needed, and yields each response. */
export async function* advances(context: Context, move: Move): AsyncGenerator<ClockAdvance> {
  const client = await context.client();
  const target = await targetOf(context, move);
  let body = move;
  for (let calls = 1; ; calls += 1) {
    context.setInterruptionText(underWay(calls, move, target));
    const progress = await context.progress('Moving the clock');
    const idempotencyKey = context.idempotencyKey(`advance-${calls}`);
    const { data } = await client.clock.advance({ body, idempotencyKey }).finally(() => progress.stop());
    context.setInterruptionText(phrase`${clockText(data.now, context)}. Go on: ${goingOn(move, target)}`);
    yield data;
    if (!data.more || 'next' in move || isThere(data, target)) return;
    if (context.signal.aborted) throw new Interrupted();
    body = target === null ? move : { to: target };
  }
}

/** The target time; null if it depends on the events. */
async function targetOf(context: Context, move: Move): Promise<string | null> {
  if ('to' in move) return move.to;
  if (!('by' in move)) return null;
  const client = await context.client();
  const { data } = await client.clock.get();
  return new Date(Date.parse(data.now) + move.by * 1000).toISOString();
}

/** In modes other than manual, time passes between two requests, and the clock never goes back. */
function isThere({ now }: ClockAdvance, target: string | null): boolean {
  return target !== null && Date.parse(now) >= Date.parse(target);
}

function underWay(calls: number, move: Move, target: string | null): Text {
  const on = calls === 1 ? '' : phrase` Go on: ${goingOn(move, target)}`;
  const where = invocation('sandbox clock');
  return phrase`The service finishes the move that it started. To see the clock: ${where}.${on}`;
}

function goingOn(move: Move, target: string | null): Invocation {
  return invocation('sandbox advance', [], target === null ? flagsOf(move) : { to: target });
}

function flagsOf(move: Move): Record<string, string | boolean> {
  if ('until' in move) return { until: `${move.until.delivery_id}:${move.until.status}` };
  return { next: 'next' in move, drain: 'drain' in move };
}

/** Merges responses: all events, and the last clock. */
export async function merged(answers: AsyncIterable<ClockAdvance>): Promise<ClockAdvance> {
  const all: ClockEvent[] = [];
  let last: ClockAdvance | null = null;
  let steps = 0;
  for await (const answer of answers) {
    steps += answer.steps;
    for (const event of answer.events) all.push(event);
    last = answer;
  }
  if (last === null) throw new TypeError('the clock did not answer');
  return { ...last, steps, events: all };
}
