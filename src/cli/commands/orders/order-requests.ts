import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import { assumedOrder } from '../../../client/lenient.ts';
import type { AcceptedBatch } from '../../../contract/batches.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';

type Service = Pick<Context, 'client'>;

/** Creates an order for manual dispatch. Sent again with the same key, it is created once. */
export async function createOrder(
  service: Service,
  request: OrderRequest,
  idempotencyKey: string,
  headers: Record<string, string> = {},
): Promise<Order> {
  const client = await service.client();
  const body = { orders: [request] };
  return orderIn((await client.orders.create({ body, headers, idempotencyKey })).data);
}

/** The order in the response to a manual dispatch. */
export function orderIn(answer: Order | AcceptedBatch): Order {
  if (answer.object === 'order') return answer;
  const { batch_id } = answer;
  throw new Failure(7, 'unexpected_answer', `The service accepted the order, but as batch ${batch_id}.`, {
    next: [{ ...invocation('batches get', [batch_id]), when: 'see what becomes of it' }],
  });
}

export async function getOrder(service: Service, order_id: string): Promise<Order> {
  const client = await service.client();
  return (await client.orders.get({ params: { order_id } })).data;
}

/** Gets the current order; null if it no longer exists. If the service cannot look orders up, it counts as open. */
export function fetchOrder(service: Service, order_id: string): Promise<Order | null> {
  return ifSupported(unlessMissing(getOrder(service, order_id)), assumedOrder(order_id));
}
