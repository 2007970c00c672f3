import { fieldDescriptions } from './openapi-descriptions.ts';
import { exampleInstant, fieldExamples, type Json } from './openapi-examples.ts';

export interface JsonObject {
  readonly [name: string]: Json;
}

/** Schemas by title, which `$ref` leads to. */
export type Schemas = ReadonlyMap<string, Json>;

/**
 * A schema whose fields all have a description and an example, and whose constants and enumerations have their type.
 * `scope` is the title of the schema, or the name of the field or the operation that has it.
 */
export function annotate(schema: Json, scope: string): Json {
  if (Array.isArray(schema)) return schema.map((part) => annotate(part, scope));
  if (!isObject(schema)) return schema;
  const own = typeof schema.title === 'string' ? schema.title : scope;
  // Generators of clients know no conditions: descriptions say which fields replace others.
  const { if: _, else: __, ...rest } = schema;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, part]) => [
      name,
      name === 'properties' ? annotateFields(part, own) : isVerbatim(name) ? part : annotate(part, own),
    ]),
  );
  return { ...typeOfValues(schema), ...inner };
}

/** Keywords whose values are data and not schemas. */
function isVerbatim(keyword: string): boolean {
  return ['const', 'default', 'enum', 'examples', 'required'].includes(keyword);
}

function annotateFields(fields: Json | undefined, scope: string): Json {
  if (!isObject(fields)) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, annotateField(annotate(field, name), scope, name)]),
  );
}

/** A field with its description and, unless it is a list or an object, its example. */
export function annotateField(field: Json, scope: string, name: string): Json {
  if (!isObject(field)) return field;
  const [first] = Array.isArray(field.anyOf) ? field.anyOf : [];
  const inner = isObject(first) && !('$ref' in first) ? first : field;
  const description = field.description ?? inner.description ?? factOf(fieldDescriptions, scope, name);
  const example = fieldExample(field, scope, name);
  return {
    ...field,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function fieldExample(field: JsonObject, scope: string, name: string): Json | undefined {
  const example = factOf(fieldExamples, scope, name);
  if (example !== undefined && fits(field, example)) return example;
  return simpleExample(field);
}

/** Fields of one name have types of several kinds. */
function fits(field: JsonObject, example: Json): boolean {
  if (Array.isArray(field.anyOf)) return field.anyOf.some((each) => isObject(each) && fits(each, example));
  if ('const' in field) return field.const === example;
  if (Array.isArray(field.enum)) return field.enum.includes(example);
  switch (field.type) {
    case 'integer':
      return Number.isInteger(example);
    case 'array':
      return Array.isArray(example);
    case 'null':
      return example === null;
    case 'object':
      return isObject(example);
    default:
      return typeof example === field.type;
  }
}

function simpleExample(field: JsonObject): Json | undefined {
  if (Array.isArray(field.anyOf)) return field.anyOf.filter(isObject).map(simpleExample).find(isGiven);
  if ('const' in field) return field.const;
  if (Array.isArray(field.enum)) return field.enum[0];
  return field.format === 'date-time' ? exampleInstant : undefined;
}

/** The example of a whole schema, made of those of its fields. */
export function exampleOf(schema: Json | undefined, schemas: Schemas): Json | undefined {
  if (!isObject(schema)) return undefined;
  const [given] = Array.isArray(schema.examples) ? schema.examples : [];
  if (given !== undefined) return given;
  if (typeof schema.$ref === 'string') return exampleOf(schemas.get(titleOf(schema.$ref)), schemas);
  const simple = simpleExample(schema);
  if (simple !== undefined) return simple;
  const [first] = [schema.oneOf, schema.anyOf].flatMap((each) => (Array.isArray(each) ? each : []));
  if (first !== undefined) return exampleOf(first, schemas);
  if (schema.type === 'array') return [exampleOf(schema.items, schemas)].filter(isGiven);
  return objectExample(schema, schemas);
}

function objectExample({ type, allOf, properties }: JsonObject, schemas: Schemas): Json | undefined {
  const parts = Array.isArray(allOf) ? allOf.map((part) => exampleOf(part, schemas)).filter(isObject) : [];
  const fields = (isObject(properties) ? Object.entries(properties) : [])
    .map(([name, field]) => [name, exampleOf(field, schemas)])
    .filter(([, example]) => isGiven(example));
  if (fields.length === 0 && parts.length === 0 && type !== 'object') return undefined;
  return Object.assign({}, ...parts, Object.fromEntries(fields));
}

/** Schemas and operations whose fields are those of another. */
const sameFields: Readonly<Record<string, string>> = {
  DetailedDelivery: 'Delivery',
  ListDetailedDeliveries: 'ListDeliveries',
};

function factOf<T>(facts: Readonly<Record<string, T>>, scope: string, name: string): T | undefined {
  return facts[`${sameFields[scope] ?? scope}.${name}`] ?? facts[name];
}

function typeOfValues({ type, ...schema }: JsonObject): JsonObject {
  if (type !== undefined) return {};
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? { type: 'string' } : {};
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Puts each schema that has a title into the components, once, and refers to it. */
export function refer(schema: Json, schemas: Map<string, Json>): Json {
  if (Array.isArray(schema)) return schema.map((part) => refer(part, schemas));
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, refer(part, schemas)]),
  );
  if (typeof schema.title !== 'string') return inner;
  if (!schemas.has(schema.title)) schemas.set(schema.title, inner);
  return referenceTo(schema.title);
}

export function referenceTo(title: string) {
  return { $ref: `#/components/schemas/${title}` };
}

/** The title of the schema that a reference leads to. */
export function titleOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** A schema as plain JSON, without the internal fields of the schema library. */
export function plainOf(schema: object): Json {
  return JSON.parse(JSON.stringify(schema));
}
