import { expect, test } from 'vitest';
import { nearNames } from '../../src/domain/near-names.ts';
import { scenarioNames } from '../../src/domain/scenarios.ts';

test.each([
  ['no_drivr', ['no_driver']],
  ['hapyp_path', ['happy_path']],
  ['quote_expird', ['quote_expired']],
  ['customer', ['customer_refused', 'customer_unreachable', 'customer_unreachable_on_route']],
  ['sunny', []],
])('names near %s are %j', (word, names) => {
  expect(nearNames(word, scenarioNames)).toEqual(names);
});

test('short words allow one wrong letter, and at most three names are suggested, nearest first', () => {
  expect(nearNames('st', ['get', 'set', 'list', 'start'])).toEqual(['set']);
  expect(nearNames('xa', ['ay', 'yx'])).toEqual([]);
  expect(nearNames('lsit', ['sim', 'list'])).toEqual(['list']);
  expect(nearNames('aaaaa', ['aaabb', 'aaaab', 'aaaaa', 'baaaa'])).toEqual(['aaaaa', 'aaaab', 'baaaa']);
});
