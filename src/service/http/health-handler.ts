import type { getHealth } from '../../contract/description.ts';
import { firstAccount } from '../../storage/accounts.ts';
import { StorageUnavailable } from '../../storage/errors.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { instant } from '../runtime/timestamps.ts';
import type { Handler } from './handler.ts';

/** Health checks need a fast response, also if the storage hangs. */
const answer_timeout_ms = 3_000;

/** Checks that the storage responds and that the background work of this process makes progress. */
export const health: Handler<typeof getHealth> = async ({ service, now }) => {
  await service.storage.check();
  await answeredSoon(service, service.storage.run(firstAccount));
  const stalled = service.inMode(0).heartbeat.stalled() ?? service.inMode(1).heartbeat.stalled();
  if (stalled !== null) {
    const seconds = Math.round(stalled.silent_ms / 1_000);
    throw new StorageUnavailable(`the ${stalled.loop} loop has made no progress for ${seconds} s`);
  }
  return { status: 'ok', service_time: instant(now) };
};

async function answeredSoon<T>({ timers }: Pick<ServiceContext, 'timers'>, answer: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const cancel = timers.after(answer_timeout_ms, () =>
    reject(new StorageUnavailable('the database did not respond in time')),
  );
  return Promise.race([answer, silence]).finally(cancel);
}
