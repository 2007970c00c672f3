import { nearNames } from '../../../domain/near-names.ts';
import { type FailureDetails, UsageError } from '../errors/failure.ts';
import type { Surface } from './destination.ts';
import { unknownFields } from './json.ts';

/**
 * Refuses fields of `--json=a,b` that no record has, with those there are. A command that changes something has
 * done so by then: what it made is named, so that it is not lost.
 */
export function checkFields(records: readonly unknown[], { settings, isWrite }: Surface): void {
  if (settings.fields === null || records.length === 0) return;
  refuse(records, unknownFields(records, settings.fields), isWrite ?? false);
}

/** The same of a stream, once it has ended: events differ, so that only all of them tell what none has. */
export function checkEvents(last: unknown, unknown: readonly string[], { isWrite }: Surface): void {
  if (last !== undefined) refuse([last], unknown, isWrite ?? false);
}

/** Refuses what the answer cannot be written as; what a command did by then is named, too. */
export function formatRefused(
  message: string,
  records: readonly unknown[],
  { isWrite }: Surface,
  details: FailureDetails = {},
): UsageError {
  return new UsageError(`${message}${isWrite === true ? doneText(records) : ''}`, details);
}

function refuse(records: readonly unknown[], unknown: readonly string[], isWrite: boolean): void {
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(', ');
  throw new UsageError(`The answer has no field ${names}.${isWrite ? doneText(records) : ''}`, {
    code: 'unknown_field',
    ...fieldAdvice(records, unknown),
  });
}

function doneText(records: readonly unknown[]): string {
  const ids = records.flatMap(idIn);
  return ` What was asked for is done all the same${ids.length === 0 ? '' : `: ${ids.join(', ')}`}.`;
}

/** A batch is named by its `batch_id`. */
function idIn(record: unknown): string[] {
  if (typeof record !== 'object' || record === null) return [];
  if ('id' in record) return [String(record.id)];
  return 'batch_id' in record ? [String(record.batch_id)] : [];
}

/** How deep a field is looked for under another. */
const deepest = 4;

/** The fields there are where one was not found, as they are typed, and those that may be meant. */
interface FieldAdvice {
  choices: string[];
  hint?: string;
}

/** Advice on fields that none of the records has: about the first of them, as far as its path is right. */
export function fieldAdvice(records: readonly unknown[], unknown: readonly string[]): FieldAdvice {
  const [field = ''] = unknown;
  const words = field.split('.');
  let level = objectsIn(records);
  let depth = 0;
  for (const word of words) {
    const below = objectsIn(level.map((record) => record[word]));
    if (below.length === 0) break;
    level = below;
    depth += 1;
  }
  const before = words.slice(0, depth).map((word) => `${word}.`);
  const choices = namesOf(level).map((name) => before.join('') + name);
  const near = nearNames(words[depth] ?? '', namesOf(level)).map((name) => before.join('') + name);
  const meant = near.length > 0 ? near : elsewhere(level, words[depth] ?? '', before.join(''));
  return meant.length === 0 ? { choices } : { choices, hint: `Did you mean ${meant.join(' or ')}?` };
}

/** The objects among values, and in the arrays among them. */
function objectsIn(values: readonly unknown[]): Record<string, unknown>[] {
  return values.flat(2).filter(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesOf(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

/** Paths to the same name further below, three at most. */
function elsewhere(records: readonly Record<string, unknown>[], name: string, before: string): string[] {
  if (before.split('.').length > deepest) return [];
  const found = namesOf(records).flatMap((parent) => {
    const below = objectsIn(records.map((record) => record[parent]));
    const own = below.some((record) => Object.hasOwn(record, name)) ? [`${before}${parent}.${name}`] : [];
    return below.length === 0 ? [] : [...own, ...elsewhere(below, name, `${before}${parent}.`)];
  });
  return found.slice(0, 3);
}
