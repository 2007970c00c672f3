import { nearNames } from '../../../domain/near-names.ts';

/** How deep a field is looked for under another. */
const deepest = 4;

/** The fields there are where one was not found, as they are typed, and those that may be meant. */
export interface FieldAdvice {
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
