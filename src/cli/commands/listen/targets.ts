import { type EventType, namedEventTypes } from '../../../contract/vocabulary.ts';
import {
  BadValue,
  type Flag,
  type FlagOptions,
  listFlag,
  readChoice,
  textFlag,
} from '../../kit/args/flags.ts';
import { eventTypePatterns, matchesPattern, ordinaryTypes } from '../../nouns/event.ts';

/** A route for events whose type matches the pattern. */
export interface TargetRule {
  /** `order.failed`, `delivery.*` or `*`. */
  pattern: string;
  url: string;
}

/** The destinations of events. */
export interface Targets {
  routes: readonly TargetRule[];
  /** The destination of events that match no route; null: they are only shown. */
  rest: string | null;
}

/** `--forward-to 3000`: a URL, or a port of this machine. */
export function targetFlag(options: FlagOptions): Flag<string | undefined> {
  const base = textFlag({ placeholder: 'URL', ...options });
  return { ...base, read: (texts) => readTarget(texts.at(-1) ?? '') };
}

/** Reads `3000`, `localhost:3000/hooks` or `https://shop.test/hooks` as a URL. Throws BadValue. */
export function readTarget(given: string): string {
  const typed = given.trim().replace(/^:?(\d{1,5})(?=\/|$)/, '127.0.0.1:$1');
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed);
  const whole = isWhole ? typed : `http://${typed}`;
  const url = URL.parse(whole);
  // A URL parser reads a bare number as an IP address; here it is a port.
  const isNumber = /^\w+:\/+(\d+|0x[\da-f]+)(?=[:/?#]|$)/i.test(whole) || url?.port === '0';
  const isWord = !isWhole && url?.port === '' && /^(?!localhost$)[^.:]*$/.test(url.hostname);
  if (url === null || isNumber || isWord || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new BadValue(
      `must be a URL such as http://localhost:3000/hooks or a port such as 3000, not "${given}"`,
    );
  if (url.username !== '' || url.password !== '')
    throw new BadValue('must not contain a user name or password');
  url.hash = '';
  return url.href;
}

/** `--route order.failed=4000 --route 'delivery.*=localhost:5000/track'`. */
export function routesFlag(options: FlagOptions): Flag<TargetRule[]> {
  const base = listFlag({ placeholder: 'TYPE=URL', ...options });
  return { ...base, read: (texts) => texts.map(readRoute), absent: () => [] };
}

function readRoute(given: string): TargetRule {
  const [, pattern = '', target = ''] = /^([^=]*)=(.*)$/.exec(given) ?? [];
  if (pattern.trim() === '' || target.trim() === '')
    throw new BadValue('must be TYPE=URL, such as order.failed=3000');
  return { pattern: readChoice(pattern.trim(), eventTypePatterns), url: readTarget(target) };
}

/** Returns the destination of an event: an exact route wins over a pattern. */
export function targetOf(type: EventType, { routes, rest }: Targets): string | null {
  return routeOf(type, routes)?.url ?? rest;
}

function routeOf(type: EventType, routes: readonly TargetRule[]): TargetRule | undefined {
  return (
    routes.find(({ pattern }) => pattern === type) ??
    routes.find(({ pattern }) => matchesPattern(type, pattern))
  );
}

/** Returns the first route that matches none of the requested events; null if all can match. */
export function unmatchableRoute(
  named: readonly EventType[],
  routes: readonly TargetRule[],
): TargetRule | null {
  const types = typesWanted(named, routes) ?? ordinaryTypes;
  const taken = new Set(types.map((type) => routeOf(type, routes)));
  return routes.find((route) => !taken.has(route)) ?? null;
}

/** The event types to subscribe to: those requested, or else the default types and those that a route names. */
export function typesWanted(
  named: readonly EventType[],
  routes: readonly TargetRule[],
): readonly EventType[] | undefined {
  if (named.length > 0) return named;
  const byName = namedEventTypes.filter((type) => routes.some(({ pattern }) => pattern === type));
  return byName.length === 0 ? undefined : [...ordinaryTypes, ...byName];
}
