import type { OrderRequest } from '../../contract/orders.ts';
import type { Context } from '../context.ts';
import { Failure, UsageError } from '../failures/failure.ts';
import { step } from '../flow/deliver.ts';
import { type Shipment, standingText } from '../flow/unfinished.ts';
import { invocation } from '../kit/output/invocation.ts';
import { phrase } from '../kit/output/message.ts';
import { requestsOf } from '../orders/order-input.ts';
import { createEach, type Sending } from '../orders/order-sending.ts';
import type { Sourced } from '../orders/order-sources.ts';

/** As many as one route takes (interface, routes). */
const mostOrders = 25;

/** Idempotency keys have up to 155 characters (interface, conventions); what is derived from one is so much longer. */
const longestKey = 155 - '/dispatch-0123456789'.length;

/** Exit 2 where the keys of the later steps would be too long: before anything is made. */
export function checkKey({ asked: { idempotencyKey } }: Pick<Context, 'asked'>): void {
  if (idempotencyKey === undefined || idempotencyKey.length <= longestKey) return;
  throw new UsageError(
    `--idempotency-key has ${idempotencyKey.length} characters; here it has at most ${longestKey}, as each step has a key derived from it.`,
  );
}

/** The orders of a route as requests; UsageError for what is incomplete, too many, or for another way to dispatch. */
export function requestsIn({ orders, settings, file }: Sourced): OrderRequest[] {
  const where = file ?? 'the order';
  const others = Object.entries(settings ?? {}).filter(
    ([name, value]) => name !== 'mechanism' || value !== 'manual',
  );
  if (others.length > 0) {
    throw new UsageError(
      `${where} has settings for auto dispatch: ${others.map(([name]) => name).join(', ')}.`,
      {
        hint: phrase`Here you choose the quote yourself; \`${invocation('orders create', ['--file', 'FILE'])}\` takes such a request.`,
      },
    );
  }
  if (orders.length > mostOrders) {
    throw new UsageError(
      `A route takes at most ${mostOrders} orders, and there are ${orders.length} in ${where}.`,
    );
  }
  return requestsOf(orders, where);
}

/** How orders are made, and dispatched later. */
interface Making {
  sending: Sending;
  dispatch: Shipment['dispatch'];
}

/** Makes the orders; where some were made and one was refused, those stay, and the error says so. */
export async function ordersOf(
  context: Context,
  requests: readonly OrderRequest[],
  { sending, dispatch }: Making,
): Promise<Shipment> {
  const key = context.idempotencyKey(requests.length === 1 ? undefined : '0');
  const orders = await createEach(context, requests, sending).catch((error: unknown) => {
    throw error instanceof Failure && error.exit === 10 ? partlyMade(error, key) : error;
  });
  const shipment = { order_ids: orders.map(({ id }) => id), route_id: null, key, dispatch };
  context.standing(standingText(shipment));
  step(context, `${orders.length === 1 ? 'Order' : 'Orders'} ${shipment.order_ids.join(', ')}.`);
  return shipment;
}

function partlyMade({ code, message, details }: Failure, key: string): Failure {
  return new Failure(10, code, message, {
    ...details,
    hint: `Correct it and repeat the line with --idempotency-key ${key}: nothing is made twice.`,
    next: [
      {
        ...invocation('orders list', [], { status: 'open' }),
        when: 'see those that were made; nothing is dispatched',
      },
    ],
  });
}
