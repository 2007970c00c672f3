import type { ServiceConfig } from './context.ts';

/** The longest time that work of many steps keeps the event loop to itself. */
const max_block_ms = 10;

/**
 * Makes a function to call between two steps of long work: it yields to the event loop once 10 ms have passed since it
 * last did. On a database in this process a step never waits for I/O, so without it nothing else would run.
 */
export function createYielder({
  timers,
  monotonic,
}: Pick<ServiceConfig, 'timers' | 'monotonic'>): () => Promise<void> {
  let last = monotonic.now();
  return async () => {
    if (monotonic.now() - last < max_block_ms) return;
    await timers.turn();
    last = monotonic.now();
  };
}
