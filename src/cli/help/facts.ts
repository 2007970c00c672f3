import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import type { CommandSpec } from '../kit/args/input.ts';
import { type Answer, type AnswerBuilder, type Shape, shapeBuilders } from '../kit/result/shapes.ts';
import { kindOfGroup } from '../records.ts';
import { recordOf, shapeOf } from './shapes.ts';

/** What help says of a command beyond its flags. */
export interface Facts extends Pick<CommandSpec, 'exits' | 'errors' | 'related'> {
  /** The operations that it requests; their errors are errors of the command. */
  calls: readonly string[];
  /** Empty if it returns text. */
  answers: readonly Answer[];
}

/** The facts of a command, with its lines if it can be watched. */
export function factsOf(path: readonly string[], command: CommandSpec): Facts {
  const { exits, errors, related } = command;
  const answers = [...command.answers(builder)];
  const calls = command.calls ?? [...new Set(answers.flatMap(({ operation }) => operation ?? []))];
  const [first] = answers;
  const type = watchTypes(path[0] ?? '');
  const isTold = !Object.hasOwn(command.flags, 'watch') || answers.some(({ form }) => form === 'lines');
  if (!isTold && first !== undefined && type !== undefined)
    answers.push(builder.lines(builder.withFields({ type }, first.shape), 'with --watch'));
  return { calls, answers, exits, errors, related };
}

/** The types of the --watch lines of a group. */
function watchTypes(group: string): string | undefined {
  if (group === 'quotes') return '"route_quotes.pending" | "route_quotes.completed"';
  const noun = group === 'sandbox' ? 'clock' : kindOfGroup(group)?.noun;
  const own = noun && `"${noun}.current" | "${noun}.updated"`;
  return group === 'batches' ? `${own} | "batch.completed"` : own;
}

const byName = new Map<string, Operation>(
  Object.entries(operations).flatMap(([noun, verbs]) =>
    Object.entries<Operation>(verbs).map(([verb, operation]): [string, Operation] => [
      `${noun}.${verb}`,
      operation,
    ]),
  ),
);

export function operationNamed(name: string): Operation {
  const operation = byName.get(name);
  if (operation === undefined) throw new TypeError(`there is no operation ${name}`);
  return operation;
}

const builder: AnswerBuilder = {
  ...shapeBuilders,
  answerOf: (name) => shapeOf(operationNamed(name).answer),
  acceptedOf: (name) => shapeOf(operationNamed(name).accepted?.schema),
  listedBy: (name) => recordOf(operationNamed(name).answer),
  one: (answer, when) => answerIn('object', answer, when),
  each: (answer, when) => answerIn('array', answer, when),
  lines: (shape, when) => answerIn('lines', shape, when),
};

function answerIn(form: Answer['form'], answer: string | Shape, when = ''): Answer {
  const operation = typeof answer === 'string' ? answer : null;
  const named = form === 'array' ? builder.listedBy : builder.answerOf;
  const shape = typeof answer === 'string' ? named(answer) : answer;
  return { when: when || null, form, shape, operation };
}
