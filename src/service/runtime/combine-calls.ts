/** Combines calls: concurrent ones into one (`combineCalls`), and all of a load into the first (`loadOnce`). */
import { StorageUnavailable } from '../../storage/storage.ts';
import type { Timers } from './time.ts';

/** Does the work for several inputs, and resolves with a function that gives the output for each of them. */
type CombinedWork<Context, Input, Output> = (
  service: Context,
  inputs: readonly Input[],
) => Promise<(input: Input) => Output>;

interface WaitingCall<Input, Output> {
  input: Input;
  resolve: (output: Output) => void;
  reject: (fault: unknown) => void;
}

/** The maximum number of inputs of one call. */
const max_inputs = 100;

/**
 * Combines concurrent calls into one: `work` is given all inputs of the same turn of the event loop, or those that
 * arrived while it was running. If it fails for several inputs, it is called again for each alone.
 */
export function combineCalls<Context extends { timers: Timers }, Input, Output>(
  work: CombinedWork<Context, Input, Output>,
): (service: Context, input: Input) => Promise<Output> {
  const queues = new WeakMap<Context, WaitingCall<Input, Output>[]>();

  async function callAll(service: Context, queue: WaitingCall<Input, Output>[]): Promise<void> {
    await service.timers.turn();
    while (queue.length > 0) await callFor(service, queue.splice(0, max_inputs));
    queues.delete(service);
  }

  async function callFor(service: Context, members: readonly WaitingCall<Input, Output>[]): Promise<void> {
    const inputs = members.map(({ input }) => input);
    try {
      const outputOf = await work(service, inputs);
      for (const { input, resolve } of members) resolve(outputOf(input));
    } catch (fault) {
      const isShared = members.length > 1 && !(fault instanceof StorageUnavailable);
      if (isShared) for (const member of members) await callFor(service, [member]);
      else for (const { reject } of members) reject(fault);
    }
  }

  return (service, input) =>
    new Promise((resolve, reject) => {
      const waiting = queues.get(service);
      const queue = waiting ?? [];
      queue.push({ input, resolve, reject });
      if (waiting !== undefined) return;
      queues.set(service, queue);
      void callAll(service, queue);
    });
}

/** Waits for all, even if one of them fails; then throws the first error. */
export async function allSettled<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

/** Calls `load` once and caches its result; a failure is not cached. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((fault: unknown) => {
      loaded = undefined;
      throw fault;
    });
    return loaded;
  };
}
