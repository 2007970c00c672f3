import { getAccount } from './accounts.ts';
import { getDelivery, listDeliveries } from './deliveries.ts';
import { getDescription, getHealth } from './description.ts';
import { createDispatch } from './dispatches.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { cancelOrder, createOrders, getOrder, listOrders } from './orders.ts';
import { listQuotes, requestQuotes } from './quotes.ts';
import { createRoute, deleteRoute, getRoute, listRoutes } from './routes.ts';

/** Every operation of the interface, by noun and verb: the server, the client and the description derive from it. */
export const operations = {
  account: { get: getAccount },
  keys: { create: createKey, list: listKeys, revoke: revokeKey },
  orders: { create: createOrders, list: listOrders, get: getOrder, cancel: cancelOrder },
  routes: { create: createRoute, list: listRoutes, get: getRoute, delete: deleteRoute },
  quotes: { request: requestQuotes, list: listQuotes },
  dispatches: { create: createDispatch },
  deliveries: { list: listDeliveries, get: getDelivery },
  service: { description: getDescription, health: getHealth },
} as const;

export type Operations = typeof operations;
