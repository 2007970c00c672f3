import { createKey, getAccount, listAuditEntries, listKeys, revokeKey, updateAccount } from './accounts.ts';
import { cancelBatch, getBatch, listBatches, listTries } from './batches.ts';
import { getDispute, listCharges, listDisputes, resolveDispute } from './charges.ts';
import {
  checkCourier,
  connectCourier,
  disableCourier,
  enableCourier,
  listCouriers,
  removeCourier,
} from './couriers.ts';
import {
  createDeliveryNote,
  getDelivery,
  getDetailedDelivery,
  listDeliveries,
  listDeliveryNotes,
  listDetailedDeliveries,
  listNotes,
} from './deliveries.ts';
import {
  cancelDelivery,
  createDelivery,
  disputeDelivery,
  editDelivery,
  getCancellation,
  getRetryTerms,
  initiateDelivery,
  quoteDelivery,
  reportDelivery,
  retryDelivery,
  unlockDelivery,
} from './delivery-changes.ts';
import {
  assignDelivery,
  changeDriver,
  createDriver,
  deleteDriver,
  getDriver,
  listDrivers,
  renewDriverLink,
} from './drivers.ts';
import { getEvent, listEvents, resendEvent, streamEvents } from './events.ts';
import { type OperationPlace, placesOf } from './operation.ts';
import {
  cancelOrder,
  createManyOrders,
  createOrders,
  getOrder,
  listOrders,
  listWaitingOrders,
} from './orders.ts';
import {
  sendTaps,
  showBoard,
  showDriverManifest,
  showDriverPage,
  showDriverWorker,
  showMapScript,
  showMapStyle,
  showProofPicture,
  showTracking,
  subscribeDriver,
  updateTracking,
} from './pages.ts';
import { createStore, deleteStore, findPlaces, getStore, listStores, updateStore } from './places.ts';
import { getReport } from './reports.ts';
import {
  createDispatch,
  createRoute,
  deleteRoute,
  getRoute,
  listQuotes,
  listRoutes,
  requestQuotes,
} from './routes.ts';
import {
  advanceClock,
  getClock,
  getProvider,
  getSandboxSettings,
  listScenarios,
  listSteps,
  resetSandbox,
  setClock,
  takeStep,
  updateProvider,
  updateSandboxSettings,
} from './sandbox.ts';
import {
  dismissFailedTask,
  getDescription,
  getHealth,
  getLiveness,
  listFailedTasks,
  retryFailedTask,
} from './service.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listAttempts,
  listEndpoints,
  rotateSecret,
  testEndpoint,
  updateEndpoint,
} from './webhook-endpoints.ts';

/** All operations by noun and verb: server, client and description derive from this table. */
export const operations = {
  account: { get: getAccount, update: updateAccount },
  keys: { create: createKey, list: listKeys, revoke: revokeKey },
  audit: { list: listAuditEntries },
  orders: {
    create: createOrders,
    createMany: createManyOrders,
    list: listOrders,
    get: getOrder,
    cancel: cancelOrder,
  },
  places: { find: findPlaces },
  batches: { list: listBatches, get: getBatch, cancel: cancelBatch },
  tries: { list: listTries },
  waitingOrders: { list: listWaitingOrders },
  routes: { create: createRoute, list: listRoutes, get: getRoute, delete: deleteRoute },
  quotes: { request: requestQuotes, list: listQuotes },
  dispatches: { create: createDispatch },
  deliveries: {
    quote: quoteDelivery,
    create: createDelivery,
    list: listDeliveries,
    get: getDelivery,
    listDetailed: listDetailedDeliveries,
    getDetailed: getDetailedDelivery,
    initiate: initiateDelivery,
    edit: editDelivery,
    cancel: cancelDelivery,
    cancellation: getCancellation,
    retryTerms: getRetryTerms,
    retry: retryDelivery,
    dispute: disputeDelivery,
    note: createDeliveryNote,
    notes: listDeliveryNotes,
    unlock: unlockDelivery,
    report: reportDelivery,
  },
  disputes: { list: listDisputes, get: getDispute, resolve: resolveDispute },
  charges: { list: listCharges },
  reports: { get: getReport },
  notes: { list: listNotes },
  events: { list: listEvents, stream: streamEvents, get: getEvent, resend: resendEvent },
  webhooks: {
    create: createEndpoint,
    list: listEndpoints,
    get: getEndpoint,
    update: updateEndpoint,
    delete: deleteEndpoint,
    rotate: rotateSecret,
    test: testEndpoint,
    attempts: listAttempts,
  },
  stores: { create: createStore, list: listStores, get: getStore, update: updateStore, delete: deleteStore },
  couriers: {
    list: listCouriers,
    connect: connectCourier,
    check: checkCourier,
    enable: enableCourier,
    disable: disableCourier,
    remove: removeCourier,
  },
  drivers: {
    create: createDriver,
    list: listDrivers,
    get: getDriver,
    update: changeDriver,
    link: renewDriverLink,
    delete: deleteDriver,
    assign: assignDelivery,
  },
  driverPage: {
    show: showDriverPage,
    taps: sendTaps,
    subscribe: subscribeDriver,
    manifest: showDriverManifest,
    worker: showDriverWorker,
    picture: showProofPicture,
  },
  board: { show: showBoard },
  clock: { get: getClock, set: setClock, advance: advanceClock },
  sandbox: {
    scenarios: listScenarios,
    settings: getSandboxSettings,
    updateSettings: updateSandboxSettings,
    steps: listSteps,
    step: takeStep,
    provider: getProvider,
    updateProvider,
    reset: resetSandbox,
  },
  failedTasks: { list: listFailedTasks, retry: retryFailedTask, dismiss: dismissFailedTask },
  tracking: { show: showTracking, update: updateTracking, mapScript: showMapScript, mapStyle: showMapStyle },
  service: { description: getDescription, live: getLiveness, health: getHealth },
} as const;

export type Operations = typeof operations;

export const operationPlaces: readonly OperationPlace[] = placesOf(operations);
