/** TypeScript of JSON Schema: the plain types of the library's declarations. */
import type { Json } from '../contract/openapi-examples.ts';
import { isObject, type JsonObject } from '../contract/openapi-schemas.ts';

export function typeOf(schema: Json, indent: string): string {
  if (!isObject(schema)) return 'unknown';
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  const union = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(union)) return union.map((each) => typeOf(each, indent)).join(' | ');
  const own = isObject(schema.properties) ? objectOf(schema, indent) : null;
  if (Array.isArray(schema.allOf)) {
    return [...schema.allOf.map((each) => typeOf(each, indent)), ...(own === null ? [] : [own])].join(' & ');
  }
  if (own !== null) return own;
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

export function fieldLine(name: string, schema: Json, isRequired: boolean, indent: string): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const type = typeOf(schema, indent);
  return `${comment(schema, indent)}${indent}${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
}

export function comment(schema: Json, indent: string): string {
  if (!isObject(schema) || typeof schema.description !== 'string') return '';
  return `${indent}/** ${schema.description.replaceAll('*/', '* /')} */\n`;
}

function literal(value: Json): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

export function fieldOf(object: JsonObject, ...names: readonly string[]): JsonObject {
  let found: Json | undefined = object;
  for (const name of names) found = isObject(found) ? found[name] : undefined;
  return isObject(found) ? found : {};
}
