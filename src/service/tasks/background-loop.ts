/** Executes due work in a loop. While no loop runs, each request executes a share of the due work. */
import { StorageUnavailable } from '../../storage/storage.ts';
import type { LoopName } from '../runtime/background-state.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { atMost, pollUntil } from '../runtime/time.ts';
import type { Wakeup } from '../runtime/wakeup.ts';

/** The maximum wait between two polls: other processes may add tasks to the same database, or advance its clock. */
const poll_interval_ms = 500;
/** A poll reads nothing if nothing can have changed, but at least this often. */
const max_look_age_ms = 30_000;
/** How often the same count of changes is read: a write just after a read may come too late to change it. */
const reads_of_change = 2;
/** The maximum wait after failed polls; the wait doubles with each failure in a row. */
const max_wait_ms = 30_000;

interface LoopConfig
  extends Pick<ServiceContext, 'clock' | 'onFault' | 'storage' | 'monotonic' | 'heartbeat'> {
  /** Its name among the loops whose beats are recorded: one with every poll that reaches the storage. */
  name: LoopName;
  /** Runs before each poll, whether or not something is due. */
  prepare?: () => Promise<unknown>;
  /** Executes what is due; also runs once after the start. */
  work: () => Promise<unknown>;
  /** Notified when there may be work before the next poll. */
  wakeup: Wakeup;
}

interface Loop {
  start: () => void;
  stop: () => Promise<void>;
  isRunning: () => boolean;
}

/** Runs `work` whenever something is due, until it is stopped. */
export function createLoop(config: LoopConfig): Loop {
  const { clock, onFault, prepare, work, wakeup, heartbeat, name } = config;
  const reading = createReading(config);
  let running: Promise<void> | undefined;
  let stopping = false;
  let hasWorked = false;
  /** The error of the last poll; the same error is reported once. */
  let failure: string | null = null;
  let failures = 0;

  async function run(): Promise<void> {
    let isNotified = true;
    while (!stopping) {
      const delay_ms = await poll(isNotified);
      if (!stopping) isNotified = await wakeup.wait(delay_ms);
    }
  }

  /** Runs what is due; resolves with the maximum wait before the next poll. */
  async function poll(isNotified: boolean): Promise<number> {
    try {
      await prepare?.();
      await config.storage.announce();
      if (!isNotified && hasWorked && reading.isCurrent()) return waitUntil(reading.due_at());
      reading.start();
      let due_at = await clock.refresh();
      if (!hasWorked || clock.state().advance !== null || (due_at !== null && due_at <= clock.now())) {
        await work();
        hasWorked = true;
        due_at = await clock.refresh();
      }
      reading.end(due_at);
      heartbeat.beat(name);
      failures = 0;
      failure = null;
      return waitUntil(due_at);
    } catch (fault) {
      if (String(fault) !== failure) onFault?.(fault, null);
      failure = String(fault);
      // Storage may be back at any moment. For any other error the loop itself continues.
      const isAway = fault instanceof StorageUnavailable;
      failures = isAway ? 0 : failures + 1;
      if (!isAway) heartbeat.beat(name);
      return Math.min(max_wait_ms, poll_interval_ms * 2 ** Math.max(0, failures - 1));
    }
  }

  function waitUntil(due_at: number | null): number {
    // Due tasks that remain are being executed by another worker.
    const wait_ms = due_at === null ? poll_interval_ms : clock.wait_ms(due_at);
    return wait_ms > 0 ? Math.min(poll_interval_ms, wait_ms) : poll_interval_ms;
  }

  return {
    start: () => {
      stopping = false;
      hasWorked = false;
      heartbeat.beat(name);
      running ??= run();
    },
    stop: async () => {
      stopping = true;
      wakeup.notify();
      await running;
      running = undefined;
      heartbeat.end(name);
    },
    isRunning: () => running !== undefined,
  };
}

/** The result of the last polls, and whether it still holds. */
interface Reading {
  /** Before anything is read. */
  start: () => void;
  end: (due_at: number | null) => void;
  due_at: () => number | null;
  /** Whether nothing has become due and nothing was written since. */
  isCurrent: () => boolean;
}

function createReading({ storage, monotonic, clock }: LoopConfig): Reading {
  let changes: number | null = null;
  /** The number of complete reads since the changes were counted. */
  let reads = 0;
  let read_at = 0;
  let due_at: number | null = null;
  return {
    start: () => {
      const found = storage.changes();
      if (found !== changes) reads = 0;
      changes = found;
      read_at = monotonic.now();
    },
    end: (found) => {
      due_at = found;
      reads += 1;
    },
    due_at: () => due_at,
    isCurrent: () => {
      const isDue = clock.state().advance !== null || (due_at !== null && due_at <= clock.now());
      if (isDue || reads < reads_of_change || monotonic.now() - read_at >= max_look_age_ms) return false;
      return changes !== null && storage.changes() === changes;
    },
  };
}

/** The maximum time that a request executes due tasks; the next request continues. */
const share_ms = 1_000;
/** The maximum time that a request waits for them, if one task takes longer. */
const request_timeout_ms = 2_000;
/** How late a read may see a clock change of another process, if a loop runs. */
const max_clock_age_ms = 1_000;

/**
 * Runs before a request: reads clock changes of other processes and, if no loop runs, executes a share of the due
 * tasks and of an interrupted advance. A read then pays one statement for it; if a loop runs, it pays one a second. A
 * failure is reported, and the request is answered nevertheless.
 */
export async function runDueTasks(service: ServiceContext, isRead = false): Promise<void> {
  if (!service.sandbox) return;
  await runAndReport(service, async () => {
    if (isRead && service.isLooping()) return service.clock.refreshAfter(max_clock_age_ms);
    if (!(await isBehind(service)) || service.idle) return;
    const isDone = async () => (await service.tick(share_ms)) !== null;
    // If another process executes them, the request waits for at most a second.
    const work = pollUntil(service, async () => (await isDone()) || !(await isBehind(service)));
    await waitAtMost(service, work);
  });
}

/** Reads clock changes of other processes only. */
export async function refreshClock(service: ServiceContext): Promise<void> {
  if (service.sandbox) await runAndReport(service, service.clock.refresh);
}

/** Runs optional work and reports its error, unless the storage is unavailable: the request itself reports that. */
async function runAndReport({ onFault }: ServiceContext, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!(fault instanceof StorageUnavailable)) onFault?.(fault, null);
  }
}

/** Waits for work until the timeout; after that the work continues on its own. */
async function waitAtMost(service: ServiceContext, work: Promise<void>): Promise<void> {
  await atMost(service.timers, request_timeout_ms, work, () => {
    void runAndReport(service, () => work);
  });
}

async function isBehind({ clock, mutex, ownership, isLooping }: ServiceContext): Promise<boolean> {
  const due_at = await clock.refresh();
  // The loop executes it.
  if (isLooping()) return false;
  const { advance } = clock.state();
  // Requests during an advance in this process are answered with the state so far.
  if (advance !== null) return advance.request !== mutex.holder();
  if (ownership === undefined) return false;
  return due_at !== null && due_at <= clock.now();
}
