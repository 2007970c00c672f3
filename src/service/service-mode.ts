/** Creates the service for one mode, test or live: its clock, random streams, background loop and webhook sender. */
import type { Flag } from '../storage/rows.ts';
import { createSender } from './lazy-parts.ts';
import { createHeartbeat, createPriorityMutex, createTaskQuarantine } from './runtime/background-state.ts';
import type { ServiceContext, SharedContext } from './runtime/context.ts';
import { createRequestOrder } from './runtime/ids.ts';
import { whileOwner } from './runtime/processes.ts';
import { createSeeding } from './runtime/random.ts';
import { createServiceClock } from './runtime/service-clock.ts';
import type { Clock } from './runtime/time.ts';
import { createWakeup } from './runtime/wakeup.ts';
import { createLoop } from './tasks/background-loop.ts';

export interface Mode extends Background {
  context: ServiceContext;
}

/** Work that goes on from `start` to `stop`. */
interface Background {
  start: () => void;
  stop: () => Promise<void>;
}

interface ModeParts {
  test_mode: Flag;
  base: Clock;
  /** Runs before each poll for due tasks: looks for locks and differing clocks. */
  watch: () => Promise<void>;
}

/** Executes tasks and sends events as they become due, once it is started. */
export function createMode(shared: SharedContext, { test_mode, base, watch }: ModeParts): Mode {
  const { chance, followSeed, countRequest, countContent } = createSeeding({ ...shared, test_mode });
  const clock = createServiceClock({ ...shared, clock: base, test_mode, followSeed });
  const wakeup = createWakeup(shared.timers);
  const mutex = createPriorityMutex(wakeup.notify);
  const sender = createSender(() => context);
  const tick = async (max_duration_ms?: number): Promise<number | null> => {
    let done: number | null = null;
    await whileOwner(shared, async () => {
      // Loaded when there is work: most commands find none.
      const { runDueWork } = await import('./background-work.ts');
      const work = () => runDueWork(context, max_duration_ms);
      done = await (shared.sandbox ? mutex.runInBackground(work) : work());
    });
    return done;
  };
  const heartbeat = createHeartbeat(shared.monotonic);
  const loop = createLoop({
    ...shared,
    name: 'tasks',
    clock,
    wakeup,
    heartbeat,
    prepare: async () => {
      await shared.storage.check();
      await watch();
    },
    work: tick,
  });
  const context: ServiceContext = {
    ...shared,
    test_mode,
    clock,
    mutex,
    chance,
    tick,
    heartbeat,
    wakeup,
    sender,
    isLooping: loop.isRunning,
    countRequest,
    countContent,
    requestOrder: createRequestOrder(shared.storage, test_mode, clock),
    running_tasks: new Set(),
    quarantine: createTaskQuarantine(shared.monotonic),
  };
  return {
    context,
    start: () => {
      loop.start();
      sender.start();
    },
    stop: async () => {
      await Promise.all([mutex.interrupt(loop.stop), sender.stop()]);
    },
  };
}
