import type { Batch, BatchOrder, Try } from '../../../../src/contract/batches.ts';
import type { Transport, WireRequest } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';

const ulid = (letter: string, number: number) => letter.repeat(24) + String(number).padStart(2, '0');
export const batchId = `bat_${ulid('B', 1)}`;
export const orderId = (number: number) => `ord_${ulid('A', number)}`;
export const deliveryId = (number: number) => `dlv_${ulid('D', number)}`;

/** An order of a batch: dispatched at its first attempt by default. */
export function batchOrder(number: number, parts: Partial<BatchOrder> = {}): BatchOrder {
  const isDispatched = (parts.status ?? 'dispatched') === 'dispatched';
  return {
    order_id: orderId(number),
    external_order_ref: `#${number}`,
    status: 'dispatched',
    attempts: 1,
    next_attempt_at: null,
    delivery_id: isDispatched ? deliveryId(number) : null,
    reason: '',
    ...parts,
  };
}

/** A batch of these orders; it is complete where none of them is pending. */
export function batchOf(orders: BatchOrder[], parts: Partial<Batch> = {}): Batch {
  const count = (status: BatchOrder['status']) => orders.filter((order) => order.status === status).length;
  const isComplete = count('pending') === 0;
  return {
    object: 'batch',
    batch_id: batchId,
    status: isComplete ? 'complete' : 'processing',
    order_count: orders.length,
    counts: {
      pending: count('pending'),
      dispatched: count('dispatched'),
      unfulfilled: count('unfulfilled'),
      failed: count('failed'),
      canceled: count('canceled'),
    },
    settings: {
      mechanism: 'auto',
      quote_preference: 'cheapest',
      providers: null,
      max_cost: 1250,
      retry_window: 1800,
      retry_interval: 300,
    },
    test_mode: true,
    created_at: '2029-12-31T23:40:00.000Z',
    updated_at: '2029-12-31T23:40:00.000Z',
    completed_at: isComplete ? '2029-12-31T23:50:00.000Z' : null,
    orders,
    ...parts,
  };
}

/** An attempt that selected speedycab of three. */
export const attempt: Try = {
  id: `try_${ulid('T', 2)}`,
  object: 'try',
  order_id: orderId(1),
  batch_id: batchId,
  number: 2,
  status: 'dispatched',
  route_id: `rte_${ulid('R', 2)}`,
  provider: 'speedycab',
  quote_id: `quo_${ulid('Q', 2)}`,
  delivery_id: deliveryId(1),
  reason: 'the cheapest of 2 quotes',
  left_out: [
    { provider: 'poolride', code: 'dearer', reason: '$9.10 is dearer than $7.49' },
    { provider: 'metrobike', code: 'too_far', reason: 'metrobike goes no further than 5 mi' },
  ],
  created_at: '2029-12-31T23:45:00.000Z',
  ended_at: '2029-12-31T23:45:09.000Z',
  repeats: 0,
  last_at: null,
};

/** A service's responses by path: in order, the last one repeatedly. */
export type Answers = Readonly<Record<string, readonly unknown[]>>;

/** A service whose responses change with each request; a path may start with its method. */
export function changing(answers: Answers, sent: WireRequest[] = []): Transport {
  const asked = new Map<string, number>();
  return async (request) => {
    sent.push(request);
    const path = request.path.split('?')[0] ?? '';
    const known = { '/v2/account': [account], ...answers };
    const name = [`${request.method} ${path}`, path].find((each) => each in known) ?? '';
    const list = Object.entries(known).find(([each]) => each === name)?.[1] ?? [{}];
    const index = asked.get(name) ?? 0;
    asked.set(name, index + 1);
    const body = JSON.stringify(list[Math.min(index, list.length - 1)]);
    const status = request.method === 'POST' && path === '/orders/create' ? 202 : 200;
    return { status, headers: { 'x-service-time': '2030-01-01T00:00:00.000Z' }, body };
  };
}
