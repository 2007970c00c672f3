import { runInNewContext } from 'node:vm';
import { Interrupted } from '../errors/failure.ts';

/** The work exceeded its time limit. */
export class TooLong extends Error {
  override name = 'TooLong';
}

/** Runs a filter or template of the user, which may loop forever: it ends with TooLong after the time limit, and with Interrupted on Ctrl+C, which cannot be handled otherwise meanwhile. */
export function bounded<T>(work: () => T, milliseconds: number): T {
  const done: T[] = [];
  const go = () => {
    done.push(work());
  };
  try {
    runInNewContext('go()', { go }, { timeout: milliseconds, breakOnSigint: true });
  } catch (error) {
    throw ended(error);
  }
  for (const value of done) return value;
  throw new TooLong('nothing came of it');
}

/** These errors come from another context, whose Error class is a different one. */
function ended(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return new TooLong('it took too long');
  return code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED' ? new Interrupted() : error;
}
