import { expect, test } from 'vitest';
import { typesFlag } from '../../../src/cli/nouns/event.ts';

const types = typesFlag({ summary: 'Types' });

test('types are names and prefixes, each once; opt-in types must be named', () => {
  expect(types.read(['order.failed,delivery.*', 'order.failed'])).toEqual([
    'order.failed',
    'delivery.created',
    'delivery.updated',
  ]);
  expect(types.read(['delivery.location_updated'])).toEqual(['delivery.location_updated']);
  expect(types.read(['*'])).not.toContain('delivery.location_updated');
  expect(() => types.read(['order.made'])).toThrow(/must be one of/);
});
