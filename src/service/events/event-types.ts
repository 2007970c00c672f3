import { Problem } from '../../contract/errors.ts';
import { type EventType, eventTypes } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';

/** Parses comma-separated event types in a query field; throws a `Problem` for an unknown one. */
export function eventTypesIn(text: string, path: string): readonly EventType[] {
  const names = text.split(',');
  const unknown = names.filter((name) => !eventTypes.some((type) => type === name));
  if (unknown.length > 0) {
    const details = unknown.map((name) => ({ path, message: unknownTypeText(name) }));
    throw new Problem('invalid_request', 'The query is invalid.', details);
  }
  return eventTypes.filter((type) => names.includes(type));
}

function unknownTypeText(name: string): string {
  const near = nearNames(name, eventTypes);
  return `${name} is not an event type; expected ${(near.length > 0 ? near : eventTypes).join(', ')}`;
}
