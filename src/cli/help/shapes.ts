import { type Fields, isFields } from '../../domain/fields.ts';
/** The shape of JSON, as far as help describes it. */
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
export interface ObjectShape {
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
  says: string;
}

export function word(text: string): Shape {
  return { kind: 'word', text };
}

export function listOf(of: Shape): Shape {
  return { kind: 'list', of };
}

export function orNull(shape: Shape): Shape {
  return { kind: 'either', of: [shape, word('null')] };
}

/** An object by its fields: a text is a word, and a name with a final `?` is optional. */
export function object(fields: Readonly<Record<string, Shape | string>>): ObjectShape {
  return {
    kind: 'object',
    fields: Object.entries(fields).map(([name, shape]) => ({
      name: name.replace(/\?$/, ''),
      shape: typeof shape === 'string' ? word(shape) : shape,
      optional: name.endsWith('?'),
      says: '',
    })),
  };
}

/** Adds fields before the object's own. */
export function withFields(fields: Readonly<Record<string, Shape | string>>, shape: Shape): Shape {
  if (shape.kind !== 'object') throw new TypeError('only an object has fields');
  return { kind: 'object', fields: [...object(fields).fields, ...shape.fields] };
}

/** Replaces the shape of one field. */
export function withField(shape: Shape, name: string, of: Shape): Shape {
  if (shape.kind !== 'object') throw new TypeError('only an object has fields');
  const fields = shape.fields.map((field) =>
    field.name === name ? { ...field, shape: of, says: '' } : field,
  );
  return { ...shape, fields };
}

/** Converts a JSON Schema. */
export function shapeOf(schema: unknown): Shape {
  const { const: only, enum: words, anyOf, type, items, properties, format, title } = partsOf(schema);
  if (only !== undefined) return word(JSON.stringify(only));
  if (Array.isArray(words)) return word(words.map((name) => String(name) || '""').join(' | '));
  if (Array.isArray(anyOf)) return { kind: 'either', of: anyOf.map(shapeOf) };
  if (type === 'array') return listOf(shapeOf(items));
  if (properties !== undefined) {
    const fields = fieldsOf(schema);
    return typeof title === 'string' ? { kind: 'object', fields, title } : { kind: 'object', fields };
  }
  if (format === 'date-time') return word('time');
  return word(typeof type === 'string' ? type : 'any');
}

function fieldsOf(schema: unknown): Field[] {
  const { properties, required } = partsOf(schema);
  const must: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(partsOf(properties)).map(([name, field]) => {
    const { description } = partsOf(field);
    const says = typeof description === 'string' ? description : '';
    return { name, shape: shapeOf(field), optional: !must.includes(name), says };
  });
}

function partsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The record of a list response, without the wrapper of its pages. */
export function recordOf(schema: unknown): Shape {
  const shape = shapeOf(schema);
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
