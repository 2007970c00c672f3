import type { Operation } from './operation.ts';

/** Where an operation is found. */
export interface OperationPlace {
  /** Its names in the table of operations. */
  noun: string;
  verb: string;
  method: string;
  /** Each with `{parameters}`; all answer the same. */
  paths: readonly string[];
}

/** Where all operations are found. */
export function placesOf(
  operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): OperationPlace[] {
  return Object.entries(operations).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { method, path, aliases = [] }]) => ({
      ...{ noun, verb, method },
      paths: [path, ...aliases],
    })),
  );
}
