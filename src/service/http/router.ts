/** Finds the operation of a request by its method and path. */
import { Problem } from '../../contract/errors.ts';
import type { OperationPlace } from '../../contract/operation.ts';
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

/** The templates that match a path exactly, with their decoded parameters. Most are excluded by their prefix. */
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

interface Target {
  path: string;
  query: Record<string, string>;
}

/** Splits a request target into path and query; of a repeated name, the last value is used. */
export function parseTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: {} };
  const query = Object.fromEntries(new URLSearchParams(target.slice(mark + 1)));
  return { path: target.slice(0, mark), query };
}
