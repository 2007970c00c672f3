import { type Fields, isFields } from '../../domain/fields.ts';
import { type Field, listOf, type Shape, word } from '../kit/result/shapes.ts';

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
