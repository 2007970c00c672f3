import { isFields } from '../../../domain/fields.ts';
import { nearNames } from '../../../domain/near-names.ts';
import { type FailureDetails, UsageError } from '../errors/failure.ts';
import type { StreamLine, StreamResult } from '../result/result.ts';
import type { Surface } from './destination.ts';
import { unknownFields } from './json.ts';

/**
 * Refuses fields of `--json=a,b` that no record has and lists the existing ones. For a command that has already changed
 * something, the error names the created record, so that it is not lost.
 */
export function checkFields(records: readonly unknown[], { settings, isWrite }: Surface): void {
  if (settings.fields === null || records.length === 0) return;
  refuse(records, unknownFields(records, settings.fields), isWrite ?? false);
}

/** The lines of a stream. Fields are refused at its end: events differ, so that a missing one is only certain then. */
export async function* checkedLines(
  { lines, areFieldsKnown }: StreamResult,
  { settings: { fields }, isWrite }: Surface,
): AsyncIterable<StreamLine> {
  let unknown = areFieldsKnown ? [] : (fields ?? []);
  let last: StreamLine | null = null;
  for await (const line of lines) {
    unknown = unknownFields([line.data], unknown);
    last = line;
    yield line;
  }
  if (last !== null) refuse([last.data], unknown, isWrite ?? false);
}

/** The requested fields of a line, which always has its type; null for all. */
export function lineFields({ settings: { fields } }: Surface): readonly string[] | null {
  return fields === null ? null : ['type', ...fields];
}

/** Refuses a format that the result does not support; also names what the command has already done. */
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

/** The depth of the search for a field in nested objects. */
const deepest = 4;

/** The existing fields, as typed, and suggestions for an unknown one. */
interface FieldAdvice {
  choices: string[];
  hint?: string;
}

/** Suggests replacements for unknown fields; describes the first one, at the point where its path ends. */
function fieldAdvice(records: readonly unknown[], unknown: readonly string[]): FieldAdvice {
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

/** The objects among the values, including those in arrays. */
function objectsIn(values: readonly unknown[]): Record<string, unknown>[] {
  return values.flat(2).filter(isFields);
}

function namesOf(records: readonly Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

/** Paths to the same name at a deeper level, at most three. */
function elsewhere(records: readonly Record<string, unknown>[], name: string, before: string): string[] {
  if (before.split('.').length > deepest) return [];
  const found = namesOf(records).flatMap((parent) => {
    const below = objectsIn(records.map((record) => record[parent]));
    const own = below.some((record) => Object.hasOwn(record, name)) ? [`${before}${parent}.${name}`] : [];
    return below.length === 0 ? [] : [...own, ...elsewhere(below, name, `${before}${parent}.`)];
  });
  return found.slice(0, 3);
}
