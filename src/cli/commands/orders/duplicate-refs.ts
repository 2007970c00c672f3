import { ifSupported } from '../../../client/errors.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { flag } from '../../kit/args/flags.ts';
import { readMoment } from '../../kit/args/time-arguments.ts';
import { Declined, Failure } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { timePhrase, timesInNotes } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/invocation.ts';
import type { Context } from '../../session/context.ts';
import { instantOf } from '../../session/service-instants.ts';
import { storeZone } from './store-zone.ts';

/** The flag that allows a second order with a reference of the last day. */
export const duplicateRefFlag = flag({
  summary: 'Allow a reference that another order of the last 24 hours has',
});

/** More orders are an import, whose references are not looked up one by one. */
const max_checked = 25;

/**
 * Asks before another order with the same reference is created within a day; without a terminal it is exit 6. A copy
 * made with --like is a repeat on purpose, and a run with an idempotency key may be the repeat of itself.
 */
export async function checkDuplicateRefs(
  context: Context,
  requests: readonly OrderRequest[],
  flags: { allowDuplicateRef: boolean; like: string | undefined },
): Promise<void> {
  const { dryRun, idempotencyKey } = context.globals;
  if (flags.allowDuplicateRef || flags.like !== undefined || dryRun || idempotencyKey !== undefined) return;
  const refs = [...new Set(requests.flatMap(({ external_order_ref: ref }) => ref || []))];
  if (refs.length > max_checked) return;
  for (const ref of refs) {
    const earlier = await recentOrder(context, ref);
    if (earlier !== null) await agreeToDuplicate(context, earlier);
  }
}

/** The newest order of the last day with this reference that was not canceled and did not fail. */
async function recentOrder(context: Context, external_order_ref: string): Promise<Order | null> {
  const client = await context.client();
  const created_after = await instantOf(context, readMoment('1d'), 'ago');
  const query = { external_order_ref, created_after, limit: 10 };
  const call = client.orders.list({ query }).then(({ data }) => data.data);
  const found = await ifSupported(call, []);
  const isActive = ({ status }: Order) => ['open', 'routed', 'dispatched'].includes(status);
  return found.find(isActive) ?? null;
}

async function agreeToDuplicate(context: Context, order: Order): Promise<void> {
  const { id, status, delivery_id, external_order_ref, dropoff_name, created_at } = order;
  const what = delivery_id === null ? `${id} (${status})` : `${id} (${status}, ${delivery_id})`;
  const times = timesInNotes(context.output) ?? 'relative';
  const created = timePhrase(created_at, { now: context.serviceNow(), times, zone: storeZone(order) });
  const message = `An order "${oneLine(external_order_ref)}" for ${oneLine(dropoff_name)} was created ${created}: ${what}.`;
  if (context.interactive && !context.globals.yes) {
    const prompts = await context.prompts();
    if (!(await prompts.confirm(`${message} Create another one?`))) throw new Declined();
    return;
  }
  const line =
    delivery_id === null ? invocation('orders get', [id]) : invocation('deliveries get', [delivery_id]);
  throw new Failure(6, 'duplicate_ref', message, {
    hint: 'Pass --allow-duplicate-ref to create another one. Nothing was created.',
    next: [{ ...line, when: 'see it' }],
  });
}
