import type { Account } from '../contract/accounts.ts';
import type { Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { isFields } from '../domain/fields.ts';
import { hasMainUnits } from './contract-notation.ts';
import { ApiError, ModeMismatch } from './errors.ts';
import { allFeatures, type Feature, type Features, parsed, probes, showsFeature } from './features.ts';
import { unwrapResponse } from './unwrap-response.ts';

/** The findings about a service. */
export interface ServiceFeatures {
  /** Null where the service has no account information. */
  account: Account | null;
  features: Features;
  /** The mode of the key, from its account or from a visible record; null if unknown. */
  mode: 'test' | 'live' | null;
}

export interface Probe {
  /** Gets the account; rejects with `ApiError` if the service has no accounts. */
  account(): Promise<{ data: Account; service_time: number | null }>;
  /** Sends a GET; resolves for any status. */
  get(operation: Operation, query: Record<string, string>): Promise<WireResponse>;
  /** The error of a response. */
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
  const features = isBrief ? { idempotency: false } : await probeFeatures(probe);
  const units = hasMainUnits(operations.deliveries.list.answer, { data: listIn(first) })
    ? { cents: false }
    : {};
  return { account: null, features: { ...features, ...units, account: false }, mode: modeIn(first) };
}

/**
 * Gateways respond to an unknown path with 401 or 403, and some services with 500, but without the request ID that a
 * service with the whole contract sends.
 */
function mayLackAccount({ status, request_id }: ApiError): boolean {
  if (status < 500) return status !== 407 && status !== 429;
  return status === 501 || (status === 500 && request_id === null);
}

async function probeFeatures(learning: Probe): Promise<Features> {
  const entries = Object.entries(probes).filter(([name]) => name !== 'account');
  const found = await Promise.all(
    entries.map(async ([name, probe]) => {
      const operation = probe();
      const paged: Record<string, string> = operation.query === undefined ? {} : { limit: '1' };
      return [name, showsFeature(operation, await learning.get(operation, paged))] as const;
    }),
  );
  const known: Partial<Record<Feature, boolean>> = Object.fromEntries(found);
  return { ...known, ...(await filtersFound(learning)), idempotency: false };
}

/** A reference that no record has. */
const unused = 'waybill-looks-whether-lists-are-filtered';

/** Finds out whether lists are filtered; unknown if there are no records. */
async function filtersFound({ get }: Probe): Promise<Features> {
  const filtered = recordsIn(
    await get(operations.deliveries.list, { limit: '1', external_order_ref: unused }),
  );
  if (filtered > 0) return { filters: false };
  const all = recordsIn(await get(operations.deliveries.list, { limit: '1' }));
  return all === 0 ? {} : { filters: true };
}

function listIn(response: WireResponse): unknown[] {
  const list = unwrapResponse(operations.deliveries.list, parsed(response.body));
  return isFields(list) && Array.isArray(list.data) ? list.data : [];
}

function recordsIn(response: WireResponse): number {
  return listIn(response).length;
}

function modeIn(response: WireResponse): ServiceFeatures['mode'] {
  const [first] = listIn(response);
  if (!isFields(first) || typeof first.test_mode !== 'boolean') return null;
  return first.test_mode ? 'test' : 'live';
}
