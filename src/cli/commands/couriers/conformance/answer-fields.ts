/** Reads fields of answers that may have any shape. */
import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { type Fields, isFields } from '../../../../client/lenient.ts';

export function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

export function timeIn(fields: Fields, name: string): number | null {
  const time = Date.parse(textIn(fields, name) ?? '');
  return Number.isNaN(time) ? null : time;
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first deviation of a value from its schema; null if it is valid. */
export function faultIn(schema: TSchema, value: unknown): string | null {
  if (value === undefined) return 'the body is no JSON';
  if (Check(schema, value)) return null;
  const [, errors] = Errors(schema, value);
  const isPlain = ({ keyword, message }: (typeof errors)[number]) =>
    keyword !== 'anyOf' && message !== 'must be null';
  const error = errors.find(isPlain) ?? errors[0];
  const path = error?.instancePath.slice(1).replaceAll('/', '.');
  return `${path === undefined || path === '' ? 'the body' : path} ${error?.message ?? 'is not valid'}`;
}
