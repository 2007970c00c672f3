/** The shape of a command's JSON for help, built from words: `object({ id: 'string', 'tip?': 'integer' })`. */

export type Shape = WordShape | ListShape | ObjectShape | EitherShape;

/** A value without parts: `string`, `time`, `"order"`, `draft | dispatched`. */
interface WordShape {
  kind: 'word';
  text: string;
}
interface ListShape {
  kind: 'list';
  of: Shape;
}
interface ObjectShape {
  kind: 'object';
  fields: readonly Field[];
  /** The name of a record of the contract. */
  title?: string;
}
interface EitherShape {
  kind: 'either';
  of: readonly Shape[];
}

export interface Field {
  name: string;
  shape: Shape;
  /** Not always there. */
  optional: boolean;
  /** The meaning, if the name is not enough. */
  meaning: string;
}

export function wordShape(text: string): Shape {
  return { kind: 'word', text };
}

export function listOf(of: Shape | string): Shape {
  return { kind: 'list', of: shapeOrWord(of) };
}

export function orNull(shape: Shape | string): Shape {
  return { kind: 'either', of: [shapeOrWord(shape), wordShape('null')] };
}

function shapeOrWord(shape: Shape | string): Shape {
  return typeof shape === 'string' ? wordShape(shape) : shape;
}

/** An object by its fields: a text is a word, and a name with a final `?` is optional. */
export function object(fields: Readonly<Record<string, Shape | string>>): ObjectShape {
  return {
    kind: 'object',
    fields: Object.entries(fields).map(([name, shape]) => ({
      name: name.replace(/\?$/, ''),
      shape: shapeOrWord(shape),
      optional: name.endsWith('?'),
      meaning: '',
    })),
  };
}

/** Adds fields before the object's own. */
function withFields(fields: Readonly<Record<string, Shape | string>>, shape: Shape): Shape {
  if (shape.kind !== 'object') throw new TypeError('only an object has fields');
  return { kind: 'object', fields: [...object(fields).fields, ...shape.fields] };
}

/** Replaces the shape of one field. */
function withField(shape: Shape, name: string, of: Shape): Shape {
  if (shape.kind !== 'object') throw new TypeError('only an object has fields');
  const fields = shape.fields.map((field) =>
    field.name === name ? { ...field, shape: of, meaning: '' } : field,
  );
  return { ...shape, fields };
}

/** A JSON result, and when it is written. */
export interface Answer {
  /** The condition, if it is not always written: `with --auto`. */
  when: string | null;
  form: 'object' | 'array' | 'lines';
  shape: Shape;
  operation: string | null;
}

/** A suggested command in JSON, as `stepObject` makes it. */
export const stepShape = object({
  command: 'string',
  args: listOf('string'),
  when: 'string',
  'placeholders?': listOf('string'),
});

export const shapeBuilders = { word: wordShape, listOf, orNull, object, withFields, withField };

/** Describes the results of a command: by the names of operations, such as `orders.create`, and by shapes. */
export interface AnswerBuilder<Name extends string = string> extends Readonly<typeof shapeBuilders> {
  answerOf(name: Name): Shape;
  /** The response of an operation that continues in the background. */
  acceptedOf(name: Name): Shape;
  /** A record in the list of an operation. */
  listedBy(name: Name): Shape;
  one(answer: Name | Shape, when?: string): Answer;
  /** An array of the records that an operation lists, or of the shape. */
  each(answer: Name | Shape, when?: string): Answer;
  /** One line for each record. */
  lines(shape: Shape, when?: string): Answer;
}
