import type { Plugin } from 'rolldown';
import type { Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';

const whole = '\0prepared:operations';
const outline = '\0prepared:outlines';
const requests = '\0prepared:requests';

/**
 * Gives the program its operations as prepared data instead of the code that builds their schemas, which costs
 * milliseconds at every start: the description all of it, the service what it checks requests with, the client no
 * more than where to send a call and what its answer must have. A schema is JSON Schema already: nothing is lost.
 */
export function preparedOperations(): Plugin {
  return {
    name: 'prepared-operations',
    resolveId(id, importer = '') {
      if (!id.endsWith('/operations.ts')) return null;
      if (/[\\/]src[\\/]client[\\/]/.test(importer)) return outline;
      return /[\\/]src[\\/]service[\\/]/.test(importer) ? requests : whole;
    },
    load(id) {
      if (id === whole) return moduleOf(operations);
      if (id === requests) return moduleOf(mapped(operations, (verbs) => mapped(verbs, requestOf)));
      if (id === outline) return moduleOf(mapped(operations, (verbs) => mapped(verbs, outlineOf)));
      return null;
    },
  };
}

/** Parsing text is quicker than running a literal of this size. */
function moduleOf(data: unknown): string {
  return `export const operations = JSON.parse(${JSON.stringify(JSON.stringify(data))});`;
}

function requestOf({ answer: _, ...rest }: Operation) {
  return rest;
}

function outlineOf({ method, path, answer, accepted }: Operation) {
  const either = accepted && { object: accepted.object, schema: shapeOf(accepted.schema) };
  return { method, path, answer: shapeOf(answer), accepted: either };
}

function shapeOf(answer: Operation['answer']) {
  return {
    type: 'type' in answer ? answer.type : undefined,
    required: 'required' in answer ? answer.required : [],
  };
}

function mapped<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
