import { StorageUnavailable } from '../../storage/storage.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { atMost, pollUntil } from '../runtime/time.ts';

/** The maximum time that a request executes due tasks; the next request continues. */
const share_ms = 1_000;
/** The maximum time that a request waits for them, if one task takes longer. */
const timeout_ms = 2_000;
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
  await atMost(service.timers, timeout_ms, work, () => {
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
