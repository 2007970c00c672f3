import type { getHealth } from '../../contract/description.ts';
import { firstAccount } from '../../storage/accounts.ts';
import { StorageUnavailable } from '../../storage/errors.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { instant } from '../runtime/timestamps.ts';
import type { Handler } from './handler.ts';

/** Who asks wants an answer soon, also from a storage that gives none. */
const answer_timeout_ms = 3_000;

/** Whether the storage answers, and the background work of this process gets on. */
export const health: Handler<typeof getHealth> = async ({ service, now }) => {
  await service.storage.check();
  await answeredSoon(service, service.storage.run(firstAccount));
  const stalled = service.inMode(0).heartbeat.stalled() ?? service.inMode(1).heartbeat.stalled();
  if (stalled !== null) {
    const seconds = Math.round(stalled.silent_ms / 1_000);
    throw new StorageUnavailable(`the loop of ${stalled.loop} has got nothing done for ${seconds} s`);
  }
  return { status: 'ok', service_time: instant(now) };
};

async function answeredSoon<T>({ timers }: Pick<ServiceContext, 'timers'>, answer: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const cancel = timers.after(answer_timeout_ms, () =>
    reject(new StorageUnavailable('the storage did not answer in time')),
  );
  return Promise.race([answer, silence]).finally(cancel);
}
