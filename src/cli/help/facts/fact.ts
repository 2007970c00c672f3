import type { ErrorCode } from '../../../contract/errors.ts';
import type { Operation } from '../../../contract/operation.ts';
import { type Operations, operations } from '../../../contract/operations.ts';
import type { OwnCode } from '../../errors/service-errors.ts';
import type { ExitCode } from '../../kit/errors/failure.ts';
import { recordOf, type Shape, shapeOf } from '../shapes.ts';

/** An operation of the contract by noun and verb: `orders.create`. */
export type OperationName = {
  [N in keyof Operations & string]: `${N}.${keyof Operations[N] & string}`;
}[keyof Operations & string];

/** A JSON result, and when it is written. */
export interface Answer {
  /** The condition, if it is not always written: `with --auto`. */
  when: string | null;
  form: 'object' | 'array' | 'lines';
  shape: Shape;
}

/** The content of a help page beyond the flags. */
export interface Facts {
  /** The operations that it requests; their errors are errors of the command. */
  calls: readonly OperationName[];
  /** Empty if it returns text. */
  answers: readonly Answer[];
  /** Exit codes besides those of its requests and flags, with their meanings here. */
  exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Error codes of this program, besides those of its requests. */
  errors?: readonly (OwnCode | ErrorCode)[];
  /** Related commands, as typed. */
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

/** The response of an operation. */
export function answerOf(name: OperationName): Shape {
  return shapeOf(operationNamed(name).answer);
}

/** The response of an operation that continues in the background. */
export function acceptedOf(name: OperationName): Shape {
  return shapeOf(operationNamed(name).accepted?.schema);
}

/** A record in the list of an operation. */
export function listedBy(name: OperationName): Shape {
  return recordOf(operationNamed(name).answer);
}

export function one(answer: OperationName | Shape, when: string | null = null): Answer {
  return { when, form: 'object', shape: typeof answer === 'string' ? answerOf(answer) : answer };
}

/** An array of the records that an operation lists, or of the shape. */
export function each(answer: OperationName | Shape, when: string | null = null): Answer {
  return { when, form: 'array', shape: typeof answer === 'string' ? listedBy(answer) : answer };
}

/** One line for each record. */
export function lines(shape: Shape, when: string | null = null): Answer {
  return { when, form: 'lines', shape };
}
