import type { Batch } from '../../../contract/batches.ts';
import type { Order } from '../../../contract/orders.ts';
import { reportOf, stepsForOrder } from '../../errors/error-report.ts';
import { stepsText } from '../../errors/service-errors.ts';
import { Failure } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/command.ts';

/** The batch that is dispatching an order now; null if there is none. */
export async function holdOf(
  context: Pick<Context, 'client'>,
  { id, batch_id }: Pick<Order, 'id' | 'batch_id'>,
): Promise<Batch | null> {
  if (batch_id === null) return null;
  const client = await context.client();
  const { data: batch } = await client.batches.get({ params: { batch_id } });
  const isPending = batch.orders.some(({ order_id, status }) => order_id === id && status === 'pending');
  return isPending ? batch : null;
}

/** Error codes that ask for new quotes, which the service refuses during auto dispatch. */
const askingFirst: readonly string[] = ['quotes_not_ready', 'no_quotes', 'quote_expired'];

/**
 * Replaces an error about the quotes of a route if auto dispatch is working on its order. Returns any other error
 * unchanged, also if this cannot be checked.
 */
export async function heldOr(
  error: unknown,
  context: Pick<Context, 'client'>,
  route_id: string,
): Promise<unknown> {
  if (!askingFirst.includes(reportOf(error).code)) return error;
  try {
    return (await heldFailure(context, route_id)) ?? error;
  } catch {
    return error;
  }
}

async function heldFailure(context: Pick<Context, 'client'>, route_id: string): Promise<Failure | null> {
  const client = await context.client();
  const { data: route } = await client.routes.get({ params: { route_id } });
  const [order_id = ''] = route.order_ids;
  const { data: order } = await client.orders.get({ params: { order_id } });
  const batch = await holdOf(context, order);
  if (batch === null) return null;
  // The same message as the service's.
  const message = `Order ${order.id} is being dispatched by batch ${batch.batch_id}; cancel it there first.`;
  const next = stepsForOrder([order.id, batch.batch_id]);
  return new Failure(6, 'order_not_open', message, { hint: stepsText(next), next });
}
