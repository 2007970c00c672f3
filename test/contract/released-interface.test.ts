import { expect, test } from 'vitest';
import { interfaceLines, releasedLines } from './interface-lines.ts';

test('everything of the last released interface is there, and unchanged', () => {
  const today = new Set(interfaceLines());
  const gone = releasedLines().filter((line) => !today.has(line));
  expect(
    gone,
    'a client may use these; after a decision, run test/contract/interface-lines.ts --write',
  ).toEqual([]);
});
