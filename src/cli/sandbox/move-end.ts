import type { ClockAdvance } from '../../contract/clock.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { hasReached, isEnded } from '../../domain/delivery-states.ts';
import type { Context } from '../context.ts';
import { commandLine } from '../line/command-line.ts';
import { fullTime } from '../output/times.ts';
import type { Move } from './advances.ts';

/** What is said when the clock stands again, and the exit code. */
export interface MoveEnd {
  notes: string[];
  exit: number;
}

/** Where the clock is, and with `until` whether the delivery has come as far as it was to. */
export async function endOf(context: Context, move: Move, { now, steps }: ClockAdvance): Promise<MoveEnd> {
  const notes = [`The clock is at ${fullTime(now)}; ${workText(steps)} on the way.`];
  if (!('until' in move)) return { notes, exit: 0 };
  const client = await context.client();
  const { data } = await client.deliveries.get({ params: { deliveryid: move.until.delivery_id } });
  const next = `See it: ${commandLine(['deliveries', 'get', data.id])}`;
  if (hasBeen(data, move.until.status)) return { notes: [...notes, next], exit: 0 };
  const isOver = isEnded(data.status);
  const why = isOver ? '' : ', and nothing more is due';
  return {
    notes: [...notes, `${data.id} is ${data.status}, not ${move.until.status}${why}. ${next}`],
    exit: isOver ? 9 : 8,
  };
}

function workText(steps: number): string {
  if (steps === 0) return 'nothing was due';
  return steps === 1 ? '1 step was run' : `${steps} steps were run`;
}

/** Couriers skip statuses, so a later one will do. */
function hasBeen({ status, status_history }: Delivery, wanted: Delivery['status']): boolean {
  return hasReached(status, wanted) || status_history.some((entry) => entry.status === wanted);
}
