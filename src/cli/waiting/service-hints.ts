import { ApiError, Unreachable } from '../../client/errors.ts';
import type { Hint } from '../kit/polling/hints.ts';
import { invocation } from '../kit/result/invocation.ts';
import { phrase } from '../kit/result/message.ts';
import type { Context } from '../session/context.ts';
import { clockOf } from './poll-clocks.ts';

/** On a clock that stands still nothing happens by waiting. */
export function clockStandsStill(): Hint {
  const command = invocation('sandbox advance', [], { next: true });
  const message = phrase`The clock of this sandbox stands still. In another terminal: ${command}`;
  return { code: 'clock_stands_still', message, command, when: 'move its clock' };
}

/** The same where the clock stands still now; null where it runs, and where the service does not show it. */
export async function stillClockHint(context: Context): Promise<Hint | null> {
  return (await clockOf(context))?.mode === 'manual' ? clockStandsStill() : null;
}

/** A proxy in front of a service that is down answers with these. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Of an error that says that the service is away, and may come back; null of any other. */
export function outageHint(error: unknown): Hint | null {
  if (error instanceof Unreachable) return unreachableHint(error);
  return error instanceof ApiError && gatewayStatuses.has(error.status) ? unreachableHint(error) : null;
}

export function unreachableHint(error: Error): Hint {
  const message = `The service cannot be reached at the moment: ${error.message} Looking again until it can.`;
  return { code: 'unreachable', message, command: null, when: 'find out what is wrong' };
}
