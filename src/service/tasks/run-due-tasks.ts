import { StorageUnavailable } from '../../storage/errors.ts';
import { pollUntil } from '../runtime/background-owner.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createDeadline } from '../runtime/deadline.ts';

/** The longest time that a request executes tasks that became due since the last one; the next request continues. */
const share_ms = 1_000;
/** The longest time that a request waits for them, where one task takes longer. */
const timeout_ms = 2_000;

/**
 * Runs before a request: reads what other processes changed of the clock and, where no loop runs, executes a share of the
 * tasks that became due since the last request, and of an advance that was cut off. An ordinary look-up pays one
 * statement for it. A failure is reported, and the request is answered nevertheless.
 */
export async function runDueTasks(service: ServiceContext): Promise<void> {
  if (!service.sandbox) return;
  await reported(service, async () => {
    if (!(await isBehind(service)) || service.idle) return;
    const isDone = async () => (await service.tick(share_ms)) !== null;
    // Where another process executes them, the request waits for at most a second.
    const work = pollUntil(service, async () => (await isDone()) || !(await isBehind(service)));
    await waitAtMost(service, work);
  });
}

/** Reads what other processes changed of the clock, and does no more. */
export async function refreshClock(service: ServiceContext): Promise<void> {
  if (service.sandbox) await reported(service, service.clock.refresh);
}

/** Does work that nothing depends on and reports its fault, unless the storage is away: whoever needs it says that. */
async function reported({ onFault }: ServiceContext, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!(fault instanceof StorageUnavailable)) onFault?.(fault, null);
  }
}

/** Waits for work until the timeout, after which the work continues by itself. */
async function waitAtMost(service: ServiceContext, work: Promise<void>): Promise<void> {
  const late = new Error('the work that is due takes longer than a request waits');
  const deadline = createDeadline(service.timers, timeout_ms, () => late);
  const over = deadline.reached.catch(() => {
    void reported(service, () => work);
  });
  await Promise.race([work, over]).finally(deadline.cancel);
}

async function isBehind({ clock, mutex, ownership, isLooping }: ServiceContext): Promise<boolean> {
  const due_at = await clock.refresh();
  // The loop executes it.
  if (isLooping()) return false;
  const { advance } = clock.state();
  // Requests are answered during an advance that runs in this process, and show how far it has come.
  if (advance !== null) return advance.request !== mutex.holder();
  if (ownership === undefined) return false;
  return due_at !== null && due_at <= clock.now();
}
