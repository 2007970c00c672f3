import type { Operation } from './operation.ts';

/** The method and paths of an operation. */
export interface OperationPlace {
  /** Its keys in the table of operations. */
  noun: string;
  verb: string;
  method: string;
  /** Paths with `{parameters}`; all are equivalent. */
  paths: readonly string[];
}

/** Lists the method and paths of all operations. */
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
