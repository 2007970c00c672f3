/** Which handler serves each operation and each kind of background task. */
import { operations } from '../contract/operations.ts';
import {
  pageOfDeliveries,
  pageOfDetailedDeliveries,
  readDelivery,
  readDetailedDelivery,
} from './deliveries/delivery-handlers.ts';
import { createEndpoints } from './http/handler.ts';
import type { TaskHandler } from './runtime/context.ts';
import type { TaskKindName } from './runtime/task-kinds.ts';

/** Finds whose a link is. The body of an operation without a key is read after that. */
const owners = {
  SendTaps: () => import('./driver-page/page-handlers.ts').then((m) => m.driverOfLink),
  SubscribeDriver: () => import('./driver-page/page-handlers.ts').then((m) => m.driverOfLink),
  UpdateTracking: () => import('./tracking-page/tracking-handler.ts').then((m) => m.ownerOfTrackingLink),
};

/**
 * Finds the handler of an operation. Handlers are loaded on first use, except those of the most frequent reads. The contract
 * has the names of operations, such as `createStore`; the usual handlers are therefore called `add`, `read`, `pageOf`,
 * `change` and `drop` with their noun, the others by what they do.
 */
export const endpointAt = createEndpoints(operations, owners, {
  account: {
    get: () => import('./accounts/account-handlers.ts').then((m) => m.readAccount),
    update: () => import('./accounts/account-handlers.ts').then((m) => m.changeAccount),
  },
  keys: {
    create: () => import('./accounts/account-handlers.ts').then((m) => m.addKey),
    list: () => import('./accounts/account-handlers.ts').then((m) => m.pageOfKeys),
    revoke: () => import('./accounts/account-handlers.ts').then((m) => m.endKey),
  },
  audit: {
    list: () => import('./audit/audit-handlers.ts').then((m) => m.pageOfAuditEntries),
  },
  orders: {
    create: () => import('./auto-dispatch/create-orders.ts').then((m) => m.addOrders),
    createOne: () => import('./auto-dispatch/create-orders.ts').then((m) => m.addOneOrder),
    createMany: () => import('./orders/order-handlers.ts').then((m) => m.addManyOrders),
    list: () => import('./orders/order-handlers.ts').then((m) => m.pageOfOrders),
    get: () => import('./deliveries/delivery-handlers.ts').then((m) => m.readOneOrder),
    update: () => import('./auto-dispatch/reschedule.ts').then((m) => m.rescheduleOrder),
    cancel: () => import('./auto-dispatch/cancel.ts').then((m) => m.closeOrder),
    delete: () => import('./auto-dispatch/cancel.ts').then((m) => m.dropOrder),
  },
  batches: {
    list: () => import('./batches/batch-handlers.ts').then((m) => m.pageOfBatches),
    get: () => import('./batches/batch-handlers.ts').then((m) => m.readBatch),
    cancel: () => import('./auto-dispatch/cancel.ts').then((m) => m.cancelPendingOrders),
  },
  tries: {
    list: () => import('./auto-dispatch/attempts.ts').then((m) => m.pageOfAttempts),
  },
  places: { find: () => import('./places/find-places.ts').then((m) => m.findAddresses) },
  waitingOrders: {
    list: () => import('./batches/batch-handlers.ts').then((m) => m.pageOfWaitingOrders),
  },
  routes: {
    create: () => import('./routes/route-handlers.ts').then((m) => m.addRoute),
    list: () => import('./routes/route-handlers.ts').then((m) => m.pageOfRoutes),
    get: () => import('./routes/route-handlers.ts').then((m) => m.readRoute),
    delete: () => import('./routes/route-handlers.ts').then((m) => m.dropRoute),
  },
  quotes: {
    request: () => import('./quotes/quote-handlers.ts').then((m) => m.requestRouteQuotes),
    list: () => import('./quotes/quote-handlers.ts').then((m) => m.readQuotes),
  },
  dispatches: {
    create: () => import('./dispatch/dispatch-handlers.ts').then((m) => m.dispatchDraft),
  },
  deliveries: {
    quote: () => import('./deliveries/quote-delivery.ts').then((m) => m.quoteOneDelivery),
    create: () => import('./dispatch/create-delivery.ts').then((m) => m.addDelivery),
    list: async () => pageOfDeliveries,
    get: async () => readDelivery,
    listDetailed: async () => pageOfDetailedDeliveries,
    getDetailed: async () => readDetailedDelivery,
    initiate: () => import('./dispatch/create-delivery.ts').then((m) => m.startDelivery),
    edit: () => import('./dispatch/edit-delivery.ts').then((m) => m.changeDelivery),
    cancel: () => import('./dispatch/cancel-delivery.ts').then((m) => m.cancelOnRequest),
    cancellation: () => import('./dispatch/cancel-delivery.ts').then((m) => m.readCancellation),
    retryTerms: () => import('./dispatch/retry-delivery.ts').then((m) => m.readRetryTerms),
    retry: () => import('./dispatch/retry-delivery.ts').then((m) => m.retryDeliveryHandler),
    dispute: () => import('./deliveries/disputes.ts').then((m) => m.raiseDispute),
    note: () => import('./deliveries/delivery-handlers.ts').then((m) => m.addDeliveryNote),
    notes: () => import('./deliveries/delivery-handlers.ts').then((m) => m.pageOfDeliveryNotes),
    unlock: () => import('./fleet/driver-handlers.ts').then((m) => m.unlockHandover),
    report: () => import('./fleet/driver-handlers.ts').then((m) => m.reportForDriver),
  },
  disputes: {
    list: () => import('./deliveries/disputes.ts').then((m) => m.pageOfDisputes),
    get: () => import('./deliveries/disputes.ts').then((m) => m.readDispute),
    resolve: () => import('./deliveries/disputes.ts').then((m) => m.closeDispute),
  },
  reports: {
    get: () => import('./deliveries/shop-report.ts').then((m) => m.readReport),
  },
  notes: {
    list: () => import('./deliveries/delivery-handlers.ts').then((m) => m.pageOfNotes),
  },
  charges: {
    list: () => import('./charges/charge-handlers.ts').then((m) => m.pageOfCharges),
  },
  events: {
    list: () => import('./events/event-log.ts').then((m) => m.pageOfEvents),
    stream: () => import('./events/event-stream.ts').then((m) => m.followEvents),
    get: () => import('./events/event-log.ts').then((m) => m.readEvent),
    resend: () => import('./webhooks/endpoints/attempt-handlers.ts').then((m) => m.resendEventHandler),
  },
  webhooks: {
    create: () => import('./webhooks/endpoints/endpoint-handlers.ts').then((m) => m.addWebhookEndpoint),
    list: () => import('./webhooks/endpoints/endpoint-handlers.ts').then((m) => m.pageOfWebhookEndpoints),
    get: () => import('./webhooks/endpoints/endpoint-handlers.ts').then((m) => m.readWebhookEndpoint),
    update: () => import('./webhooks/endpoints/endpoint-handlers.ts').then((m) => m.changeWebhookEndpoint),
    delete: () => import('./webhooks/endpoints/endpoint-handlers.ts').then((m) => m.dropWebhookEndpoint),
    rotate: () => import('./webhooks/endpoints/endpoint-handlers.ts').then((m) => m.rotateWebhookSecret),
    test: () => import('./webhooks/endpoints/attempt-handlers.ts').then((m) => m.testWebhookEndpoint),
    attempts: () => import('./webhooks/endpoints/attempt-handlers.ts').then((m) => m.pageOfWebhookAttempts),
  },
  stores: {
    create: () => import('./stores/store-handlers.ts').then((m) => m.addStore),
    list: () => import('./stores/store-handlers.ts').then((m) => m.pageOfStores),
    get: () => import('./stores/store-handlers.ts').then((m) => m.readStore),
    update: () => import('./stores/store-handlers.ts').then((m) => m.changeStore),
    delete: () => import('./stores/store-handlers.ts').then((m) => m.dropStore),
  },
  couriers: {
    list: () => import('./couriers/courier-handlers.ts').then((m) => m.readCouriers),
    connect: () => import('./couriers/courier-handlers.ts').then((m) => m.connectOneCourier),
    check: () => import('./couriers/courier-handlers.ts').then((m) => m.checkOneCourier),
    enable: () => import('./couriers/courier-handlers.ts').then((m) => m.enableOneCourier),
    disable: () => import('./couriers/courier-handlers.ts').then((m) => m.disableOneCourier),
    remove: () => import('./couriers/courier-handlers.ts').then((m) => m.dropCourier),
  },
  drivers: {
    create: () => import('./fleet/driver-handlers.ts').then((m) => m.addDriver),
    list: () => import('./fleet/driver-handlers.ts').then((m) => m.pageOfDrivers),
    get: () => import('./fleet/driver-handlers.ts').then((m) => m.readDriver),
    update: () => import('./fleet/driver-handlers.ts').then((m) => m.editDriver),
    link: () => import('./fleet/driver-handlers.ts').then((m) => m.renewLink),
    delete: () => import('./fleet/driver-handlers.ts').then((m) => m.dropDriver),
    assign: () => import('./fleet/driver-handlers.ts').then((m) => m.assignToDriver),
  },
  driverPage: {
    show: () => import('./driver-page/page-handlers.ts').then((m) => m.driverPage),
    taps: () => import('./driver-page/page-handlers.ts').then((m) => m.receiveTaps),
    subscribe: () => import('./driver-page/page-handlers.ts').then((m) => m.subscribePhone),
    manifest: () => import('./driver-page/page-handlers.ts').then((m) => m.driverManifest),
    worker: () => import('./driver-page/page-handlers.ts').then((m) => m.driverWorker),
    picture: () => import('./driver-page/page-handlers.ts').then((m) => m.proofPicture),
  },
  board: {
    show: () => import('./board/page.ts').then((m) => m.board),
  },
  clock: {
    get: () => import('./sandbox/clock-handlers.ts').then((m) => m.readClock),
    set: () => import('./sandbox/clock-handlers.ts').then((m) => m.changeClock),
    advance: () => import('./sandbox/clock-handlers.ts').then((m) => m.advanceClockHandler),
  },
  sandbox: {
    scenarios: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.everyScenario),
    settings: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.readSandboxSettings),
    updateSettings: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.changeSandboxSettings),
    steps: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.readSteps),
    step: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.takeStep),
    provider: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.readProvider),
    updateProvider: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.changeProvider),
    reset: () => import('./sandbox/sandbox-handlers.ts').then((m) => m.resetSandbox),
  },
  failedTasks: {
    list: () => import('./failed-tasks/failed-task-handlers.ts').then((m) => m.pageOfFailedTasks),
    retry: () => import('./failed-tasks/failed-task-handlers.ts').then((m) => m.retryTask),
    dismiss: () => import('./failed-tasks/failed-task-handlers.ts').then((m) => m.dropFailedTask),
  },
  tracking: {
    show: () => import('./tracking-page/tracking-handler.ts').then((m) => m.trackingPage),
    update: () => import('./tracking-page/tracking-handler.ts').then((m) => m.editNotes),
    mapScript: () => import('./pages/leaflet.ts').then((m) => m.mapScript),
    mapStyle: () => import('./pages/leaflet.ts').then((m) => m.mapStyle),
  },
  service: {
    description: () => import('./http/health-handler.ts').then((m) => m.describe),
    live: () => import('./http/health-handler.ts').then((m) => m.live),
    health: () => import('./http/health-handler.ts').then((m) => m.health),
  },
});

/** The handlers of background tasks; `runtime/task-kinds.ts` says what each kind is for. */
export const taskHandlers: { readonly [Kind in TaskKindName]: () => Promise<TaskHandler<Kind>> } = {
  'quote.ask': () => import('./quotes/request-provider-quote.ts').then((m) => m.providerQuoteTask),
  'dispatch.ask': () => import('./dispatch/execute-dispatch.ts').then((m) => m.dispatchTask),
  'dispatch.recall': () => import('./dispatch/cancel-delivery.ts').then((m) => m.cancelOrphanedTask),
  'courier.poll': () => import('./dispatch/pushes-and-polls.ts').then((m) => m.pollTask),
  'proof.copy': () => import('./dispatch/proof-copies.ts').then((m) => m.proofTask),
  'fleet.offer': () => import('./fleet/offers.ts').then((m) => m.offerTask),
  'fleet.check': () => import('./fleet/plan-estimates.ts').then((m) => m.checkTask),
  'driver.push': () => import('./fleet/driver-push.ts').then((m) => m.pushTask),
  'report.take': () => import('./deliveries/take-report.ts').then((m) => m.reportTask),
  'notice.send': () => import('./notices/send-notice.ts').then((m) => m.noticeTask),
  'location.tell': () => import('./deliveries/publish-locations.ts').then((m) => m.locationTask),
  'place.find': () => import('./orders/order-places.ts').then((m) => m.placeTask),
  'order.try': () => import('./auto-dispatch/attempts.ts').then((m) => m.attemptTask),
  'order.choose': () => import('./auto-dispatch/quote-selection.ts').then((m) => m.quoteSelectionTask),
  'batch.close': () => import('./batches/batch-handlers.ts').then((m) => m.batchCompletionTask),
};

/** Loads the handler of a kind of background task; null for a kind that this version does not support. */
export async function loadTaskHandler(kind: string): Promise<TaskHandler | null> {
  const handlers: Readonly<Record<string, () => Promise<TaskHandler>>> = taskHandlers;
  return (await handlers[kind]?.()) ?? null;
}
