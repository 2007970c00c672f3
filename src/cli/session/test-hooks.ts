import { UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';

/**
 * What a test of the whole program says in the environment to a service that the program runs itself: where it ends
 * itself as a power cut would, and in which database file the simulated couriers keep their records.
 */
export function testHooksOf({ environment }: Pick<Host, 'environment'>) {
  return {
    crashAt: environment.WAYBILL_CRASH_AT || undefined,
    courierRecords: environment.WAYBILL_COURIER_BOOKS || undefined,
  };
}

/** What to say of a trial that cannot be made; null where the error is another. */
export function testHooksFailure(error: unknown): UsageError | null {
  if (!(error instanceof Error) || error.name !== 'UnknownCrashPoint') return null;
  return new UsageError(`WAYBILL_CRASH_AT: ${error.message}.`);
}
