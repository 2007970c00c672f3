import { expect, test } from 'vitest';
import { jsonOf } from '../../harness.ts';
import { narrow, tooWide } from '../../narrow.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const day = 86_400_000;
const create = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', '--tip', '3', '--json'];
const id = String(jsonOf((await box.run(create)).stdout).id);
box.advance(day);

/** The words of a page, without charts, which depend on the width. */
const wordsIn = (page: string) => page.split(/\s+/).filter((word) => !/^1[-.\d]+$/.test(word));

test.each([
  ['explain', 'local'],
  ['watch', 'relative'],
  ['watch', 'iso'],
])('deliveries %s of yesterday, --time %s: no line is too wide, no word is broken', async (verb, time) => {
  const page = async (columns: number) => {
    const options = { tty: true, columns, env: { NO_COLOR: '1' } };
    const { stdout, exit } = await box.run(['deliveries', verb, id, '--time', time], options);
    expect(exit).toBe(0);
    return stdout;
  };
  const [small, wide] = [await page(narrow), await page(200)];
  expect(tooWide(small)).toEqual([]);
  expect(wordsIn(small).sort()).toEqual(wordsIn(wide).sort());
});
