import type { resetSandbox as resetOperation } from '../contract/sandbox.ts';
import { deleteTestRecords } from '../storage/sandbox.ts';
import { writeSetting } from '../storage/settings.ts';
import { setWhileStill } from './clock.ts';
import type { Handler } from './endpoint.ts';
import { chooseSettings } from './sandbox.ts';
import { requireSandbox } from './simulation.ts';

/**
 * Begins anew: no test record of the account is left but its keys and webhook endpoints, and the clock is real again. Time does not go back: where it
 * is ahead, it goes on from there.
 */
export const resetSandbox: Handler<typeof resetOperation> = async (call) => {
  requireSandbox(call, 'The reset of the sandbox');
  const { service, caller, body } = call;
  const answer = await service.turns.take(() =>
    setWhileStill(call, (from) =>
      call.commit(async (db) => {
        const deleted = await deleteTestRecords(db, caller.scope.account_id, call.request_key);
        await chooseSettings(db, call, () => ({ default_scenario: null, outages: {} }));
        if (body.seed !== undefined) await writeSetting(db, 'seed', body.seed);
        await service.clock.reset(db, from);
        return { object: 'sandbox_reset' as const, deleted };
      }),
    ),
  );
  service.wake();
  return answer;
};
