/** The rules between the fields of requests (`FieldRule` of `schema.ts`) as JSON Schema. */
import type { Json } from './openapi-examples.ts';
import { isObject, type JsonObject } from './openapi-schemas.ts';
import type { FieldRule } from './schema.ts';

/** A plain schema with the rules of all its objects written out: in `allOf`, and `dependentRequired` for pairs. */
export function writeRules(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(writeRules);
  if (!isObject(schema)) return schema;
  const { 'x-rules': rules, ...rest } = schema;
  const inner: JsonObject = Object.fromEntries(
    Object.entries(rest).map(([name, part]) => [name, name === 'default' ? part : writeRules(part)]),
  );
  if (!isRules(rules)) return inner;
  const fields = isObject(inner.properties) ? inner.properties : {};
  const together = rules.flatMap((rule) => ('together' in rule ? [rule.together] : []));
  const pairs = together.flatMap((names) =>
    names.map((name) => [name, names.filter((other) => other !== name)] as const),
  );
  return {
    ...inner,
    ...(pairs.length > 0 && { dependentRequired: Object.fromEntries(pairs) }),
    allOf: rules.flatMap((rule) => conditionsOf(rule, fields)),
  };
}

/** The rule of an object that needs any field, where null counts as absent. */
export function anyField({ properties }: JsonObject): JsonObject {
  const fields = isObject(properties) ? properties : {};
  return { anyOf: Object.keys(fields).map((name) => present([name], fields)) };
}

/** Whether an object of these rules needs any field at all. */
export function needsFields(schema: Json): boolean {
  if (!isObject(schema)) return false;
  if (Array.isArray(schema.required) && schema.required.length > 0) return true;
  const { 'x-rules': rules } = schema;
  return isRules(rules) && rules.some((rule) => 'any' in rule);
}

function isRules(rules: unknown): rules is readonly FieldRule[] {
  return Array.isArray(rules);
}

function conditionsOf(rule: FieldRule, fields: JsonObject): JsonObject[] {
  if ('schema' in rule) return [JSON.parse(JSON.stringify(rule.schema))];
  if ('any' in rule) return [{ anyOf: rule.any.map((names) => present(names, fields)) }];
  // With `not`: from `anyOf`, client generators would make a union of every combination.
  if ('together' in rule) {
    return rule.together.flatMap((name) =>
      rule.together
        .filter((other) => other !== name)
        .map((other) => ({ not: presentWithout(name, other, fields) })),
    );
  }
  if ('without' in rule) {
    const [first = '', ...others] = rule.without;
    return others.map((other) => ({ not: present([first, other], fields) }));
  }
  return rule.one.flatMap((name, index) =>
    rule.one.slice(index + 1).map((other) => ({ not: present([name, other], fields) })),
  );
}

/** All of the fields are given; null counts as absent. */
function present(names: readonly string[], fields: JsonObject): JsonObject {
  return {
    required: [...names],
    properties: Object.fromEntries(names.map((name) => [name, ofType(typeOf(fields[name]))])),
  };
}

/** Linters want to know what a list has. */
function ofType(type: Json): JsonObject {
  return type === 'array' ? { type, items: {} } : { type };
}

/** One field is given, and another is not. */
function presentWithout(name: string, other: string, fields: JsonObject): JsonObject {
  return {
    required: [name],
    properties: { [name]: ofType(typeOf(fields[name])), [other]: { type: 'null' } },
  };
}

/** The JSON types of a field's values. */
function typeOf(field: Json | undefined): Json {
  if (!isObject(field)) return 'object';
  if (field.type !== undefined) return field.type;
  const shapes = Array.isArray(field.anyOf) ? field.anyOf.map(typeOf) : [];
  if (shapes.length > 0) return [...new Set(shapes)].filter((type) => type !== 'null');
  return 'string';
}
