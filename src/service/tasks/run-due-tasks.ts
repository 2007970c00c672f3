import { StorageUnavailable } from '../../storage/errors.ts';
import { pollUntil } from '../runtime/background-owner.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createDeadline } from '../runtime/deadline.ts';

/** So long a request does at most of the work that became due while nobody was there; the rest is left to the next. */
const share_ms = 1_000;
/** And so long it waits at most, where a piece of that work takes longer. */
const timeout_ms = 2_000;

/**
 * What comes before a request is answered: a look at what other processes did to the clock, and where no loop runs,
 * a share of what became due since the last request and of an advance that was cut off. All that an ordinary look-up
 * pays for it is one statement. Whatever fails of it is reported, and the request is answered all the same.
 */
export async function runDueTasks(service: ServiceContext): Promise<void> {
  if (!service.sandbox) return;
  await reported(service, async () => {
    if (!(await isBehind(service)) || service.idle) return;
    const isDone = async () => (await service.tick(share_ms)) !== null;
    // Where another process is at it, it is waited for a little.
    const work = pollUntil(service, async () => (await isDone()) || !(await isBehind(service)));
    await forAWhile(service, work);
  });
}

/** A look at what other processes did to the clock, and no more. */
export async function refreshClock(service: ServiceContext): Promise<void> {
  if (service.sandbox) await reported(service, service.clock.refresh);
}

/** Does something that nothing depends on. That the storage is away, whoever needs it says. */
async function reported({ onFault }: ServiceContext, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!(fault instanceof StorageUnavailable)) onFault?.(fault, null);
  }
}

/** Waits for work, but not for ever: what takes longer goes on by itself. */
async function forAWhile(service: ServiceContext, work: Promise<void>): Promise<void> {
  const late = new Error('the work that is due takes longer than a request waits');
  const deadline = createDeadline(service.timers, timeout_ms, () => late);
  const over = deadline.reached.catch(() => {
    void reported(service, () => work);
  });
  await Promise.race([work, over]).finally(deadline.cancel);
}

async function isBehind({ clock, mutex, ownership, isLooping }: ServiceContext): Promise<boolean> {
  const due_at = await clock.refresh();
  // The loop does what there is to do.
  if (isLooping()) return false;
  const { advance } = clock.state();
  // Of an advance that goes on in this process, others may see how far it has come.
  if (advance !== null) return advance.request !== mutex.holder();
  if (ownership === undefined) return false;
  return due_at !== null && due_at <= clock.now();
}
