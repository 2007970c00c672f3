import { type Operations, operations } from '../contract/operations.ts';
import { readAccount } from './accounts.ts';
import { pageOfDeliveries, readDelivery } from './deliveries.ts';
import { describe } from './description.ts';
import { dispatchRoute } from './dispatches.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { health } from './health.ts';
import { askForQuotes } from './jobs.ts';
import { addKey, endKey, pageOfKeys } from './keys.ts';
import { addOrders, closeOrder, pageOfOrders, readOneOrder } from './orders.ts';
import { readQuotes } from './quotes.ts';
import { addRoute, dropRoute, pageOfRoutes, readRoute } from './routes.ts';

/** One endpoint for each operation of the contract: without its handler an operation does not compile. */
type Endpoints = { [Noun in keyof Operations]: { [Verb in keyof Operations[Noun]]: Endpoint } };

const endpoints: Endpoints = {
  account: { get: endpoint(operations.account.get, readAccount) },
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
    list: endpoint(operations.deliveries.list, pageOfDeliveries),
    get: endpoint(operations.deliveries.get, readDelivery),
  },
  service: {
    description: endpoint(operations.service.description, describe),
    health: endpoint(operations.service.health, health),
  },
};

export const everyEndpoint: readonly Endpoint[] = Object.values(endpoints).flatMap((verbs) =>
  Object.values<Endpoint>(verbs),
);
