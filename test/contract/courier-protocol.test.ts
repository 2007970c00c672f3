import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { describeCourierProtocol } from '../../src/contract/courier-protocol/openapi.ts';

const text = JSON.stringify(describeCourierProtocol());

test('the description of the courier protocol passes a published OpenAPI 3.1 validator', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(text));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
});

test('it passes the recommended rules of a published linter', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, config });
  const found = problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
  expect(found).toEqual([]);
});

test('it has six calls and one event', () => {
  const { paths, webhooks } = describeCourierProtocol();
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(calls).toEqual([
    'get /courier',
    'post /quotes',
    'put /deliveries/{orderId}',
    'get /deliveries/{orderId}',
    'post /deliveries/{orderId}/cancel',
    'post /deliveries/{orderId}/simulate',
  ]);
  expect(Object.keys(webhooks)).toEqual(['delivery']);
});
