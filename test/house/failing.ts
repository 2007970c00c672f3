import { expect, test } from 'vitest';

test('this test fails', () => {
  expect('a failure').toBe('shown by the exit code');
});
