import { afterAll, describe, expect, test } from 'vitest';
import { commands } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { runsOf } from './every-run.ts';
import { formulasIn, hostile, obeyed } from './kit/output/hostile-text.ts';

const records = await everyRecord();
const ran = runsOf(records);
const between = hostile;
const forged = /^\s*forged/m;
let seen = 0;

/** A match in a text, with its surroundings. */
function found(text: string): string | null {
  const { index } = obeyed.exec(text) ?? {};
  return index === undefined ? null : JSON.stringify(text.slice(Math.max(0, index - 40), index + 20));
}

describe.each(commands.filter((entry) => lineOf(entry, records.ids).asksAlone !== true))(
  '$words, where people wrote what a terminal obeys and what a spreadsheet runs',
  (entry) => {
    test.each([
      ['a table', [], 1000],
      ['JSON, and both sides of each exchange', ['--json', '--debug', '--curl'], 80],
    ])('no control character reaches a terminal: %s', async (_, flags, columns) => {
      const env = { NO_COLOR: '1' };
      const { stdout, stderr } = await ran(entry, flags, { between, tty: true, columns, env });
      expect(found(stdout + stderr)).toBeNull();
      if (columns === 1000) expect(stdout + stderr).not.toMatch(forged);
      if ((stdout + stderr).includes('calc')) seen += 1;
    });

    test('nor a pipe, where each is replaced', async () => {
      const { stdout, stderr } = await ran(entry, ['-o', 'tsv'], { between });
      expect(found(stdout)).toBeNull();
      expect(stdout + stderr).not.toMatch(forged);
      const isValues = !stdout.startsWith('{') && lineOf(entry, records.ids).isCode !== true;
      if (isValues) expect(formulasIn(stdout, 'tsv')).toEqual([]);
    });
  },
);

afterAll(() => expect(seen).toBeGreaterThan(100));
