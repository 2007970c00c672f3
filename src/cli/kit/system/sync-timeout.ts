import { runInNewContext } from 'node:vm';
import { Interrupted } from '../errors/failure.ts';

/** Work took longer than it may. */
export class TooLong extends Error {
  override name = 'TooLong';
}

/**
 * Work of a program that somebody else wrote, as a filter or a template. It may go round for ever: it ends after so
 * many milliseconds with TooLong, and at Ctrl+C with Interrupted, which nothing else could hear meanwhile.
 */
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

/** These errors are of another context, where Error is another. */
function ended(error: unknown): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return new TooLong('it took too long');
  return code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED' ? new Interrupted() : error;
}
