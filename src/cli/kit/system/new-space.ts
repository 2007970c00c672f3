import { setFlagsFromString } from 'node:v8';

/**
 * Runs work for which V8 does not enlarge its space for new objects. In a long run it doubles that up to 128 MB, which
 * makes the run at most 3 % faster. Code that is loaded meanwhile is compiled without the code cache, and written to
 * it again: the cache belongs to one set of flags.
 */
export async function withSmallNewSpace<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    // As it is without the flag.
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
