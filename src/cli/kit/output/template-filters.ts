import type { Liquid } from 'liquidjs';
import { dollars } from '../../../domain/money.ts';
import { csvCells } from './delimited.ts';
import { escapedJson, oneLine } from './sanitize.ts';
import type { Place } from './shape.ts';
import { localTime, styledTime } from './times.ts';

/** A value in a template: on one line, sanitized for a terminal. */
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

/** Adds our filters: `money` of cents, `time` and `age` of an ISO time, `json`, and `csv` of a value or an array. */
export function registerFilters(engine: Liquid, place: () => Place): void {
  engine.registerFilter('money', (cents: unknown) => (typeof cents === 'number' ? dollars(cents) : cents));
  engine.registerFilter('time', (iso: unknown) => {
    const { now, times } = place();
    return typeof iso === 'string' ? styledTime(iso, now, times, localTime) : iso;
  });
  engine.registerFilter('age', (iso: unknown) =>
    typeof iso === 'string' ? styledTime(iso, place().now, 'relative', localTime) : iso,
  );
  // These filters produce their own line breaks, which are kept.
  engine.registerFilter('json', { raw: true, handler: json });
  engine.registerFilter('csv', { raw: true, handler: csvCells });
  engine.registerFilter('join', { raw: true, handler: joined });
}

function joined(values: unknown, between: unknown = ' '): string {
  const all: unknown[] = Array.isArray(values) ? values : [values];
  return all.map(plainText).join(String(between));
}
