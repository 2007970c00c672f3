/** The requests, JSON results and fields of a command, from its definition and the contract. */
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { type CommandSpec, flagLabel, positionalLabel, type RawInput } from '../kit/args/command-input.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { fieldSuggestions } from '../kit/output/json-fields.ts';
import {
  type Answer,
  type AnswerBuilder,
  type Field,
  listOf,
  type Shape,
  shapeBuilders,
  wordShape,
} from '../kit/result/shape.ts';
import { kindOfGroup } from '../records.ts';

/** The requests, results, exit codes and errors of a command, as help shows them. */
export interface CommandFacts extends Pick<CommandSpec, 'exits' | 'errors' | 'related'> {
  /** The operations that it requests; their errors are errors of the command. */
  calls: readonly string[];
  /** Empty if it returns text. */
  answers: readonly Answer[];
}

/** The facts of a command, with its lines if it can be watched. */
export function collectFacts(path: readonly string[], command: CommandSpec): CommandFacts {
  const { exits, errors, related } = command;
  const answers = [...command.answers(answerBuilder)];
  const calls = command.calls ?? [...new Set(answers.flatMap(({ operation }) => operation ?? []))];
  const [first] = answers;
  const type = watchTypes(path[0] ?? '');
  const isTold = !Object.hasOwn(command.flags, 'watch') || answers.some(({ form }) => form === 'lines');
  if (!isTold && first !== undefined && type !== undefined)
    answers.push(answerBuilder.lines(answerBuilder.withFields({ type }, first.shape), 'with --watch'));
  return { calls, answers, exits, errors, related };
}

function watchTypes(group: string): string | undefined {
  if (group === 'quotes') return '"route_quotes.pending" | "route_quotes.completed"';
  const noun = group === 'sandbox' ? 'clock' : kindOfGroup(group)?.noun;
  const own = noun && `"${noun}.current" | "${noun}.updated"`;
  return group === 'batches' ? `${own} | "batch.completed"` : own;
}

const operationsByName = new Map<string, Operation>(
  Object.entries(operations).flatMap(([noun, verbs]) =>
    Object.entries<Operation>(verbs).map(([verb, operation]): [string, Operation] => [
      `${noun}.${verb}`,
      operation,
    ]),
  ),
);

export function operationNamed(name: string): Operation {
  const operation = operationsByName.get(name);
  if (operation === undefined) throw new TypeError(`there is no operation ${name}`);
  return operation;
}

const answerBuilder: AnswerBuilder = {
  ...shapeBuilders,
  answerOf: (name) => schemaShape(operationNamed(name).answer),
  acceptedOf: (name) => schemaShape(operationNamed(name).accepted?.schema),
  listedBy: (name) => listedRecordShape(operationNamed(name).answer),
  one: (answer, when) => answerIn('object', answer, when),
  each: (answer, when) => answerIn('array', answer, when),
  lines: (shape, when) => answerIn('lines', shape, when),
};

function answerIn(form: Answer['form'], answer: string | Shape, when = ''): Answer {
  const operation = typeof answer === 'string' ? answer : null;
  const shapeOfOperation = form === 'array' ? answerBuilder.listedBy : answerBuilder.answerOf;
  const shape = typeof answer === 'string' ? shapeOfOperation(answer) : answer;
  return { when: when || null, form, shape, operation };
}

/** Converts a JSON Schema. */
export function schemaShape(schema: unknown): Shape {
  const { const: only, enum: words, anyOf, type, items, properties, format, title } = asFields(schema);
  if (only !== undefined) return wordShape(JSON.stringify(only));
  if (Array.isArray(words)) return wordShape(words.map((name) => String(name) || '""').join(' | '));
  if (Array.isArray(anyOf)) return { kind: 'either', of: anyOf.map(schemaShape) };
  if (type === 'array') return listOf(schemaShape(items));
  if (properties !== undefined) {
    const fields = schemaFields(schema);
    return typeof title === 'string' ? { kind: 'object', fields, title } : { kind: 'object', fields };
  }
  if (format === 'date-time') return wordShape('time');
  return wordShape(typeof type === 'string' ? type : 'any');
}

function schemaFields(schema: unknown): Field[] {
  const { properties, required } = asFields(schema);
  const must: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(asFields(properties)).map(([name, field]) => {
    const { description } = asFields(field);
    const meaning = typeof description === 'string' ? description : '';
    return { name, shape: schemaShape(field), optional: !must.includes(name), meaning };
  });
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The record of a list response, without the wrapper of its pages. */
function listedRecordShape(schema: unknown): Shape {
  const shape = schemaShape(schema);
  const data = shape.kind === 'object' ? shape.fields.find(({ name }) => name === 'data')?.shape : shape;
  if (data?.kind !== 'list') throw new TypeError('this answer is not a list');
  return data.of;
}

/** Longer enumerations are only counted inside other shapes. */
const max_words = 8;

/** Records with more fields are only named inside other shapes. */
const max_fields = 16;

/** Formats a shape on one line: `array of { name: string, quantity: integer } or null`. */
export function shapeText(shape: Shape, isInside = false): string {
  switch (shape.kind) {
    case 'word': {
      const count = shape.text.split(' | ').length;
      return isInside && count > max_words ? `one of ${count} words` : shape.text;
    }
    case 'list':
      return `array of ${shapeText(shape.of, true)}`;
    case 'either':
      return shape.of.map((each) => shapeText(each, isInside)).join(' or ');
    case 'object':
      if (isInside && shape.title !== undefined && shape.fields.length > max_fields)
        return `a ${shape.title}`;
      return `{ ${shape.fields.map(fieldText).join(', ')} }`;
  }
}

function fieldText({ name, shape, optional }: Field): string {
  return `${name}${optional ? '?' : ''}: ${shapeText(shape, true)}`;
}

/**
 * Refuses fields of `--json=a,b` that no line of a stream, or no record of a list, can have, before it is opened, as it
 * may take long until the first event. Throws UsageError.
 */
export function checkLineFields(
  command: CommandSpec,
  fields: readonly string[],
  wanted: Answer['form'] = 'lines',
): void {
  checkFieldsOf(
    collectFacts([], command).answers.filter(({ form }) => form === wanted),
    fields,
  );
}

/**
 * Refuses fields that no answer of a command to this input can have, before it changes anything. Returns whether its
 * answers are known. Throws UsageError.
 */
export function checkAnswerFields(command: CommandSpec, fields: readonly string[], given: RawInput): boolean {
  const { answers } = collectFacts([], command);
  const isWrite = command.effect === 'write';
  if (answers.length > 0) checkFieldsOf(answersTo(command, answers, given), fields, isWrite);
  return answers.length > 0;
}

/** The answers to this input: those `with --flag` if it is given, else the others. */
function answersTo(
  { positionals }: CommandSpec,
  answers: readonly Answer[],
  given: RawInput,
): readonly Answer[] {
  const labels = new Set([
    ...[...given.flags.keys()].map(flagLabel),
    ...Object.keys(positionals).slice(0, given.words.length).map(positionalLabel),
  ]);
  const conditionOf = ({ when }: Answer) => /^(with|without) ((?:--)?[A-Za-z-]+(?: .*)?)$/.exec(when ?? '');
  const isGiven = (condition: string) =>
    condition.split(' or ').some((all) => all.split(' ').every((label) => labels.has(label)));
  const isFor = (answer: Answer) => {
    const [, word, condition = ''] = conditionOf(answer) ?? [];
    return word !== undefined && isGiven(condition) === (word === 'with');
  };
  const chosen = answers.filter(isFor);
  return chosen.length > 0
    ? chosen
    : answers.filter((answer) => !/^with(?:out)? --|^without [A-Z]+$/.test(answer.when ?? ''));
}

function checkFieldsOf(answers: readonly Answer[], fields: readonly string[], isWrite = false): void {
  const shapes = answers.flatMap((each) => (isOnStdout(each) ? each.shape : []));
  const unknown = fields.filter((field) => !shapes.some((shape) => hasField(shape, field.split('.'))));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(', ');
  throw new UsageError(
    `Unknown ${unknown.length === 1 ? 'field' : 'fields'} ${names}.${isWrite ? ' Nothing was changed.' : ''}`,
    {
      code: 'unknown_field',
      ...fieldSuggestions([...new Set(shapes.flatMap((shape) => pathsOf(shape)))], unknown),
    },
  );
}

/** Hints are lines on stderr. */
function isOnStdout({ when }: Answer): boolean {
  return when?.startsWith('on stderr') !== true;
}

/** Types of values that have no fields. */
const typesWithoutFields = /^(string|time|integer|number|boolean|null|true|".*")$|\|/;

function hasField(shape: Shape, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  if (shape.kind === 'word') return !typesWithoutFields.test(shape.text);
  if (shape.kind === 'list') return hasField(shape.of, path);
  if (shape.kind === 'either') return shape.of.some((each) => hasField(each, path));
  const field = shape.fields.find((each) => each.name === name);
  return field !== undefined && hasField(field.shape, rest);
}

/** The paths of all fields: `dropoffs`, `dropoffs.dropoff_unit`. */
function pathsOf(shape: Shape): string[] {
  if (shape.kind === 'list') return pathsOf(shape.of);
  if (shape.kind === 'either') return shape.of.flatMap(pathsOf);
  if (shape.kind === 'word') return [];
  return shape.fields.flatMap(({ name, shape: of }) => [
    name,
    ...pathsOf(of).map((path) => `${name}.${path}`),
  ]);
}

/** The fields that most programs read, at the top of an answer or in its list of records. */
const usual_field = /^(?:(?:data|deliveries|items|orders)\.)?(id|status|service|fee)$/;

/** The usual fields of the first answer, each where it stands first: `id`, `deliveries.fee`. */
export function mainFields([answer]: CommandFacts['answers']): string[] {
  const paths = answer === undefined ? [] : pathsOf(answer.shape);
  const found = new Map<string, string>();
  for (const path of paths.sort((left, right) => left.split('.').length - right.split('.').length)) {
    const name = usual_field.exec(path)?.[1];
    if (name !== undefined && !found.has(name)) found.set(name, path);
  }
  return [...found.values()];
}
