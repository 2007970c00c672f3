import type { ErrorCode } from '../../../contract/errors.ts';
import type { Operation } from '../../../contract/operation.ts';
import { type Operations, operations } from '../../../contract/operations.ts';
import type { OwnCode } from '../../errors/own-codes.ts';
import type { ExitCode } from '../../kit/errors/failure.ts';
import { recordOf, type Shape, shapeOf } from '../shapes.ts';

/** An operation of the interface by its noun and verb: `orders.create`. */
export type OperationName = {
  [N in keyof Operations & string]: `${N}.${keyof Operations[N] & string}`;
}[keyof Operations & string];

/** What `--json` writes, and in which case. */
export interface Answer {
  /** Where it is not always: `with --auto`. */
  when: string | null;
  form: 'object' | 'array' | 'lines';
  shape: Shape;
}

/** What help tells of a command beyond its flags. */
export interface Facts {
  /** What it asks of the service; their errors are errors of the command. */
  calls: readonly OperationName[];
  /** None where it answers in words. */
  answers: readonly Answer[];
  /** Exit codes beside those of its calls and flags, in the words of this command. */
  exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Codes of errors that this program ends with, beside those of its calls. */
  errors?: readonly (OwnCode | ErrorCode)[];
  /** What else one may want: commands as they are typed. */
  related: readonly string[];
}

const byName = new Map<string, Operation>(
  Object.entries(operations).flatMap(([noun, verbs]) =>
    Object.entries<Operation>(verbs).map(([verb, operation]): [string, Operation] => [
      `${noun}.${verb}`,
      operation,
    ]),
  ),
);

export function operationNamed(name: OperationName): Operation {
  const operation = byName.get(name);
  if (operation === undefined) throw new TypeError(`there is no operation ${name}`);
  return operation;
}

/** What an operation answers. */
export function answerOf(name: OperationName): Shape {
  return shapeOf(operationNamed(name).answer);
}

/** What an operation answers where the work goes on after it. */
export function acceptedOf(name: OperationName): Shape {
  return shapeOf(operationNamed(name).accepted?.schema);
}

/** A record of what an operation lists. */
export function listedBy(name: OperationName): Shape {
  return recordOf(operationNamed(name).answer);
}

export function one(answer: OperationName | Shape, when: string | null = null): Answer {
  return { when, form: 'object', shape: typeof answer === 'string' ? answerOf(answer) : answer };
}

/** An array of what an operation lists, or of the shape. */
export function each(answer: OperationName | Shape, when: string | null = null): Answer {
  return { when, form: 'array', shape: typeof answer === 'string' ? listedBy(answer) : answer };
}

/** A line of its own for each. */
export function lines(shape: Shape, when: string | null = null): Answer {
  return { when, form: 'lines', shape };
}
