import { Problem } from '../contract/errors.ts';
import { Refusal } from './answers.ts';
import type { Endpoint } from './endpoint.ts';

export interface Match {
  endpoint: Endpoint;
  params: Record<string, string>;
}

export type Router = (method: string, path: string) => Match;

/** Finds the endpoint of a request by the contract's paths. Throws `not_found` and `method_not_allowed`. */
export function createRouter(endpoints: readonly Endpoint[]): Router {
  return (method, path) => {
    const found = matches(endpoints, path);
    if (found.length === 0) throw new Problem('not_found', `No operation has the path ${path}.`);
    const match = found.find((candidate) => candidate.endpoint.operation.method === method);
    if (match !== undefined) return match;
    const allowed = [...new Set(found.map((candidate) => candidate.endpoint.operation.method))];
    const message = `${path} takes ${allowed.join(', ')}, not ${method}.`;
    throw new Refusal('method_not_allowed', message, { allow: allowed.join(', ') });
  };
}

/** Most paths are told apart by how they begin: only the others are taken to pieces, and nothing is before it is asked for. */
function matches(endpoints: readonly Endpoint[], path: string): Match[] {
  const actual = path.split('/').slice(1).map(decode);
  const text = `/${actual.join('/')}`;
  const found: Match[] = [];
  for (const endpoint of endpoints) {
    const { path: own, aliases } = endpoint.operation;
    for (const template of aliases === undefined ? [own] : [own, ...aliases]) {
      const params = beginsAs(template, text) ? matchPath(template, actual) : null;
      if (params !== null) found.push({ endpoint, params });
    }
  }
  return found;
}

function beginsAs(template: string, text: string): boolean {
  const brace = template.indexOf('{');
  return text.startsWith(brace < 0 ? template : template.slice(0, brace));
}

function matchPath(template: string, actual: readonly string[]): Record<string, string> | null {
  const segments = template.split('/').slice(1);
  if (segments.length !== actual.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = actual[index] ?? '';
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = text;
    else if (segment !== text) return null;
  }
  return params;
}

function decode(segment: string): string {
  try {
    // No id holds a NUL, and PostgreSQL takes none.
    return decodeURIComponent(segment).replaceAll('\0', '\ufffd');
  } catch {
    return segment;
  }
}
