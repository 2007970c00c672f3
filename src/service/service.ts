import { operationPlaces } from '../contract/operations.ts';
import { createBell } from './bell.ts';
import { boundedStorage } from './bounded-storage.ts';
import { catchUp } from './catch-up.ts';
import type { ServiceConfig, ServiceContext } from './context.ts';
import { endpointAt } from './endpoints.ts';
import { createFetch, type Fetch } from './fetch.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createLoop } from './loop.ts';
import { whileOwner } from './ownership.ts';
import type { Clock } from './ports/time.ts';
import { createRequestOrder } from './request-order.ts';
import { createRouter } from './router.ts';
import { createSeeding } from './seeding.ts';
import { createServiceClock } from './service-clock.ts';
import { createSignal } from './signal.ts';
import { createSteadyClock } from './steady-clock.ts';
import { createStorageCheck } from './storage-check.ts';
import { createStreams } from './streams.ts';
import { createTaskQuarantine } from './task-quarantine.ts';
import { createTurns } from './turns.ts';
import { createPoster } from './webhooks/poster.ts';
import { createSender } from './webhooks/sender.ts';

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
  /** Service time, as of the last look at the database. */
  clock: Clock;
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
  const { chance, seen, countRequest } = createSeeding(config);
  const clock = createServiceClock({ ...config, clock: steadyClockOf(config), seen });
  const bell = createBell(config.timers);
  const turns = createTurns(bell.ring);
  const [poster, sender] = [createPoster(config), createSender(() => context)];
  const [told, streams] = [createSignal(), createStreams()];
  const tick = async (patience_ms?: number): Promise<number | null> => {
    let done: number | null = null;
    await whileOwner(config, async () => {
      // Loaded when there is work: most commands find none.
      const { doDueWork } = await import('./due-work.ts');
      const work = () => doDueWork(context, patience_ms);
      done = await (config.sandbox ? turns.background(work) : work());
    });
    return done;
  };
  const heartbeat = createHeartbeat(config.monotonic);
  const loop = createLoop({
    ...config,
    ...{ clock, bell },
    work: () => checkStorage().then(() => tick()),
    pulse: heartbeat.of('tasks'),
  });
  const context: ServiceContext = {
    ...config,
    gazetteer: once(config.gazetteer),
    ...{ clock, turns, chance, countRequest, tick, bell, wake: bell.ring },
    requestOrder: createRequestOrder(config.storage, clock),
    ...{ poster, sender, told, streams, heartbeat },
    head: once(async () => {
      const { createEventHead } = await import('./event-head.ts');
      return createEventHead({ ...config, told }, async () => {
        if (!loop.isRunning()) await catchUp(context);
      });
    }),
    isLooping: loop.isRunning,
    hand: new Set(),
    quarantine: createTaskQuarantine(config.monotonic),
  };
  const checkStorage = createStorageCheck(context);
  const stop = async () => {
    streams.end();
    await Promise.all([turns.interrupt(loop.stop), sender.stop()]);
    await poster.close();
    // A request whose work was cut off has yet to give its key back.
    await config.timers.turn();
  };
  const start = () => {
    loop.start();
    sender.start();
  };
  const works = { tick: async () => (await tick()) ?? 0, send: sender.sendDue, endSending: sender.stop };
  const router = createRouter(operationPlaces, endpointAt);
  return { fetch: createFetch(context, router), start, stop, endStreams: streams.end, ...works, clock };
}
