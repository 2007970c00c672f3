import { type EventType, eventTypes, namedEventTypes } from '../../../contract/vocabulary.ts';
import { type Flag, type FlagOptions, list, readChoice } from '../../kit/args/flags.ts';

const named: ReadonlySet<string> = new Set(namedEventTypes);
/** All types but those that are only sent to subscribers who name them. */
export const ordinaryTypes: readonly EventType[] = eventTypes.filter((type) => !named.has(type));
const beginnings = [...new Set(ordinaryTypes.map((type) => `${type.split('.')[0]}.*`))];
/** What selects event types: a type, the beginning of several, or all. */
export const eventTypePatterns: readonly string[] = ['*', ...beginnings, ...eventTypes];

/** `--events order.failed,delivery.*`, or again for each. */
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

/** Whether an event type is the pattern, or begins as it does. */
export function matchesPattern(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
