/** The features that another service may lack, such as `stores`, and how to find out which it has (`detectFeatures`). */
import type { Account } from '../contract/accounts.ts';
import type { Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { fieldNames, isFields } from '../domain/fields.ts';
import { ApiError, ModeMismatch } from './errors.ts';
import { parseJson, recordsIn, unwrapResponse } from './incomplete-responses.ts';

/** The lists that show whether a service has a feature. */
export const probes: Readonly<Partial<Record<Feature, () => Operation>>> = {
  orders: () => operations.orders.list,
  routes: () => operations.routes.list,
};

/** The operations that every service has. */
const everywhere: readonly string[] = [
  ...['CreateOrders', 'CreateRoute', 'GetRouteQuotes', 'ListRouteQuotes', 'DispatchRoute'],
  ...['CreateDeliveryInformation', 'ListDeliveries', 'GetDelivery'],
];

const featuresByTag: Readonly<Record<string, Feature>> = {
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

/** The parts that a service may lack, as named after "This service has no"; all others are required. */
export const featureTexts = {
  account: 'account information',
  idempotency: 'idempotency keys',
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
} as const;

export type Feature = keyof typeof featureTexts;

/** The feature that an operation belongs to; null for an operation of every service, or of no feature. */
export function featureOf({ id, tag, path }: Operation): Feature | null {
  if (everywhere.includes(id)) return null;
  if (path.startsWith('/v2/api_keys')) return 'keys';
  return path === '/v2/account' ? 'account' : (featuresByTag[tag] ?? null);
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

/** True if the response to a probe shows the feature. A service may answer any path: with a page, or an empty record. */
export function showsFeature(operation: Operation, { status, body }: WireResponse): boolean {
  const list = status > 299 ? null : unwrapResponse(operation, parseJson(body));
  return isFields(list) && Array.isArray(list.data);
}

export const featureNames: readonly Feature[] = fieldNames(featureTexts);

/** The known features of a service; a missing entry is unknown. */
export type Features = Readonly<Partial<Record<Feature, boolean>>>;

/** A service with every feature. */
export const allFeatures: Features = Object.fromEntries(featureNames.map((name) => [name, true]));

/** What was found out about a service. */
export interface ServiceFeatures {
  /** Null where the service has no account information. */
  account: Account | null;
  features: Features;
  /** The mode of the key, from its account or from a visible record; null if unknown. */
  mode: 'test' | 'live' | null;
}

/** The requests that find out about a service. */
export interface Probe {
  /** Gets the account; rejects with `ApiError` if the service has no accounts. */
  account(): Promise<{ data: Account; service_time: number | null }>;
  /** Sends a GET; resolves for any status. */
  get(operation: Operation, query: Record<string, string>): Promise<WireResponse>;
  refusal(response: WireResponse): ApiError;
}

/**
 * Finds out what a service can do, with requests that change nothing; if `isBrief`, only what a write needs. Rejects
 * like a call if the service is unreachable or refuses the key.
 */
export async function detectFeatures(probe: Probe, isBrief: boolean): Promise<ServiceFeatures> {
  let refused: ApiError;
  try {
    const { data, service_time } = await probe.account();
    const mode = data.test_mode ? 'test' : 'live';
    // A service with the whole contract reports its time with every response.
    if (service_time !== null) return { account: data, features: allFeatures, mode };
    const features = isBrief ? { idempotency: false } : await probeFeatures(probe);
    return { account: data, features: { ...features, account: true }, mode };
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof ModeMismatch || !mayLackAccount(error)) throw error;
    refused = error;
  }
  const first = await probe.get(operations.deliveries.list, { limit: '1' });
  if (first.status > 299) throw refused.status === 404 ? probe.refusal(first) : refused;
  // A page, an empty body or null may come from anything in between, and says nothing about the service.
  const answered = parseJson(first.body);
  if (!isFields(answered) && !Array.isArray(answered)) throw probe.refusal(first);
  const features = isBrief ? { idempotency: false } : await probeFeatures(probe);
  return { account: null, features: { ...features, account: false }, mode: modeIn(first) };
}

/** Gateways respond to an unknown path with 401 or 403. */
function mayLackAccount({ status }: ApiError): boolean {
  return (status < 500 && status !== 407 && status !== 429) || status === 501;
}

/** The features that only waybill's own service is known to have. */
const ownFeatures: readonly Feature[] = [
  ...(['idempotency', 'batches', 'stores', 'couriers', 'drivers', 'charges', 'stream'] as const),
  ...(['webhooks', 'sandbox', 'keys'] as const),
];

async function probeFeatures({ get }: Probe): Promise<Features> {
  const probed = Object.entries(probes).map(async ([name, probe]) => {
    const operation = probe();
    return [name, showsFeature(operation, await get(operation, { limit: '1' }))];
  });
  return Object.fromEntries([...ownFeatures.map((name) => [name, false]), ...(await Promise.all(probed))]);
}

function modeIn(response: WireResponse): ServiceFeatures['mode'] {
  const [first] = recordsIn(operations.deliveries.list, response);
  if (typeof first?.test_mode !== 'boolean') return null;
  return first.test_mode ? 'test' : 'live';
}
