import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import { readings } from './hostile-text.ts';

const { box, lines } = await readings();
const ids = /\b(?:ord|rte|rq|dlv|bat|str|whe|key|evt|acct)_[0-9A-Z]{26}\b/g;
const addresses = /https?:\/\/[^\s"]+/g;

test.each([40, 60, 80])('every list and record at %d columns', async (columns) => {
  for (const line of lines) {
    const { stdout } = await box.run(line, { tty: true, columns });
    if (stdout.startsWith('{')) continue;
    const over = stdout.split('\n').filter((text) => displayWidth(text) > columns);
    const broken = over.filter((text) => !standsAlone(text));
    expect(broken, line.join(' ')).toEqual([]);
  }
});

/** An id or URL that is longer than a line is not broken, but on its own line; a command stays copyable. */
function standsAlone(text: string): boolean {
  return /^\s*(?:\S{30,}$|waybill )/.test(stripVTControlCharacters(text));
}

test('no id or address is cut: those of a wide terminal are all in a narrow one', async () => {
  for (const line of lines) {
    const wide = (await box.run([...line, '-o', 'wide'], { tty: true, columns: 400 })).stdout;
    const narrow = (await box.run([...line, '-o', 'wide'], { tty: true, columns: 40 })).stdout;
    for (const word of [...(wide.match(ids) ?? []), ...(wide.match(addresses) ?? [])])
      expect(narrow, line.join(' ')).toContain(word);
  }
});
