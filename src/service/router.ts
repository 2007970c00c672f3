import { Problem } from '../contract/errors.ts';
import { Refusal } from './answers.ts';
import type { Endpoint } from './endpoint.ts';

export interface Match {
  endpoint: Endpoint;
  params: Record<string, string>;
}

export type Router = (method: string, path: string) => Match;

interface Entry {
  endpoint: Endpoint;
  segments: readonly string[];
}

/** Finds the endpoint of a request by the contract's paths. Throws `not_found` and `method_not_allowed`. */
export function createRouter(endpoints: readonly Endpoint[]): Router {
  const entries = endpoints.flatMap((endpoint) =>
    [endpoint.operation.path, ...(endpoint.operation.aliases ?? [])].map((path) => ({
      endpoint,
      segments: path.split('/').slice(1),
    })),
  );
  return (method, path) => {
    const segments = path.split('/').slice(1);
    const found = entries.flatMap((entry) => matchEntry(entry, segments));
    if (found.length === 0) throw new Problem('not_found', `No operation has the path ${path}.`);
    const match = found.find((candidate) => candidate.endpoint.operation.method === method);
    if (match !== undefined) return match;
    const allowed = [...new Set(found.map((candidate) => candidate.endpoint.operation.method))];
    const message = `${path} takes ${allowed.join(', ')}, not ${method}.`;
    throw new Refusal('method_not_allowed', message, { allow: allowed.join(', ') });
  };
}

function matchEntry({ endpoint, segments }: Entry, actual: readonly string[]): Match[] {
  if (segments.length !== actual.length) return [];
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = decode(actual[index] ?? '');
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = text;
    else if (segment !== text) return [];
  }
  return [{ endpoint, params }];
}

function decode(segment: string): string {
  try {
    // No id holds a NUL, and PostgreSQL takes none.
    return decodeURIComponent(segment).replaceAll('\0', '\ufffd');
  } catch {
    return segment;
  }
}
