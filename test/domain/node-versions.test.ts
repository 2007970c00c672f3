import { expect, test } from 'vitest';
import { isSupportedNode } from '../../src/domain/node-versions.ts';

test.each([
  ['20.19.5', false],
  ['22.21.9', false],
  ['22.22.1', false],
  ['22.22.2', true],
  ['22.23.0', true],
  ['24.14.9', false],
  ['24.15.0', true],
  ['25.9.0', false],
  ['26.0.0', true],
])('Node %s is supported: %s', (version, expected) => {
  expect(isSupportedNode(version)).toBe(expected);
});
