import { type EventType, eventTypes, namedEventTypes } from '../../../contract/vocabulary.ts';
import { type Flag, type FlagOptions, list, readChoice } from '../../kit/args/flags.ts';

const named: ReadonlySet<string> = new Set(namedEventTypes);
/** All types except those sent only to subscribers that name them. */
export const ordinaryTypes: readonly EventType[] = eventTypes.filter((type) => !named.has(type));
const beginnings = [...new Set(ordinaryTypes.map((type) => `${type.split('.')[0]}.*`))];
/** The accepted patterns: a type, a prefix of types, or `*`. */
export const eventTypePatterns: readonly string[] = ['*', ...beginnings, ...eventTypes];

/** `--events order.failed,delivery.*`, or repeated. */
export function typesFlag(options: FlagOptions): Flag<EventType[]> {
  const base = list({ placeholder: 'TYPES', ...options });
  return { ...base, choices: eventTypePatterns, read: readTypes, absent: () => [] };
}

function readTypes(texts: readonly string[]): EventType[] {
  const given = texts
    .flatMap((text) => text.split(','))
    .map((part) => readChoice(part.trim(), eventTypePatterns));
  const meant = (pattern: string) =>
    eventTypes.filter((type) => type === pattern || (!named.has(type) && matchesPattern(type, pattern)));
  return [...new Set(given.flatMap(meant))];
}

/** True if an event type equals the pattern or has its prefix. */
export function matchesPattern(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
