import { ApiError, Unreachable } from '../../client/errors.ts';
import type { ClockRecord } from '../../contract/clock.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Context } from '../context.ts';
import { type Patience, repeatedly } from '../exchange/waiting.ts';
import { commandLine } from '../line/command-line.ts';
import { clockStandsStill, notInitiated, outOfReach, type Remark, type Remarks } from './remarks.ts';

/** How a delivery is followed. */
export interface Following {
  /** Without it, for as long as the caller looks. */
  timeout_ms: number | undefined;
  remarks: Remarks;
}

/**
 * A delivery as each look finds it, until the caller stops or the time has run out. On the embedded service a look
 * comes when something is due, as its clock may go fast. Where nothing moves, as nobody initiated it or as the clock
 * of a sandbox stands still, that is said once. A service that goes away is looked for as long: rejects only where it
 * is away at the end.
 */
export async function* looksAt(
  context: Context,
  first: Delivery,
  { timeout_ms = Number.POSITIVE_INFINITY, remarks }: Following,
): AsyncGenerator<Delivery> {
  const said = new Set<Remark['code']>();
  const say = async (remark: Remark) => {
    if (!said.has(remark.code)) await remarks.say(remark);
    said.add(remark.code);
  };
  const patience: Patience = { timeout_ms, waitFirst: true };
  let last = first;
  let outage: Error | null = null;
  let isAsked = false;
  stand(context, first);
  yield first;
  if (first.status === 'request') await say(notInitiated(context, first));
  for await (const seen of repeatedly(() => lookAt(context, first), waitsFor(context, first), patience)) {
    outage = seen instanceof Error ? seen : null;
    if (seen instanceof Error) {
      await say(outOfReach(seen));
      continue;
    }
    if (!isAsked && seen.updated_at === last.updated_at && seen.status !== 'request') {
      isAsked = true;
      if (seen.test_mode && (await clockOf(context))?.mode === 'manual') await say(clockStandsStill(context));
    }
    last = seen;
    stand(context, seen);
    yield seen;
  }
  if (outage !== null) throw outage;
}

/** The delivery, or the error where the service is away: what may pass is no reason to give up. */
async function lookAt(context: Context, { id }: Delivery): Promise<Delivery | Error> {
  const client = await context.client();
  try {
    return (await client.deliveries.get({ params: { deliveryid: id } })).data;
  } catch (error) {
    if (error instanceof Unreachable) return error;
    if (error instanceof ApiError && awayStatuses.has(error.status)) return error;
    throw error;
  }
}

/** What stands in front of a service says so while it is away. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

function stand(context: Context, { id, status }: Delivery): void {
  context.standing(`${id} is ${status}. See it with: ${commandLine(['deliveries', 'get', id])}`);
}

/** Between two looks: as long as it is asked, but on the embedded service no longer than until something is due. */
function waitsFor(context: Context, { test_mode }: Delivery): Pick<Context, 'now' | 'sleep'> {
  if (!test_mode || context.settings.target.kind !== 'embedded') return context;
  const sleep = async (milliseconds: number) =>
    context.sleep(Math.min(milliseconds, untilDue(await clockOf(context))));
  return { now: () => context.now(), sleep };
}

/** What is overdue may be in the hands of another process: it is not looked at without a pause. */
const shortestWait_ms = 250;

/** Milliseconds of real time. */
function untilDue(clock: ClockRecord | null): number {
  if (clock === null || clock.next_due_at === null || clock.rate === 0) return Number.POSITIVE_INFINITY;
  const span = Date.parse(clock.next_due_at) - Date.parse(clock.now);
  return Math.max(shortestWait_ms, Math.ceil(span / clock.rate));
}

/** Null where nobody may look at it, as on a hosted service. */
async function clockOf(context: Context): Promise<ClockRecord | null> {
  const client = await context.client();
  return client.clock.get().then(
    ({ data }) => data,
    () => null,
  );
}
