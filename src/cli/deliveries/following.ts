import type { Delivery } from '../../contract/deliveries.ts';
import type { Context } from '../context.ts';
import { type Patience, repeatedly } from '../exchange/waiting.ts';
import { commandLine } from '../line/command-line.ts';

/**
 * A delivery as each look finds it, until the caller stops or the time has run out. Where nothing moves because the
 * clock of a sandbox stands still, that is said once.
 */
export async function* looksAt(
  context: Context,
  first: Delivery,
  timeout_ms: number | undefined,
): AsyncGenerator<Delivery> {
  const client = await context.client();
  const params = { deliveryid: first.id };
  // Without a time-out it goes on for as long as it takes.
  const patience: Patience = { timeout_ms: timeout_ms ?? Number.POSITIVE_INFINITY, waitFirst: true };
  const look = async () => (await client.deliveries.get({ params })).data;
  let last = first;
  let isHinted = false;
  stand(context, first);
  yield first;
  for await (const delivery of repeatedly(look, context, patience)) {
    if (!isHinted && delivery.updated_at === last.updated_at) {
      isHinted = true;
      await hintAtClock(context, delivery);
    }
    last = delivery;
    stand(context, delivery);
    yield delivery;
  }
}

function stand(context: Context, { id, status }: Delivery): void {
  context.standing(`${id} is ${status}. See it with: ${commandLine(['deliveries', 'get', id])}`);
}

/** On a clock that stands still nothing happens by waiting. Whoever may not ask for the clock is told nothing. */
async function hintAtClock(context: Context, { test_mode }: Delivery): Promise<void> {
  if (!test_mode) return;
  const client = await context.client();
  const mode = await client.clock.get().then(
    ({ data }) => data.mode,
    () => null,
  );
  if (mode !== 'manual') return;
  const command = context.inPlace('waybill sandbox advance --next');
  const message = `The clock of this sandbox stands still. In another terminal: ${command}`;
  const json = { type: 'hint', code: 'clock_stands_still', message, next: [{ command }] };
  context.note(context.output.json ? JSON.stringify(json) : message);
}
