import { type Operations, operations } from '../contract/operations.ts';
import { changeAccount, readAccount } from './accounts.ts';
import { endDelivery, readCancellation } from './cancellations.ts';
import { pageOfCharges } from './charges.ts';
import { changeClock, moveClock, readClock } from './clock.ts';
import { pageOfDeliveries, readDelivery } from './deliveries.ts';
import { addDelivery } from './delivery-creation.ts';
import { changeDelivery } from './delivery-edits.ts';
import { quoteOneDelivery } from './delivery-quotes.ts';
import { describe } from './description.ts';
import { dispatchRoute } from './dispatches.ts';
import { raiseDispute } from './disputes.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { health } from './health.ts';
import { startDelivery } from './initiation.ts';
import { askForQuotes } from './jobs.ts';
import { addKey, endKey, pageOfKeys } from './keys.ts';
import { addOrders, closeOrder, pageOfOrders, readOneOrder } from './orders.ts';
import { readQuotes } from './quotes.ts';
import { tryAgain } from './retries.ts';
import { addRoute, dropRoute, pageOfRoutes, readRoute } from './routes.ts';
import {
  changeProvider,
  changeSandboxSettings,
  everyScenario,
  readProvider,
  readSandboxSettings,
} from './sandbox.ts';
import { resetSandbox } from './sandbox-reset.ts';
import { readSteps, takeStep } from './steps.ts';
import { addStore, changeStore, dropStore, pageOfStores, readStore } from './stores.ts';
import { trackingPage } from './tracking.ts';

/** One endpoint for each operation of the contract: without its handler an operation does not compile. */
type Endpoints = { [Noun in keyof Operations]: { [Verb in keyof Operations[Noun]]: Endpoint } };

const endpoints: Endpoints = {
  account: {
    get: endpoint(operations.account.get, readAccount),
    update: endpoint(operations.account.update, changeAccount),
  },
  keys: {
    create: endpoint(operations.keys.create, addKey),
    list: endpoint(operations.keys.list, pageOfKeys),
    revoke: endpoint(operations.keys.revoke, endKey),
  },
  orders: {
    create: endpoint(operations.orders.create, addOrders),
    list: endpoint(operations.orders.list, pageOfOrders),
    get: endpoint(operations.orders.get, readOneOrder),
    cancel: endpoint(operations.orders.cancel, closeOrder),
  },
  routes: {
    create: endpoint(operations.routes.create, addRoute),
    list: endpoint(operations.routes.list, pageOfRoutes),
    get: endpoint(operations.routes.get, readRoute),
    delete: endpoint(operations.routes.delete, dropRoute),
  },
  quotes: {
    request: endpoint(operations.quotes.request, askForQuotes),
    list: endpoint(operations.quotes.list, readQuotes),
  },
  dispatches: { create: endpoint(operations.dispatches.create, dispatchRoute) },
  deliveries: {
    quote: endpoint(operations.deliveries.quote, quoteOneDelivery),
    create: endpoint(operations.deliveries.create, addDelivery),
    list: endpoint(operations.deliveries.list, pageOfDeliveries),
    get: endpoint(operations.deliveries.get, readDelivery),
    initiate: endpoint(operations.deliveries.initiate, startDelivery),
    edit: endpoint(operations.deliveries.edit, changeDelivery),
    cancel: endpoint(operations.deliveries.cancel, endDelivery),
    cancellation: endpoint(operations.deliveries.cancellation, readCancellation),
    retry: endpoint(operations.deliveries.retry, tryAgain),
    dispute: endpoint(operations.deliveries.dispute, raiseDispute),
  },
  charges: { list: endpoint(operations.charges.list, pageOfCharges) },
  stores: {
    create: endpoint(operations.stores.create, addStore),
    list: endpoint(operations.stores.list, pageOfStores),
    get: endpoint(operations.stores.get, readStore),
    update: endpoint(operations.stores.update, changeStore),
    delete: endpoint(operations.stores.delete, dropStore),
  },
  clock: {
    get: endpoint(operations.clock.get, readClock),
    set: endpoint(operations.clock.set, changeClock),
    advance: endpoint(operations.clock.advance, moveClock),
  },
  sandbox: {
    scenarios: endpoint(operations.sandbox.scenarios, everyScenario),
    settings: endpoint(operations.sandbox.settings, readSandboxSettings),
    updateSettings: endpoint(operations.sandbox.updateSettings, changeSandboxSettings),
    steps: endpoint(operations.sandbox.steps, readSteps),
    step: endpoint(operations.sandbox.step, takeStep),
    provider: endpoint(operations.sandbox.provider, readProvider),
    updateProvider: endpoint(operations.sandbox.updateProvider, changeProvider),
    reset: endpoint(operations.sandbox.reset, resetSandbox),
  },
  tracking: { show: endpoint(operations.tracking.show, trackingPage) },
  service: {
    description: endpoint(operations.service.description, describe),
    health: endpoint(operations.service.health, health),
  },
};

export const everyEndpoint: readonly Endpoint[] = Object.values(endpoints).flatMap((verbs) =>
  Object.values<Endpoint>(verbs),
);
