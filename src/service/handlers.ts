import type { OperationPlace } from '../contract/operation-places.ts';
import { type Operations, operations } from '../contract/operations.ts';
import { pageOfDeliveries, readDelivery } from './deliveries/delivery-handlers.ts';
import { eventEndpoints } from './event-endpoints.ts';
import { failedTaskEndpoints } from './failed-task-endpoints.ts';
import { type Endpoint, endpoint, lazily } from './http/handler.ts';

/** Makes the endpoints of each noun, and each operation, of the contract: without its handler an operation does not compile. */
type Endpoints = { [Noun in keyof Operations]: () => { [Verb in keyof Operations[Noun]]: () => Endpoint } };

const endpoints: Endpoints = {
  account: () => ({
    get: () =>
      endpoint(
        operations.account.get,
        lazily(async () => (await import('./accounts/account-handlers.ts')).readAccount),
      ),
    update: () =>
      endpoint(
        operations.account.update,
        lazily(async () => (await import('./accounts/account-handlers.ts')).changeAccount),
      ),
  }),
  keys: () => ({
    create: () =>
      endpoint(
        operations.keys.create,
        lazily(async () => (await import('./accounts/key-handlers.ts')).addKey),
      ),
    list: () =>
      endpoint(
        operations.keys.list,
        lazily(async () => (await import('./accounts/key-handlers.ts')).pageOfKeys),
      ),
    revoke: () =>
      endpoint(
        operations.keys.revoke,
        lazily(async () => (await import('./accounts/key-handlers.ts')).endKey),
      ),
  }),
  orders: () => ({
    create: () =>
      endpoint(
        operations.orders.create,
        lazily(async () => (await import('./orders/order-handlers.ts')).addOrders),
      ),
    list: () =>
      endpoint(
        operations.orders.list,
        lazily(async () => (await import('./orders/order-handlers.ts')).pageOfOrders),
      ),
    get: () =>
      endpoint(
        operations.orders.get,
        lazily(async () => (await import('./orders/order-handlers.ts')).readOneOrder),
      ),
    cancel: () =>
      endpoint(
        operations.orders.cancel,
        lazily(async () => (await import('./orders/cancel-order.ts')).closeOrder),
      ),
  }),
  batches: () => ({
    list: () =>
      endpoint(
        operations.batches.list,
        lazily(async () => (await import('./auto-dispatch/batch-handlers.ts')).pageOfBatches),
      ),
    get: () =>
      endpoint(
        operations.batches.get,
        lazily(async () => (await import('./auto-dispatch/batch-handlers.ts')).readBatch),
      ),
    cancel: () =>
      endpoint(
        operations.batches.cancel,
        lazily(async () => (await import('./auto-dispatch/cancel-batch.ts')).closeBatch),
      ),
  }),
  tries: () => ({
    list: () =>
      endpoint(
        operations.tries.list,
        lazily(async () => (await import('./auto-dispatch/attempt-handlers.ts')).pageOfTries),
      ),
  }),
  routes: () => ({
    create: () =>
      endpoint(
        operations.routes.create,
        lazily(async () => (await import('./routes/route-handlers.ts')).addRoute),
      ),
    list: () =>
      endpoint(
        operations.routes.list,
        lazily(async () => (await import('./routes/route-handlers.ts')).pageOfRoutes),
      ),
    get: () =>
      endpoint(
        operations.routes.get,
        lazily(async () => (await import('./routes/route-handlers.ts')).readRoute),
      ),
    delete: () =>
      endpoint(
        operations.routes.delete,
        lazily(async () => (await import('./routes/route-handlers.ts')).dropRoute),
      ),
  }),
  quotes: () => ({
    request: () =>
      endpoint(
        operations.quotes.request,
        lazily(async () => (await import('./quotes/request-quotes.ts')).askForQuotes),
      ),
    list: () =>
      endpoint(
        operations.quotes.list,
        lazily(async () => (await import('./quotes/quote-handlers.ts')).readQuotes),
      ),
  }),
  dispatches: () => ({
    create: () =>
      endpoint(
        operations.dispatches.create,
        lazily(async () => (await import('./dispatch/dispatch-handlers.ts')).dispatchRoute),
      ),
  }),
  deliveries: () => ({
    quote: () =>
      endpoint(
        operations.deliveries.quote,
        lazily(async () => (await import('./deliveries/delivery-quote-handler.ts')).quoteOneDelivery),
      ),
    create: () =>
      endpoint(
        operations.deliveries.create,
        lazily(async () => (await import('./deliveries/create-delivery.ts')).addDelivery),
      ),
    list: () => endpoint(operations.deliveries.list, pageOfDeliveries),
    get: () => endpoint(operations.deliveries.get, readDelivery),
    initiate: () =>
      endpoint(
        operations.deliveries.initiate,
        lazily(async () => (await import('./deliveries/initiate-delivery.ts')).startDelivery),
      ),
    edit: () =>
      endpoint(
        operations.deliveries.edit,
        lazily(async () => (await import('./deliveries/edit-delivery.ts')).changeDelivery),
      ),
    cancel: () =>
      endpoint(
        operations.deliveries.cancel,
        lazily(async () => (await import('./deliveries/cancel-delivery.ts')).endDelivery),
      ),
    cancellation: () =>
      endpoint(
        operations.deliveries.cancellation,
        lazily(async () => (await import('./deliveries/cancel-delivery.ts')).readCancellation),
      ),
    retry: () =>
      endpoint(
        operations.deliveries.retry,
        lazily(async () => (await import('./deliveries/retry-delivery.ts')).tryAgain),
      ),
    dispute: () =>
      endpoint(
        operations.deliveries.dispute,
        lazily(async () => (await import('./deliveries/dispute-delivery.ts')).raiseDispute),
      ),
  }),
  charges: () => ({
    list: () =>
      endpoint(
        operations.charges.list,
        lazily(async () => (await import('./charges/charge-handlers.ts')).pageOfCharges),
      ),
  }),
  ...eventEndpoints,
  stores: () => ({
    create: () =>
      endpoint(
        operations.stores.create,
        lazily(async () => (await import('./stores/store-handlers.ts')).addStore),
      ),
    list: () =>
      endpoint(
        operations.stores.list,
        lazily(async () => (await import('./stores/store-handlers.ts')).pageOfStores),
      ),
    get: () =>
      endpoint(
        operations.stores.get,
        lazily(async () => (await import('./stores/store-handlers.ts')).readStore),
      ),
    update: () =>
      endpoint(
        operations.stores.update,
        lazily(async () => (await import('./stores/store-handlers.ts')).changeStore),
      ),
    delete: () =>
      endpoint(
        operations.stores.delete,
        lazily(async () => (await import('./stores/store-handlers.ts')).dropStore),
      ),
  }),
  clock: () => ({
    get: () =>
      endpoint(
        operations.clock.get,
        lazily(async () => (await import('./sandbox/clock-handlers.ts')).readClock),
      ),
    set: () =>
      endpoint(
        operations.clock.set,
        lazily(async () => (await import('./sandbox/clock-handlers.ts')).changeClock),
      ),
    advance: () =>
      endpoint(
        operations.clock.advance,
        lazily(async () => (await import('./sandbox/clock-handlers.ts')).moveClock),
      ),
  }),
  sandbox: () => ({
    scenarios: () =>
      endpoint(
        operations.sandbox.scenarios,
        lazily(async () => (await import('./sandbox/sandbox-handlers.ts')).everyScenario),
      ),
    settings: () =>
      endpoint(
        operations.sandbox.settings,
        lazily(async () => (await import('./sandbox/sandbox-handlers.ts')).readSandboxSettings),
      ),
    updateSettings: () =>
      endpoint(
        operations.sandbox.updateSettings,
        lazily(async () => (await import('./sandbox/sandbox-handlers.ts')).changeSandboxSettings),
      ),
    steps: () =>
      endpoint(
        operations.sandbox.steps,
        lazily(async () => (await import('./sandbox/step-handlers.ts')).readSteps),
      ),
    step: () =>
      endpoint(
        operations.sandbox.step,
        lazily(async () => (await import('./sandbox/step-handlers.ts')).takeStep),
      ),
    provider: () =>
      endpoint(
        operations.sandbox.provider,
        lazily(async () => (await import('./sandbox/sandbox-handlers.ts')).readProvider),
      ),
    updateProvider: () =>
      endpoint(
        operations.sandbox.updateProvider,
        lazily(async () => (await import('./sandbox/sandbox-handlers.ts')).changeProvider),
      ),
    reset: () =>
      endpoint(
        operations.sandbox.reset,
        lazily(async () => (await import('./sandbox/reset-handler.ts')).resetSandbox),
      ),
  }),
  ...failedTaskEndpoints,
  tracking: () => ({
    show: () =>
      endpoint(
        operations.tracking.show,
        lazily(async () => (await import('./tracking-page/tracking-handler.ts')).trackingPage),
      ),
  }),
  service: () => ({
    description: () =>
      endpoint(
        operations.service.description,
        lazily(async () => (await import('./http/openapi-handler.ts')).describe),
      ),
    health: () =>
      endpoint(
        operations.service.health,
        lazily(async () => (await import('./http/health-handler.ts')).health),
      ),
  }),
};

const made: Readonly<Record<string, () => Readonly<Record<string, () => Endpoint>>>> = endpoints;

/** The endpoint of an operation, made when it is asked for: a look-up does not pay for all that can be done. */
export function endpointAt({ noun, verb }: OperationPlace): Endpoint {
  const make = made[noun]?.()[verb];
  if (make === undefined) throw new TypeError(`no operation ${noun}.${verb}`);
  return make();
}
