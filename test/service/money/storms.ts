import { everyOperation } from '../../../src/contract/openapi.ts';
import type { Operation, WireResponse } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import { reportableStatuses, tapKinds } from '../../../src/contract/vocabulary.ts';
import type { ReportedCosts } from '../../../src/domain/charges.ts';
import { auto } from '../auto-dispatch/batches.ts';
import { reportOf } from '../couriers/scripted-courier.ts';
import { orderRequest } from '../fixture.ts';
import { type Parts, requestOf } from '../isolation/requests.ts';
import type { Target, TargetKind, World } from './world.ts';

type Verbs = { [Noun in keyof Operations]: Operations[Noun][keyof Operations[Noun]] };
type AnyOperation = Verbs[keyof Operations];
/** The operations that may change something. */
export type WriteId = Exclude<AnyOperation, { method: 'GET' }>['id'];

/** Sends a request about a target; the number makes it differ from others. */
type Send = (world: World, target: Target, number: number) => Promise<Pick<WireResponse, 'status' | 'body'>>;

interface Storm {
  /** The states in which the request has an effect. */
  on: readonly TargetKind[];
  send: Send;
}

const active = ['connected', 'simulated', 'fleet', 'batch'] as const;
const every = [...active, 'quoted', 'stored', 'delivered', 'disputed', 'failed', 'unsettled'] as const;

/** The requests of an operation at once, by two processes. */
function asked(id: WriteId, partsOf: (...given: Parameters<Send>) => Parts | Promise<Parts>): Send {
  return async (world, target, number) => {
    const operation = operationOf(id);
    const { headers = {}, ...parts } = await partsOf(world, target, number);
    const { fetch } = world.services[number % 2 === 0 ? 0 : 1];
    const key = operation.permission === null ? {} : { 'x-api-key': world.courier.fixture.keys.test };
    const sent = { ...key, 'content-type': 'application/json', ...headers };
    return fetch({ ...requestOf(operation, parts), headers: sent });
  };
}

function operationOf(id: string): Operation {
  const found = everyOperation.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

/** The same request about the latest delivery of the target. */
function askedOfDelivery(id: WriteId, bodyOf: (number: number) => object): Send {
  return asked(id, async ({ deliveryOf }, target, number) => ({
    params: { deliveryid: await deliveryOf(target) },
    body: bodyOf(number),
  }));
}

const retried: Send = async (world, target, number) => {
  const { data } = await world.courier.fixture.client().failedTasks.list();
  const params = { failed_task_id: data.data[number % Math.max(1, data.data.length)]?.id ?? 'ftk_none' };
  return asked('RetryFailedTask', () => ({ params }))(world, target, number);
};

const tapped = asked('SendTaps', async ({ courier, deliveryOf }, target, number) => {
  const { phone } = target;
  const at = new Date(courier.fixture.now()).toISOString();
  const offer_id = (await phone.offer()) ?? undefined;
  const delivery_ids = [await deliveryOf(target)];
  // One phone sends a tap again where it got no answer.
  const kind = tapKinds[number % tapKinds.length] ?? 'duty';
  const tap = { id: `${target.order_id} ${number % 20}`, kind, at, on: true, offer_id, delivery_ids };
  return { params: { token: phone.token }, body: { sent_at: at, taps: [tap] } };
});

const reported = ['enroute_pickup', 'pickup_complete', 'delivered', 'enroute_to_return', 'returned'] as const;
const reportedEnds = [...reported, 'failed', 'provider_canceled'] as const;

/** What the courier charges, which it changes with each report. */
function costsOf(number: number, at: number): ReportedCosts {
  const kinds = ['price', 'canceled_price', 'cancellation', 'return'] as const;
  const refunds = number % 5 === 0 ? [{ id: `${number % 2}`, amount: 10 + number }] : [];
  return { at, [kinds[number % kinds.length] ?? 'price']: 600 + number, refunds };
}

/** The connected courier's own requests, which are no operation of the contract. */
const pushed: Send = async ({ courier, now }, _, number) => {
  const key = courier.creates[courier.creates.length - 1 - (number % 3)]?.key ?? null;
  const status = reportedEnds[number % reportedEnds.length] ?? 'delivered';
  const occurred_at = (await now()) + (number % 7);
  const costs = costsOf(number, occurred_at);
  return courier.push([reportOf(key, status, { id: `${status} ${number % 20}`, occurred_at, costs })]);
};

/** The operations that write, but never a charge, which is tested. */
export const withoutMoney = [
  ...(['DisputeDelivery', 'AssignDelivery', 'UnlockDelivery', 'DeleteDriver', 'DismissFailedTask'] as const),
  ...(['UpdateAccount', 'CreateApiKey', 'RevokeApiKey', 'CreateManyOrders', 'FindPlaces'] as const),
  ...(['CreateOrder', 'UpdateOrder', 'DeleteOrder'] as const),
  ...(['CreateRoute', 'DeleteRoute', 'GetRouteQuotes', 'QuoteDelivery', 'CreateDeliveryNote'] as const),
  ...(['ResendEvent', 'CreateWebhookEndpoint', 'UpdateWebhookEndpoint', 'DeleteWebhookEndpoint'] as const),
  ...(['RotateWebhookSecret', 'TestWebhookEndpoint', 'CreateStore', 'UpdateStore', 'DeleteStore'] as const),
  ...(['ConnectCourier', 'CheckCourier', 'EnableCourier', 'DisableCourier', 'RemoveCourier'] as const),
  ...(['CreateDriver', 'UpdateDriver', 'SubscribeDriver', 'RenewDriverLink', 'SetClock'] as const),
  ...(['UpdateSandboxSettings', 'UpdateSandboxProvider', 'ResetSandbox', 'UpdateTracking'] as const),
] satisfies readonly WriteId[];

/** How each other one may change charges. An operation that is added to the contract must be added to one of both. */
const storms: Readonly<Record<Exclude<WriteId, (typeof withoutMoney)[number]>, Storm>> = {
  CreateOrders: {
    on: ['quoted'],
    send: asked('CreateOrders', (_, { order_id }, number) => ({
      body: { orders: [orderRequest({ tip: 100 })], settings: auto() },
      headers: { 'idempotency-key': `${order_id} ${number % 5}` },
    })),
  },
  CancelOrder: {
    on: every,
    send: asked('CancelOrder', (_, { order_id }) => ({ params: { order_id } })),
  },
  CancelBatch: {
    on: ['batch'],
    send: asked('CancelBatch', (_, { batch_id }) => ({ params: { batch_id } })),
  },
  DispatchRoute: {
    on: ['quoted'],
    send: asked('DispatchRoute', (_, { route_id, quote_ids }, number) => ({
      params: { route_id },
      body: { quote_id: quote_ids[number % Math.max(1, quote_ids.length)] ?? 'rq_none', tip: 10 * number },
    })),
  },
  CreateDeliveryInformation: {
    on: ['stored'],
    send: asked('CreateDeliveryInformation', (_, { order_id }, number) => ({
      body: { ...orderRequest({ tip: 100 }), initiate: true },
      headers: { 'idempotency-key': `${order_id} ${number % 5}` },
    })),
  },
  InitiateDelivery: { on: ['stored'], send: askedOfDelivery('InitiateDelivery', () => ({})) },
  EditDelivery: {
    on: [...active, 'stored'],
    send: askedOfDelivery('EditDelivery', (number) => ({
      tip: 200 + (number < 10 ? number : (number * 7) % 30) * 10,
      ...(number % 3 === 0 && { dropoff_notes: `Ring ${number}` }),
    })),
  },
  CancelDelivery: {
    on: [...active, 'stored'],
    send: askedOfDelivery('CancelDelivery', (number) => ({
      reason: `${number}`,
      ...(number % 3 === 0 && { operator: true }),
    })),
  },
  RetryDelivery: { on: ['failed'], send: askedOfDelivery('RetryDelivery', () => ({})) },
  ResolveDispute: {
    on: ['disputed'],
    send: askedOfDelivery('ResolveDispute', (number) =>
      number % 5 === 0 ? { outcome: 'rejected' } : { outcome: 'refunded', amount: 50 + number },
    ),
  },
  SendTaps: { on: ['fleet'], send: tapped },
  AdvanceClock: {
    on: ['simulated', 'batch'],
    send: asked('AdvanceClock', (_, __, number) => ({ body: { by: 10 + ((number * 7) % 50) * 10 } })),
  },
  TakeStep: {
    on: ['simulated', 'batch'],
    send: asked('TakeStep', async ({ deliveryOf }, target, number) => ({
      params: { delivery_id: await deliveryOf(target) },
      body: { status: reportedEnds[number % reportedEnds.length] },
    })),
  },
  ReportDelivery: {
    on: ['fleet'],
    send: askedOfDelivery('ReportDelivery', (number) => ({
      status: reportableStatuses[number % reportableStatuses.length],
      note: `${number}`,
    })),
  },
  RetryFailedTask: { on: ['unsettled'], send: retried },
};

/** Everything that changes charges, by name. */
export const moneyStorms: readonly (Storm & { name: string })[] = [
  ...Object.entries(storms).map(([name, storm]) => ({ name, ...storm })),
  { name: 'a push of the connected courier', on: ['connected'], send: pushed },
];
