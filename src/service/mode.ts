import type { Flag } from '../storage/database.ts';
import { createHeartbeat, createPriorityMutex, createTaskQuarantine } from './runtime/background-state.ts';
import type { ServiceContext, SharedContext } from './runtime/context.ts';
import { createRequestOrder } from './runtime/ids.ts';
import { whileOwner } from './runtime/processes.ts';
import { createSeeding } from './runtime/random.ts';
import { createServiceClock } from './runtime/service-clock.ts';
import type { Clock } from './runtime/time.ts';
import { createWakeup } from './runtime/wakeup.ts';
import { createLoop } from './tasks/background-loop.ts';
import { createSender } from './webhooks/delivery/sender.ts';

/** The service for one mode: its clock, its random streams and its background work. */
interface Mode {
  context: ServiceContext;
  /** Executes tasks and sends events as they become due, until `stop`. */
  start: () => void;
  stop: () => Promise<void>;
}

interface ModeParts {
  test_mode: Flag;
  /** The base clock of the mode's clock. */
  base: Clock;
  /** Runs before each poll for due tasks: see `ClockSkew`. */
  compareClocks: () => Promise<void>;
}

export function createMode(shared: SharedContext, { test_mode, base, compareClocks }: ModeParts): Mode {
  const { chance, seen, countRequest, countContent } = createSeeding({ ...shared, test_mode });
  const clock = createServiceClock({ ...shared, clock: base, test_mode, seen });
  const wakeup = createWakeup(shared.timers);
  const mutex = createPriorityMutex(wakeup.notify);
  const sender = createSender(() => context);
  const tick = async (max_duration_ms?: number): Promise<number | null> => {
    let done: number | null = null;
    await whileOwner(shared, async () => {
      // Loaded when there is work: most commands find none.
      const { runDueWork: doDueWork } = await import('./background-work.ts');
      const work = () => doDueWork(context, max_duration_ms);
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
      await compareClocks();
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
