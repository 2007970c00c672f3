import { expect, test } from 'vitest';
import { createFaultKinds } from '../../../../../src/cli/commands/orders/import/fault-kinds.ts';

test.each([
  [[8], 'line 8'],
  [[2, 3, 4], 'lines 2-4'],
  [[10, 8], 'lines 8, 10'],
  [[10, 8, 9], 'lines 8-10'],
  [[20, 10, 9, 8], 'lines 8-10, 20'],
  [[2, 4, 6, 8, 10, 12, 14, 16, 18], 'lines 2, 4, 6, 8, 10, 12, 14, 16 and others, 9 in all'],
])('the lines %j of a fault are named %s', (lines, path) => {
  const kinds = createFaultKinds();
  for (const line of lines) kinds.add(line, '', 'is wrong');
  expect(kinds.list()).toMatchObject([{ path }]);
});
