import { expect, test } from 'vitest';
import { waybill } from '../harness.ts';

test.each([
  [
    ['help', 'output'],
    'A table wider than the terminal leaves columns out, as stderr says, or turns into cards.',
  ],
  [['help', 'scenarios'], 'lets one quote too that only quotes when it is named; you still choose'],
  [['orders', 'create', '--help'], 'lets one quote too that only quotes when it is named'],
  [['orders', 'create', '--help'], 'by its id, its delivery or your reference'],
  [
    ['orders', 'list', '--help'],
    'Nothing on stderr but errors, and a warning where an expired quote was replaced',
  ],
])('%j says that: %s', async (line, text) => {
  const { stdout, exit } = await waybill(line);
  expect([exit, stdout.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(text)]);
});

test('where there are no manual pages, the help that says the same is named', async () => {
  const { stderr, exit } = await waybill(['help', '--man-path']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('`waybill help COMMAND` says the same.\n')]);
});
