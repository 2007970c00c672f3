import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { oneOf } from '../../../in-part.ts';
import { formulasIn, hostile, obeyed, readings } from './hostile-text.ts';

const { box, lines } = await readings();
const transport = hostile(box.transport);

/** The styles that the program writes itself. */
const own = /\p{Cc}\[(?:\d+;?)*m/gu;

/** The ways to write a result to a terminal that the tests of every command do not try. */
const onTerminals: [name: string, flags: string[], columns: number, read: string[][]][] = [
  ['cards', [], 40, lines.filter(oneOf(2))],
  ['wide', ['-o', 'wide'], 200, lines.filter(oneOf(2, 1))],
  ['ndjson', ['-o', 'ndjson'], 80, lines.filter(oneOf(2))],
  // Each text, and all of them as one.
  ['jq', ['--jq', '(.. | strings), ([.. | strings] | join("\\n"))'], 80, lines.slice(0, 8)],
];

test.each(onTerminals)(
  'no control character of third-party text reaches a terminal: %s',
  async (_, flags, columns, read) => {
    let seen = 0;
    for (const line of read) {
      const { stdout, stderr } = await box.run([...line, ...flags], { transport, tty: true, columns });
      const text = (stdout + stderr).replace(own, '');
      expect(obeyed.exec(text), `${line.join(' ')}: ${JSON.stringify(text)}`).toBeNull();
      if (text.includes('calc')) seen += 1;
    }
    expect(seen).toBeGreaterThan(5);
  },
);

test('a CSV has no formula of third-party text', async () => {
  for (const line of lines) {
    const { stdout } = await box.run([...line, '-o', 'csv'], { transport });
    expect(obeyed.exec(stdout), line.join(' ')).toBeNull();
    expect(stdout.startsWith('{') ? [] : formulasIn(stdout, 'csv'), line.join(' ')).toEqual([]);
  }
});

const ids = /\b(?:ord|rte|rq|dlv|bat|str|whe|key|evt|acct)_[0-9A-Z]{26}\b/g;
const addresses = /https?:\/\/[^\s"]+/g;

test('every list and record at 60 columns', async () => {
  const columns = 60;
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
