import type { resetSandbox as resetOperation } from '../../contract/sandbox.ts';
import { restartCount } from '../../storage/request-counts.ts';
import { deleteTestRecords } from '../../storage/sandbox.ts';
import type { Handler } from '../http/handler.ts';
import { requireSandbox } from '../http/simulation-header.ts';
import { chooseSeed } from '../runtime/seed.ts';
import { retryOnClockChange } from './clock-handlers.ts';
import { mayMoveClock, requireClockOwner } from './clock-owner.ts';
import { finishedAdvance } from './end-advance.ts';
import { chooseSettings } from './sandbox-handlers.ts';

/**
 * Deletes all test records of the account except its keys, audit entries and webhook endpoints, and resets the clock to
 * real time, without going back, if the account may move it. A running advance is ended without being finished, so that an error in it cannot
 * prevent the reset.
 */
export const resetSandbox: Handler<typeof resetOperation> = async (call) => {
  requireSandbox(call, 'The reset of the sandbox');
  if (call.body.seed !== undefined) await requireClockOwner(call);
  const isOwner = await mayMoveClock(call);
  const { service, caller, body } = call;
  const { clock, wall } = service;
  const answer = await service.mutex.run(() =>
    retryOnClockChange(call, (from) =>
      call.commit(async (db) => {
        const { advance } = from;
        const end = { more: true, now: clock.now(), wall_now: wall.now() };
        const finished = advance === null ? from.finished : await finishedAdvance(db, advance, end);
        const deleted = await deleteTestRecords(db, caller.scope.account_id, call.request_key);
        await chooseSettings(db, call, () => ({ default_scenario: null, outages: {} }));
        if (body.seed !== undefined) await chooseSeed(db, 1, body.seed);
        await restartCount(db, caller.scope);
        if (isOwner) await clock.reset(db, from, finished);
        return { object: 'sandbox_reset' as const, deleted };
      }),
    ),
  );
  service.forgetCallers();
  service.wake();
  return answer;
};
