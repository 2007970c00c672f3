import type { Delivery } from '../../../contract/deliveries.ts';
import type { ClockAdvance } from '../../../contract/sandbox.ts';
import { hasReached, isEnded } from '../../../domain/delivery-states.ts';
import { BadOutcome, type Failure, StillPending } from '../../kit/errors/failure.ts';
import { invocation, joinedTexts, phrase, type Text } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import type { Move } from './advances.ts';
import { clockText } from './clock-columns.ts';

/** The message and exit code when the clock stops. */
export interface MoveEnd {
  notes: Text[];
  exit: number;
  /** The failure for programs if the exit code is not 0. */
  failure: Failure | null;
}

/** Reports the time, and with `until` whether the delivery reached its target status. */
export async function endOf(context: Context, move: Move, { now, steps }: ClockAdvance): Promise<MoveEnd> {
  const notes: Text[] = [phrase`${clockText(now, context)}; ${workText(steps)} on the way.`];
  if (!('until' in move)) return { notes, exit: 0, failure: null };
  const client = await context.client();
  const { data } = await client.deliveries.get({ params: { deliveryid: move.until.delivery_id } });
  const next = phrase`See it: ${invocation('deliveries get', [data.id])}`;
  if (hasBeen(data, move.until.status)) return { notes: [...notes, next], exit: 0, failure: null };
  const isOver = isEnded(data.status);
  const why = isOver ? '' : ', and nothing more is due';
  const text = `${data.id} is ${data.status}, not ${move.until.status}${why}.`;
  const command = invocation('deliveries explain', [data.id]);
  const details = { hint: joinedTexts(notes, ' '), next: [{ ...command, when: 'see what happened' }] };
  const failure = isOver
    ? new BadOutcome(text, { ...details, code: `delivery_${data.status}` })
    : new StillPending(text, details);
  return { notes: [...notes, phrase`${text} ${next}`], exit: failure.exit, failure };
}

function workText(steps: number): string {
  if (steps === 0) return 'nothing was due';
  return steps === 1 ? '1 step was run' : `${steps} steps were run`;
}

/** Couriers skip statuses, so a later one also counts. */
function hasBeen({ status, status_history }: Delivery, wanted: Delivery['status']): boolean {
  return hasReached(status, wanted) || status_history.some((entry) => entry.status === wanted);
}
