import { expect, test } from 'vitest';
import { openScreen } from '../../../../src/cli/kit/prompts/screen.ts';
import { fakeTerminal } from './terminal.ts';

function onTerminal(columns: number, rows: number) {
  const terminal = fakeTerminal({ columns, rows });
  return { ...terminal, screen: openScreen(terminal.output) };
}

test('a line is wrapped at its spaces and kept as it is displayed', async () => {
  const { screen, lines } = onTerminal(20, 10);
  screen.print('✔ And a name that is long');
  const rows = ['✔ And a name that is', 'long'];
  expect([await lines(), screen.printed.get()]).toEqual([rows, rows]);
});

test('lines are redrawn from the first that differs', async () => {
  const { screen, output, lines } = onTerminal(20, 10);
  screen.print('first');
  output.write('a line that takes two rows\r\n');
  screen.record('a line that takes two rows\n');
  screen.print('third');
  screen.printed.replace(['first', 'second', 'third']);
  const replaced = ['first', 'second', 'third'];
  expect([await lines(), screen.printed.get()]).toEqual([replaced, replaced]);
  screen.printed.replace(['first']);
  screen.print('last');
  expect(await lines()).toEqual(['first', 'last']);
});

test('of more lines than fit, the last ones are redrawn', async () => {
  const { screen, visibleLines } = onTerminal(20, 5);
  for (let at = 1; at <= 9; at += 1) screen.print(`line ${at}`);
  screen.printed.replace(['line 1', 'line 2', 'line 9']);
  expect((await visibleLines()).filter((line) => line !== '')).toEqual(['line 1', 'line 2', 'line 9']);
  screen.print('next');
  expect((await visibleLines()).at(-1)).toBe('next');
});

test('a terminal of unknown size has 80 columns and 24 rows', () => {
  const { columns, rows } = openScreen(
    Object.assign(fakeTerminal({ columns: 1 }).output, { columns: 0, rows: 0 }),
  );
  expect([columns, rows]).toEqual([80, 24]);
});
