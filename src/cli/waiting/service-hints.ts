import { ApiError, Unreachable } from '../../client/errors.ts';
import type { Hint } from '../kit/polling/hints.ts';
import { invocation } from '../kit/result/invocation.ts';
import { phrase } from '../kit/result/message.ts';
import type { Context } from '../session/context.ts';
import { clockOf } from './poll-clocks.ts';

/** The hint for a stopped clock, on which waiting changes nothing. */
export function clockStandsStill(): Hint {
  const command = invocation('sandbox advance', [], { next: true });
  const message = phrase`The clock of this sandbox is stopped. In another terminal: ${command}`;
  return { code: 'clock_stands_still', message, command, when: 'move its clock' };
}

/** The hint if the clock is stopped; null if it runs or the service does not report it. */
export async function stillClockHint(context: Context): Promise<Hint | null> {
  return (await clockOf(context))?.mode === 'manual' ? clockStandsStill() : null;
}

/** The statuses that a proxy responds with while the service is down. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** The hint for an error that may pass, as the service is unreachable; null for any other. */
export function outageHint(error: unknown): Hint | null {
  if (error instanceof Unreachable) return unreachableHint(error);
  return error instanceof ApiError && gatewayStatuses.has(error.status) ? unreachableHint(error) : null;
}

export function unreachableHint(error: Error): Hint {
  const message = `The service cannot be reached at the moment: ${error.message} Looking again until it can.`;
  return { code: 'unreachable', message, command: null, when: 'find the cause' };
}
