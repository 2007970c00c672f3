import type { Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { isFields } from '../domain/fields.ts';
import { findMismatch } from './lenient.ts';
import { isList, unwrapResponse } from './unwrap-response.ts';

/** The request that shows whether a service has the feature. */
export const probes: Readonly<Partial<Record<Feature, () => Operation>>> = {
  account: () => operations.account.get,
  orders: () => operations.orders.list,
  routes: () => operations.routes.list,
  batches: () => operations.batches.list,
  stores: () => operations.stores.list,
  couriers: () => operations.couriers.list,
  drivers: () => operations.drivers.list,
  charges: () => operations.charges.list,
  stream: () => operations.events.list,
  webhooks: () => operations.webhooks.list,
  sandbox: () => operations.clock.get,
  keys: () => operations.keys.list,
};

/** The operations that every service has. */
const everywhere: readonly string[] = [
  ...['CreateOrders', 'CreateRoute', 'GetRouteQuotes', 'ListRouteQuotes', 'DispatchRoute'],
  ...['CreateDeliveryInformation', 'ListDeliveries', 'GetDelivery'],
];

const byTag: Readonly<Record<string, Feature>> = {
  Orders: 'orders',
  Routes: 'routes',
  Batches: 'batches',
  Stores: 'stores',
  Couriers: 'couriers',
  Drivers: 'drivers',
  Charges: 'charges',
  Events: 'stream',
  Webhooks: 'webhooks',
  Sandbox: 'sandbox',
};

/** The feature that an operation belongs to; null for an operation of every service, or of no feature. */
export function featureOf({ id, tag, path }: Operation): Feature | null {
  if (everywhere.includes(id)) return null;
  if (path.startsWith('/v2/api_keys')) return 'keys';
  return path === '/v2/account' ? 'account' : (byTag[tag] ?? null);
}

/** Features that consist only of look-ups: a service without them may still change such records. */
const lookups: readonly (Feature | null)[] = ['orders', 'routes', 'batches'];

/** The feature that an operation requires; null if only a request shows whether the operation exists. */
export function requiredFeature(operation: Operation): Feature | null {
  const feature = featureOf(operation);
  return operation.method !== 'GET' && lookups.includes(feature) ? null : feature;
}

/** True if a service may lack the operation. */
export function isOptional({ id }: Operation): boolean {
  return !everywhere.includes(id);
}

/** True if a response means an unknown path rather than an unknown record. */
export function hasNoPath({ status }: Pick<WireResponse, 'status'>): boolean {
  return status === 404 || status === 405 || status === 501;
}

/**
 * True if the response to a probe shows the feature. A service that does not report its time with every response may
 * answer any path: with a page, an empty record, or a refusal.
 */
export function showsFeature(operation: Operation, response: WireResponse): boolean {
  const { status, headers } = response;
  if (hasNoPath(response)) return false;
  if (status === 401 || status === 403 || status === 409) return headers['x-service-time'] !== undefined;
  if (status > 299) return false;
  const data = unwrapResponse(operation, parsed(response.body));
  if (isList(operation.answer)) return isFields(data) && Array.isArray(data.data);
  return findMismatch(operation.answer, data, false) === null;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parts of the contract that a service may lack. The others are required. */
export const featureNames = [
  'account',
  'idempotency',
  'filters',
  'cents',
  'orders',
  'routes',
  'batches',
  'stores',
  'couriers',
  'drivers',
  'charges',
  'stream',
  'webhooks',
  'sandbox',
  'keys',
] as const;
export type Feature = (typeof featureNames)[number];

/** The known features of a service; a missing entry is unknown. */
export type Features = Readonly<Partial<Record<Feature, boolean>>>;

/** The name of each feature, after "This service has no". */
export const featureTexts: Readonly<Record<Feature, string>> = {
  account: 'account information',
  idempotency: 'idempotency keys',
  filters: 'list filters',
  cents: 'amounts in cents',
  orders: 'order look-ups',
  routes: 'route look-ups',
  batches: 'batch look-ups',
  stores: 'saved stores',
  couriers: 'connected couriers',
  drivers: 'own drivers',
  charges: 'charges',
  stream: 'events',
  webhooks: 'webhook endpoints',
  sandbox: 'sandbox controls',
  keys: 'API key management',
};

/** A service with every feature. */
export const allFeatures: Features = Object.fromEntries(featureNames.map((name) => [name, true]));
