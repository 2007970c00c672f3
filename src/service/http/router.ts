import { Problem } from '../../contract/errors.ts';
import type { OperationPlace } from '../../contract/operation.ts';
import type { Flag } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { requestOf } from '../runtime/ids.ts';
import type { ServiceClock } from '../runtime/service-clock.ts';
import { Refusal } from './answers.ts';
import type { Endpoint } from './handler.ts';

interface Match {
  endpoint: Endpoint;
  params: Record<string, string>;
}

export type Router = (method: string, path: string) => Match;

interface Found {
  place: OperationPlace;
  params: Record<string, string>;
}

/** Finds the endpoint of a request by the contract's paths. Throws `not_found` and `method_not_allowed`. */
export function createRouter(
  places: readonly OperationPlace[],
  endpointAt: (place: OperationPlace) => Endpoint,
): Router {
  const templates = places.flatMap((place) => place.paths.map((path) => templateOf(place, path)));
  return (method, path) => {
    const all = matches(templates, path);
    // Paths without parameters take precedence: in `/v2/orders/create`, "create" is not an order id.
    const literal = all.filter(({ params }) => Object.keys(params).length === 0);
    const found = literal.length > 0 ? literal : all;
    if (found.length === 0) throw new Problem('not_found', `Unknown path ${path}.`);
    const match = found.find(({ place }) => place.method === method);
    if (match !== undefined) return { endpoint: endpointAt(match.place), params: match.params };
    const allowed = [...new Set(found.map(({ place }) => place.method))];
    const message = `${path} does not support ${method}, only ${allowed.join(', ')}.`;
    throw new Refusal('method_not_allowed', message, { allow: allowed.join(', ') });
  };
}

/** A path of the contract. */
interface Template {
  place: OperationPlace;
  /** The text before the first parameter. */
  prefix: string;
  segments: readonly string[];
}

function templateOf(place: OperationPlace, path: string): Template {
  const brace = path.indexOf('{');
  return { place, prefix: brace < 0 ? path : path.slice(0, brace), segments: path.split('/').slice(1) };
}

/** Paths must match exactly: only parameters are decoded. Most paths are excluded by their prefix. */
function matches(templates: readonly Template[], path: string): Found[] {
  const actual = path.split('/').slice(1);
  const found: Found[] = [];
  for (const { place, prefix, segments } of templates) {
    const params = path.startsWith(prefix) ? matchPath(segments, actual) : null;
    if (params !== null) found.push({ place, params });
  }
  return found;
}

function matchPath(segments: readonly string[], actual: readonly string[]): Record<string, string> | null {
  if (segments.length !== actual.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = actual[index] ?? '';
    const isParameter = segment.startsWith('{');
    if (isParameter ? text === '' : segment !== text) return null;
    if (isParameter) params[segment.slice(1, -1)] = decode(text);
  }
  return params;
}

function decode(segment: string): string {
  try {
    // Ids contain no NUL, and PostgreSQL rejects it.
    return decodeURIComponent(segment).replaceAll('\0', '\ufffd');
  } catch {
    return segment;
  }
}

/**
 * Records of the same millisecond are listed in the order of their requests. While the clock stands still, other
 * processes may have created records in the same millisecond: then the latest is read from the database.
 */
export function createRequestOrder(
  storage: Storage,
  test_mode: Flag,
  clock: ServiceClock,
): ServiceContext['requestOrder'] {
  let latest = { now: Number.NEGATIVE_INFINITY, number: -1 };
  return async (now) => {
    const stored = clock.state().mode === 'manual' ? await latestStored(storage, test_mode, now) : -1;
    const before = latest.now === now ? latest.number : -1;
    latest = { now, number: Math.max(before, stored) + 1 };
    return latest.number;
  };
}

async function latestStored(storage: Storage, test_mode: Flag, now: number): Promise<number> {
  const { latestIds } = await import('../../storage/paging.ts');
  const ids = await storage.read((db) => latestIds(db, test_mode, now));
  return Math.max(-1, ...ids.map(requestOf));
}
