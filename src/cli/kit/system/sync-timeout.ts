import { runInNewContext } from 'node:vm';
import { Interrupted } from '../errors/failure.ts';

/** The work exceeded its time limit. */
export class SyncTimeout extends Error {
  override name = 'TooLong';
}

/**
 * Runs synchronous work that may loop forever, such as the user's filter. Throws SyncTimeout after the time
 * limit, and Interrupted on Ctrl+C, for which no signal handler can run meanwhile.
 */
export function runWithTimeout<T>(work: () => T, milliseconds: number): T {
  const results: T[] = [];
  const go = () => {
    results.push(work());
  };
  try {
    runInNewContext('go()', { go }, { timeout: milliseconds, breakOnSigint: true });
  } catch (error) {
    throw localError(error);
  }
  for (const value of results) return value;
  throw new SyncTimeout('nothing came of it');
}

/** Converts an error of the VM, whose Error class is a different one. */
function localError(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return new SyncTimeout('it took too long');
  return code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED' ? new Interrupted() : error;
}
