import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { errorTable } from '../../src/contract/errors.ts';
import { describeInterface, errorsOf, everyOperation } from '../../src/contract/openapi.ts';

const description = describeInterface('https://shop.example');
const text = JSON.stringify(description);

test('the description passes a published OpenAPI 3.1 validator', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(text));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('it holds every operation at each of its paths', () => {
  for (const operation of everyOperation) {
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      expect(
        description.paths[path]?.[operation.method.toLowerCase()],
        `${operation.method} ${path}`,
      ).toBeDefined();
    }
  }
  expect(text).toContain('"operationId":"GetRouteQuotes"');
  expect(text).toContain('"operationId":"ListRouteQuotes"');
});

test('it holds every field of every schema', () => {
  for (const { params, query, body, answer } of everyOperation) {
    for (const schema of [params, query, body, answer]) {
      for (const name of fieldNames(schema ?? {})) expect(text).toContain(`"${name}"`);
    }
  }
});

test('it holds every error code, each at an operation that may answer with it', () => {
  const told = new Set(everyOperation.flatMap(errorsOf));
  // These two are answers to requests that match no operation.
  const outside = ['not_found', 'method_not_allowed'];
  expect([...told, ...outside].sort()).toEqual(Object.keys(errorTable).sort());
  for (const code of Object.keys(errorTable)) expect(text).toContain(`"${code}"`);
});

test('every reference leads somewhere', () => {
  const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
  const schemas = Object.keys(description.components.schemas);
  expect(references.length).toBeGreaterThan(20);
  for (const name of references) expect(schemas).toContain(name);
});

function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own =
    'properties' in schema && typeof schema.properties === 'object'
      ? Object.keys(schema.properties ?? {})
      : [];
  return [...own, ...Object.values(schema).flatMap(fieldNames)];
}
