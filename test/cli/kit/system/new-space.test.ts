import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Prints the size of the space for new objects in MB after work that makes many, and after the same work without the limit. */
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { withSmallNewSpace } from './new-space.ts';

  const size = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
  const work = async () => {
    const kept = [];
    for (let count = 0; count < 2_000_000; count++) kept[count % 200_000] = { count };
    return size();
  };
  console.log(JSON.stringify([await withSmallNewSpace(work), await work()]));
`;

test('the space for new objects stays small during the work, and only then', () => {
  const cwd = new URL('../../../../src/cli/kit/system/', import.meta.url);
  const args = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/, '')).toBe('');
  const [during, after] = JSON.parse(stdout);
  expect(during).toBeLessThan(after / 4);
});
