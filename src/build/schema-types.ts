/** Writes JSON Schema as TypeScript: `{"type":"array","items":{"type":"string"}}` becomes `Array<string>`. */
import type { Json } from '../contract/openapi-examples.ts';
import { isObject, type JsonObject } from '../contract/openapi-schemas.ts';

/** The type of a schema; `indent` is that of the line on which the type begins. */
export function typeOf(schema: Json, indent: string): string {
  if (!isObject(schema)) return 'unknown';
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  const union = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(union)) return union.map((each) => typeOf(each, indent)).join(' | ');
  const objectTypes = isObject(schema.properties) ? [objectOf(schema, indent)] : [];
  if (Array.isArray(schema.allOf))
    return [...schema.allOf.map((each) => typeOf(each, indent)), ...objectTypes].join(' & ');
  if (objectTypes[0] !== undefined) return objectTypes[0];
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`;
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'object') return 'Record<string, unknown>';
  return typeof schema.type === 'string' ? schema.type : 'unknown';
}

function objectOf({ properties, required, additionalProperties }: JsonObject, indent: string): string {
  const names = Array.isArray(required) ? required : [];
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const lines = fields.map(([name, field]) => fieldLine(name, field, names.includes(name), `${indent}  `));
  const open = additionalProperties === true ? `${indent}  [name: string]: unknown;\n` : '';
  return `{\n${lines.join('')}${open}${indent}}`;
}

/** The line of a field with its comment: `  notes?: string | undefined;`. */
export function fieldLine(name: string, schema: Json, isRequired: boolean, indent: string): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const type = typeOf(schema, indent);
  return `${comment(schema, indent)}${indent}${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
}

/** The description of a schema as a comment on a line of its own; empty without a description. */
export function comment(schema: Json, indent: string): string {
  if (!isObject(schema) || typeof schema.description !== 'string') return '';
  return `${indent}/** ${schema.description.replaceAll('*/', '* /')} */\n`;
}

function literal(value: Json): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Follows names of fields into an object; returns an empty object if one of them has no object. */
export function fieldOf(object: JsonObject, ...path: readonly string[]): JsonObject {
  let value: Json | undefined = object;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return isObject(value) ? value : {};
}
