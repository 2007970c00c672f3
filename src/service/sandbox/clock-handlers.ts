import { Problem } from '../../contract/errors.ts';
import type { advanceClock, ClockRecord, getClock, setClock } from '../../contract/sandbox.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { requireSandbox } from '../http/simulation-header.ts';
import type { ClockState } from '../runtime/clock-state.ts';
import { ClockChanged } from '../runtime/service-clock.ts';
import { instant, instantOrNull } from '../runtime/timestamps.ts';
import { advanceOnce } from './advance-handler.ts';
import { finishAdvance } from './advance-job.ts';
import { requireClockOwner } from './clock-owner.ts';

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
export async function retryOnClockChange<T>(
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
