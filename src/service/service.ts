import { operationPlaces } from '../contract/operations.ts';
import { endpointAt } from './handlers.ts';
import { createFetch, type Fetch } from './http/fetch.ts';
import { createRouter } from './http/router.ts';
import { createMode } from './mode.ts';
import { boundedStorage } from './runtime/bounded-storage.ts';
import { createChangeListeners } from './runtime/change-listeners.ts';
import type { ServiceConfig, ServiceContext, SharedContext } from './runtime/context.ts';
import { createStreams } from './runtime/open-streams.ts';
import { createSteadyClock } from './runtime/steady-clock.ts';
import { createStorageCheck } from './runtime/storage-check.ts';
import type { Clock } from './runtime/time.ts';
import { taskKinds } from './task-kinds.ts';
import { refreshClock, runDueTasks } from './tasks/run-due-tasks.ts';
import { createPoster } from './webhooks/delivery/http-client.ts';

export interface Service {
  /** Answers one request. */
  fetch: Fetch;
  /** Goes on doing what becomes due until `stop`. */
  start: () => void;
  /** Ends once the steps in hand are done; an advance of the clock is left for the next start. The storage is its owner's to close. */
  stop: () => Promise<void>;
  /** Does all that is due now, once, unless it is another process's to do; tells how much it was. */
  tick: () => Promise<number>;
  /** Sends all events that are due now, once; tells how many attempts there were. */
  send: () => Promise<number>;
  /** Ends the streams that are open, and all that are opened later. */
  endStreams: () => void;
  /** Ends what is being sent, within a moment; what is cut off is sent again by whoever comes next. */
  endSending: () => Promise<void>;
  /** The clock of live mode. */
  clock: Clock;
  /** The clock of test mode, as of the last look at the database. */
  test_clock: Clock;
}

/** The tables are large and never change: they are read once. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((fault: unknown) => {
      loaded = undefined;
      throw fault;
    });
    return loaded;
  };
}

/** Service time goes on where the clock of the machine is set back. */
function steadyClockOf({ clock, monotonic, onFault }: ServiceConfig): Clock {
  const onStepBack = (by_ms: number) => {
    const message = `the clock was set back by ${Math.round(by_ms / 1_000)} s: service time goes on from where it was`;
    onFault?.(new Error(message), null);
  };
  return createSteadyClock({ clock, monotonic, onStepBack });
}

/** Wires a service together; nothing runs before it is asked something or started. */
export function createService(given: ServiceConfig): Service {
  const config = { ...given, storage: boundedStorage(given.storage, given.timers) };
  const poster = createPoster(config);
  const changes = createChangeListeners();
  const streams = createStreams();
  const shared: SharedContext = {
    ...{ ...config, gazetteer: once(config.gazetteer), poster, changes, streams, task_kinds: taskKinds },
    head: once(async () => {
      const { createWatermark } = await import('./events/watermark.ts');
      return createWatermark({ ...config, changes }, async () => {
        for (const { context } of modes) if (!context.isLooping()) await runDueTasks(context);
      });
    }),
    inMode: (test_mode) => (test_mode === 1 ? test : live).context,
  };
  const [base, beforeWork] = [steadyClockOf(config), createStorageCheck(config)];
  const live = createMode(shared, { base, test_mode: 0, beforeWork });
  const test = createMode(shared, { base, test_mode: 1, beforeWork });
  const modes = [live, test];
  const stop = async () => {
    streams.end();
    await Promise.all(modes.map((mode) => mode.stop()));
    await poster.close();
    // A request whose work was cut off has yet to give its key back.
    await config.timers.turn();
  };
  const fetch = createFetch(shared, createRouter(operationPlaces, endpointAt), { refreshClock, runDueTasks });
  const start = () => {
    for (const mode of modes) mode.start();
  };
  const sumOf = async (work: (context: ServiceContext) => Promise<number | null>) => {
    let sum = 0;
    for (const { context } of modes) sum += (await work(context)) ?? 0;
    return sum;
  };
  return {
    ...{ fetch, start, stop, endStreams: streams.end },
    tick: () => sumOf(({ tick }) => tick()),
    send: () => sumOf(({ sender }) => sender.sendDue()),
    endSending: async () => {
      await Promise.all(modes.map(({ context }) => context.sender.stop()));
    },
    clock: live.context.clock,
    test_clock: test.context.clock,
  };
}
