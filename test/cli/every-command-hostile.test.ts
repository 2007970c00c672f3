import { afterAll, expect, test } from 'vitest';
import { oneOf } from '../in-part.ts';
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

const answering = commands.filter((entry) => lineOf(entry, records.ids).asksAlone !== true);
const table = { flags: [], columns: 1000 };
const json = { flags: ['--json', '--debug', '--curl'], columns: 80 };

/** In people's words stands what a terminal obeys and what a spreadsheet runs. Half go to a terminal, half to a pipe. */
test.each([
  ...answering.filter(oneOf(2, 1)).map((entry) => ({ ...entry, entry, what: 'a table', ...table })),
  ...answering
    .filter(oneOf(3))
    .map((entry) => ({ ...entry, entry, what: 'JSON, and both sides of each exchange', ...json })),
])('$words: no control character reaches a terminal: $what', async ({ entry, flags, columns }) => {
  const env = { NO_COLOR: '1' };
  const { stdout, stderr } = await ran(entry, flags, { between, tty: true, columns, env });
  expect(found(stdout + stderr)).toBeNull();
  if (columns === 1000) expect(stdout + stderr).not.toMatch(forged);
  if ((stdout + stderr).includes('calc')) seen += 1;
});

test.each(answering.filter(oneOf(2)))('$words: nor a pipe, where each is replaced', async (entry) => {
  const { stdout, stderr } = await ran(entry, ['-o', 'tsv'], { between });
  expect(found(stdout)).toBeNull();
  expect(stdout + stderr).not.toMatch(forged);
  const isValues = !stdout.startsWith('{') && lineOf(entry, records.ids).isCode !== true;
  if (isValues) expect(formulasIn(stdout, 'tsv')).toEqual([]);
});

afterAll(() => expect(seen).toBeGreaterThan(40));
