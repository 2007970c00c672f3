import { type FailureDetails, UsageError } from '../errors/failure.ts';
import type { Surface } from './destination.ts';
import { fieldAdvice } from './field-advice.ts';
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
