import { Problem } from '../../contract/errors.ts';
import type {
  advanceClock,
  ClockRecord,
  getClock,
  resetSandbox as resetOperation,
  setClock,
} from '../../contract/sandbox.ts';
import { isOnlyAccount } from '../../storage/accounts.ts';
import { restartCount } from '../../storage/request-counts.ts';
import { deleteTestRecords } from '../../storage/sandbox.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { requireSandbox } from '../http/simulation-header.ts';
import { chooseSeed } from '../runtime/random.ts';
import { ClockChanged, type ClockState } from '../runtime/service-clock.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { advanceOnce, finishAdvance, finishedAdvance } from './advance.ts';
import { chooseSettings } from './sandbox-handlers.ts';

const what = 'The sandbox clock';
/** A minute per second. */
const ordinary_rate = 60;

export const readClock: Handler<typeof getClock> = async (call) => {
  requireSandbox(call, what);
  const { clock } = call.service;
  const due_at = await clock.refresh();
  clock.requireReadable();
  return clockView(clock.state(), clock.now(), due_at);
};

/** Changes how time passes, from the current service time on. */
export const changeClock: Handler<typeof setClock> = async (call) => {
  requireSandbox(call, what);
  await requireClockOwner(call);
  const change = { mode: call.body.mode, rate: rateOf(call) };
  const { service } = call;
  const record = await service.mutex.run(() =>
    changeIdleClock(call, async (from, due_at) => {
      const service_at = service.clock.now();
      return call.commit(async (db) => {
        const written = await service.clock.write(db, from, { ...change, service_at });
        return clockView(written, service_at, due_at);
      });
    }),
  );
  service.wake();
  return record;
};

function rateOf({ body: { mode, rate } }: Call<typeof setClock>): number {
  if (rate !== undefined && mode !== 'scaled') {
    const message = `rate applies to mode scaled only, not ${mode}.`;
    throw new Problem('invalid_request', message, [{ path: 'rate', message: 'applies to mode scaled only' }]);
  }
  if (mode === 'scaled') return rate ?? ordinary_rate;
  return mode === 'real' ? 1 : 0;
}

/** Changes the clock outside of advances; to be called with the mutex held. */
async function changeIdleClock<T>(
  call: CallBase,
  work: (from: ClockState, due_at: number | null) => Promise<T>,
): Promise<T> {
  return retryOnClockChange(call, async (_, due_at) => {
    call.service.clock.requireReadable();
    await finishAdvance(call.service);
    return work(call.service.clock.state(), due_at);
  });
}

/** Changes the current clock, and retries if another process has changed it; to be called with the mutex held. */
async function retryOnClockChange<T>(
  { service: { clock } }: CallBase,
  work: (from: ClockState, due_at: number | null) => Promise<T>,
): Promise<T> {
  for (;;) {
    const due_at = await clock.refresh();
    try {
      const result = await work(clock.state(), due_at);
      await clock.refresh();
      return result;
    } catch (fault) {
      if (!(fault instanceof ClockChanged)) throw fault;
    }
  }
}

export const advanceClockHandler: Handler<typeof advanceClock> = async (call) => {
  requireSandbox(call, what);
  await requireClockOwner(call);
  const moved = await advanceOnce(call);
  call.service.wake();
  return moved;
};

function clockView({ mode, rate }: ClockState, now: number, due_at: number | null): ClockRecord {
  return { object: 'clock', mode, rate, now: instant(now), next_due_at: instantOrNull(due_at) };
}

/**
 * Whether the caller may move the clock and change the seed, which all accounts share: the only account of the service,
 * the one that the operator has chosen, and commands of the embedded service, whose user has the database.
 */
async function mayMoveClock({ service, caller, client_address }: CallBase): Promise<boolean> {
  const { account_id } = caller.scope;
  if (client_address === null || service.clock_owner === account_id) return true;
  return service.storage.read((db) => isOnlyAccount(db, account_id));
}

/** Throws `forbidden` unless the caller may move clock and seed. */
async function requireClockOwner(call: CallBase): Promise<void> {
  if (await mayMoveClock(call)) return;
  const { clock_owner } = call.service;
  const who =
    clock_owner === undefined
      ? 'The operator can let one account do so: serve --clock-owner ACCOUNT.'
      : `Admin keys of ${clock_owner} can do so.`;
  const message = `Several accounts share the clock and the seed of this sandbox, so this key cannot change them. ${who}`;
  throw new Problem('forbidden', message);
}

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
