import { EventEmitter } from 'node:events';
import { Terminal } from '@xterm/headless';
import { expect, test } from 'vitest';
import { openBoard } from '../../../../src/cli/kit/prompts/screen.ts';

function onScreen(columns: number, rows: number) {
  const screen = new Terminal({ cols: columns, rows, allowProposedApi: true });
  const paper = Object.assign(new EventEmitter(), {
    columns,
    rows,
    write: (text: string) => screen.write(text),
  });
  const lines = async ({ isWhole } = { isWhole: true }) => {
    await new Promise<void>((resolve) => screen.write('', resolve));
    const { active } = screen.buffer;
    const first = isWhole ? 0 : active.baseY;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true));
    return all.slice(first, all.findLastIndex((line) => line !== '') + 1);
  };
  const resize = (width: number) => {
    screen.resize(width, rows);
    paper.columns = width;
    paper.emit('resize');
  };
  /** What is in sight. */
  const seen = () => lines({ isWhole: false });
  return { board: openBoard(paper), paper, lines, seen, resize };
}

const list = (...choices: string[]) => ({ lines: ['? Which?', ...choices], cursor: null });
const typed = (line: string) => ({ lines: [line], cursor: { line: 0, column: line.length } });

test('a question is drawn in place, stays when it is answered, and goes when it is gone back from', async () => {
  const { board, lines } = onScreen(20, 10);
  board.show(list('❯ one', '  two', '  three'));
  board.show(list('  one', '❯ two'));
  expect(await lines()).toEqual(['? Which?', '  one', '❯ two']);
  board.show(typed('✔ Which? two'));
  board.leave('kept');
  board.show(typed('? And a name that is long'));
  expect(await lines()).toEqual(['✔ Which? two', '? And a name that is', 'long']);
  board.leave('taken');
  board.leave('taken');
  expect([await lines(), board.lines()]).toEqual([['✔ Which? two'], ['✔ Which? two']]);
});

test('a list that stands while the terminal shrinks and grows is drawn once', async () => {
  const { board, lines, resize } = onScreen(60, 20);
  board.show(list('❯ poolride, $6.47 ($5.99 + $0.48), there at 10:41, 4:07 left', '  haulvan'));
  resize(24);
  expect(await lines()).toEqual([
    '? Which?',
    ...['❯ poolride, $6.47 ($5.99', '    + $0.48), there at', '    10:41, 4:07 left'],
    '  haulvan',
  ]);
  resize(60);
  const whole = ['? Which?', '❯ poolride, $6.47 ($5.99 + $0.48), there at 10:41, 4:07 left', '  haulvan'];
  expect(await lines()).toEqual(whole);
  board.leave('kept');
  resize(24);
  expect(board.lines()).toEqual(whole);
});

test('lines are drawn again from the first that is another on', async () => {
  const { board, paper, lines } = onScreen(20, 10);
  const say = (text: string) => {
    paper.write(`${text}\r\n`);
    board.heard(`${text}\n`);
  };
  for (const text of ['first', 'a line that takes two rows', 'third']) say(text);
  board.redraw(['first', 'second', 'third']);
  expect([await lines(), board.lines()]).toEqual([
    ['first', 'second', 'third'],
    ['first', 'second', 'third'],
  ]);
  board.redraw(['first']);
  say('last');
  expect(await lines()).toEqual(['first', 'last']);
});

test('of lines that are out of sight the last are drawn again, as many as there is room for', async () => {
  const { board, paper, seen } = onScreen(20, 5);
  for (let at = 1; at <= 9; at += 1) {
    paper.write(`line ${at}\r\n`);
    board.heard(`line ${at}\n`);
  }
  board.redraw(['line 1', 'line 2', 'line 9']);
  expect((await seen()).filter((line) => line !== '')).toEqual(['line 1', 'line 2', 'line 9']);
  board.show(typed('? Next'));
  expect((await seen()).at(-1)).toBe('? Next');
});

test('a question that has no room is cut at its end, or above the cursor', async () => {
  const { board, seen } = onScreen(20, 4);
  board.show(list('❯ one', '  two', '  three', '  four'));
  expect(await seen()).toEqual(['? Which?', '❯ one', '  two']);
  board.leave('taken');
  board.show(typed(`? ${'word '.repeat(20)}`));
  expect(await seen()).toHaveLength(3);
});
