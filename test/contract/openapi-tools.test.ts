import { createConfig, lintFromString } from '@redocly/openapi-core';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { describeInterface, everyOperation } from '../../src/contract/openapi.ts';
import { fieldExamples } from '../../src/contract/openapi-examples.ts';
import { requestExamples } from '../../src/contract/openapi-operations.ts';
import { fieldDescriptions } from '../../src/contract/openapi-schemas.ts';
import { type Fields, isFields } from '../../src/domain/fields.ts';

const text = JSON.stringify(describeInterface('https://deliveries.example'));
const description: Fields = JSON.parse(text);

/** Every object within a value, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<[path: string, object: Fields]> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* objectsIn(item, `${path}/${index}`);
  if (!isFields(value)) return;
  yield [path, value];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${name}`);
}

/** What the schema of a field leads to. */
function resolved(schema: unknown): Fields {
  if (!isFields(schema)) return {};
  if (typeof schema.$ref !== 'string') return schema;
  let found: unknown = description;
  for (const name of schema.$ref.split('/').slice(1)) found = isFields(found) ? found[name] : undefined;
  return resolved(found);
}

/** Whether a value can be made of the examples of a schema. */
function hasExample(schema: unknown): boolean {
  const { examples, properties, items, anyOf, oneOf, allOf } = resolved(schema);
  if (Array.isArray(examples)) return examples.length > 0;
  if (items !== undefined) return hasExample(items);
  if (isFields(properties)) return Object.values(properties).every(hasExample);
  return [anyOf, oneOf, allOf].some((each) => Array.isArray(each) && each.some(hasExample));
}

async function lint(source: string): Promise<string[]> {
  const rules = { 'no-invalid-schema-examples': 'error', 'no-invalid-media-type-examples': 'error' } as const;
  const config = await createConfig({ extends: ['recommended'], rules });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

test('redocly reports nothing, and the examples match their schemas', async () => {
  expect(await lint(text)).toEqual([]);
});

/** A pattern as tools for Go read it: RE2 writes code points of four digits in another way. */
function forRe2(pattern: string): string {
  return pattern.replaceAll(/\\u([0-9a-f]{4})/g, '\\x{$1}');
}

test('every pattern is valid in ECMAScript and in RE2, which has no look-ahead', () => {
  const patterns = [...objectsIn(description)].flatMap(([, { pattern }]) =>
    typeof pattern === 'string' ? pattern : [],
  );
  expect(patterns.length).toBeGreaterThan(20);
  for (const pattern of new Set(patterns)) {
    expect(pattern, 'characters that one does not see').toMatch(/^[\x20-\x7e]*$/);
    expect(() => RE2JS.compile(forRe2(pattern)), pattern).not.toThrow();
    const samples = [
      '',
      ' ',
      'Joe',
      '  Joe',
      'Joe\n',
      'a,b',
      '\u00a0',
      '\u00a0x',
      'a\u0000',
      '\u0085',
      'x\rz',
    ];
    for (const sample of samples) {
      const isMatch = new RegExp(pattern, 'u').test(sample);
      expect(
        RE2JS.compile(forRe2(pattern)).matcher(sample).find(),
        `${pattern} and ${JSON.stringify(sample)}`,
      ).toBe(isMatch);
    }
  }
});

test('every operation, tag and request body has a description, and every request body an example', () => {
  const places = isFields(description.paths) ? Object.values(description.paths) : [];
  const operations = places
    .flatMap((place) => (isFields(place) ? Object.values(place) : []))
    .filter(isFields);
  expect(operations.length).toBeGreaterThan(everyOperation.length);
  for (const { operationId, summary, description: more, requestBody } of operations) {
    expect(more, String(operationId)).toEqual(expect.stringMatching(/\.$/));
    expect(more).not.toBe(summary);
    if (isFields(requestBody))
      expect(JSON.stringify(requestBody), String(operationId)).toContain('"example":');
  }
  for (const [path, { tags }] of objectsIn({ tags: description.tags })) {
    if (Array.isArray(tags)) for (const tag of tags) expect(tag.description, path).not.toBe(tag.name);
  }
});

/** A rule between fields, which are described elsewhere. */
const rule = /\/allOf\/\d+(\/|$)|\/schemas\/rule_\d+/;

test('every field and parameter has a description and an example', () => {
  const missing: string[] = [];
  for (const [path, object] of objectsIn(description)) {
    if (isFields(object.properties) && !path.endsWith('/properties') && !rule.test(path)) {
      for (const [name, field] of Object.entries(object.properties)) {
        if (path.includes('/responses/') && name === 'code') continue;
        const isDescribed =
          isFields(field) && typeof (field.description ?? resolved(field).description) === 'string';
        if (!isDescribed) missing.push(`description of ${path}/${name}`);
        if (!hasExample(field) && !isOpen(field)) missing.push(`example of ${path}/${name}`);
      }
    }
    if ('in' in object && 'schema' in object) {
      if (typeof object.description !== 'string') missing.push(`description of ${path}`);
      if (!hasExample(object.schema)) missing.push(`example of ${path}`);
    }
  }
  expect(missing).toEqual([]);
});

/** An object that may have any field. */
function isOpen(schema: unknown): boolean {
  return isFields(schema) && schema.additionalProperties === true;
}

test('no description or example belongs to an unknown field', () => {
  const names = new Set(
    [...objectsIn(description)].flatMap(([, { properties, name }]) => [
      ...(isFields(properties) ? Object.keys(properties) : []),
      ...(typeof name === 'string' ? [name] : []),
    ]),
  );
  const known = [...Object.keys(fieldDescriptions), ...Object.keys(fieldExamples)];
  expect(known.filter((key) => !names.has(key.split('.').at(-1) ?? ''))).toEqual([]);
  const withBody = everyOperation.filter(({ body }) => body !== undefined).map(({ id }) => id);
  expect(Object.keys(requestExamples).sort()).toEqual(withBody.sort());
});
