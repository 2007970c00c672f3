import { UsageError } from '../failures/failure.ts';
import { duration, flag } from '../line/flags.ts';

const group = 'Waiting';

export const watchFlag = flag({ summary: 'A line for each change, until the batch is complete', group });

export const waitFlag = flag({
  summary: 'Wait until the batch is complete; the exit code says what became of it',
  group,
});

/** How long is waited, and for how long `otherwise`. */
export function timeoutFlag(otherwise: string) {
  return duration({ summary: `How long, then exit 8; without it ${otherwise}`, group });
}

export const untilComplete = 'until all is settled';
export const windowAndMore = 'the retry window and 15m more';

/** Throws UsageError where a time-out is given and nobody waits. */
export function checkWaiting(waits: Readonly<Record<string, boolean>>, timeout_ms: number | undefined): void {
  const labels = Object.keys(waits).map((name) => `--${name}`);
  const given = labels.filter((_, index) => Object.values(waits)[index]);
  if (given.length > 1) throw new UsageError(`Give one of ${given.join(' and ')}.`);
  if (given.length === 0 && timeout_ms !== undefined) {
    throw new UsageError(`--timeout is how long to wait: add ${labels.join(' or ')}.`);
  }
}
