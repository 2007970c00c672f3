import type { ClockRecord } from '../../contract/clock.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Context } from '../context.ts';
import { type Patience, repeatedly } from '../exchange/waiting.ts';
import { commandLine } from '../line/command-line.ts';

/** How a delivery is followed. */
export interface Following {
  /** Without it, for as long as the caller looks. */
  timeout_ms: number | undefined;
  /** Says a line on stderr. */
  note(line: string): void | Promise<void>;
}

/**
 * A delivery as each look finds it, until the caller stops or the time has run out. On the embedded service a look
 * comes when something is due, as its clock may go fast. Where nothing moves because the clock of a sandbox stands
 * still, that is said once.
 */
export async function* looksAt(
  context: Context,
  first: Delivery,
  { timeout_ms = Number.POSITIVE_INFINITY, note }: Following,
): AsyncGenerator<Delivery> {
  const client = await context.client();
  const params = { deliveryid: first.id };
  const patience: Patience = { timeout_ms, waitFirst: true };
  const look = async () => (await client.deliveries.get({ params })).data;
  let last = first;
  let isHinted = false;
  stand(context, first);
  yield first;
  for await (const delivery of repeatedly(look, waitsFor(context, first), patience)) {
    if (!isHinted && delivery.updated_at === last.updated_at) {
      isHinted = true;
      const hint = delivery.test_mode ? await clockHint(context) : null;
      if (hint !== null) await note(hint);
    }
    last = delivery;
    stand(context, delivery);
    yield delivery;
  }
}

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

/** On a clock that stands still nothing happens by waiting: what to do about it. With JSON it is an object. */
async function clockHint(context: Context): Promise<string | null> {
  if ((await clockOf(context))?.mode !== 'manual') return null;
  const command = context.inPlace('waybill sandbox advance --next');
  const message = `The clock of this sandbox stands still. In another terminal: ${command}`;
  const json = { type: 'hint', code: 'clock_stands_still', message, next: [{ command }] };
  return context.output.json ? JSON.stringify(json) : message;
}
