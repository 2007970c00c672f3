import type { Liquid } from 'liquidjs';
import { dollars } from '../../../domain/money.ts';
import { csvCells } from './delimited.ts';
import { escapedJson, oneLine } from './sanitize.ts';
import type { Place } from './shape.ts';
import { localTime, styledTime } from './times.ts';

/** A value where a template shows it: on one line, stripped of what a terminal might obey. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((entry) => !isObject(entry)))
    return value.map(plainText).join(', ');
  return isObject(value) ? json(value) : oneLine(String(value));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function json(value: unknown): string {
  return escapedJson(JSON.stringify(value) ?? 'null');
}

/** Our own filters: `money` of cents, `time` and `age` of an ISO time, `json`, and `csv` of a value or an array. */
export function registerFilters(engine: Liquid, place: () => Place): void {
  engine.registerFilter('money', (cents: unknown) => (typeof cents === 'number' ? dollars(cents) : cents));
  engine.registerFilter('time', (iso: unknown) => {
    const { now, times } = place();
    return typeof iso === 'string' ? styledTime(iso, now, times, localTime) : iso;
  });
  engine.registerFilter('age', (iso: unknown) =>
    typeof iso === 'string' ? styledTime(iso, place().now, 'relative', localTime) : iso,
  );
  // These know what in their text is their own: it is not put on one line.
  engine.registerFilter('json', { raw: true, handler: json });
  engine.registerFilter('csv', { raw: true, handler: csvCells });
  engine.registerFilter('join', { raw: true, handler: joined });
}

function joined(values: unknown, between: unknown = ' '): string {
  const all: unknown[] = Array.isArray(values) ? values : [values];
  return all.map(plainText).join(String(between));
}
