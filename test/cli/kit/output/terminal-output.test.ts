import { expect, test } from 'vitest';
import { PipeClosed } from '../../../../src/cli/kit/host/host.ts';
import { isLongerThanScreen, pagerCommand } from '../../../../src/cli/kit/output/terminal-output.ts';
import { freshHome, type RunOptions, waybill } from '../../harness.ts';

const line = ['sandbox', 'scenarios'];
const home = freshHome();

/** A pager that records its texts, and quits after a number of them. */
function pagerOf(leftAfter = Number.POSITIVE_INFINITY) {
  const shown: string[] = [];
  const words: string[][] = [];
  const pager: RunOptions['pager'] = async (asked) => {
    words.push([...asked]);
    return {
      write: async (text) => {
        if (shown.length >= leftAfter) throw new PipeClosed();
        shown.push(text);
      },
      end: async () => void shown.push('<end>'),
    };
  };
  return { shown, words, pager };
}

const screen = { home, tty: true, columns: 100, rows: 20 };
const { stdout: whole } = await waybill(line, { home, tty: true, columns: 100 });

test('output longer than the screen goes through the pager, which is closed before other messages', async () => {
  const { shown, words, pager } = pagerOf();
  const { stdout, stderr, exit } = await waybill(line, { ...screen, pager });
  expect([exit, stdout, words]).toEqual([0, '', [['less', '-FRX']]]);
  expect(shown).toEqual([whole, '<end>']);
  expect(stderr).toContain('For one order: --simulate NAME');
});

const unpaged: [string, Partial<RunOptions>, ...string[]][] = [
  ['a high screen', { rows: 200 }],
  ['a pipe', { tty: false }],
  ['CI', { env: { CI: '1' } }],
  ['a dumb terminal', { env: { TERM: 'dumb' } }],
  ['an empty PAGER', { env: { PAGER: '' } }],
  ['cat', { env: { WAYBILL_PAGER: 'cat', PAGER: 'less' } }],
  ['accessible mode', { env: { ACCESSIBLE: '1' } }],
  ['a flag', {}, '--no-pager'],
  ['a variable', { env: { WAYBILL_NO_PAGER: '1' } }],
  ['JSON', {}, '--json'],
];

test.each(unpaged)('not with %s', async (_, options, ...flags) => {
  const { words, pager } = pagerOf();
  const { stdout, exit } = await waybill([...line, ...flags], { ...screen, ...options, pager });
  expect([exit, words]).toEqual([0, []]);
  expect(stdout).not.toBe('');
});

test('a missing or closed pager does no harm', async () => {
  const missing = await waybill(line, { ...screen, pager: async () => null });
  expect([missing.exit, missing.stdout]).toEqual([0, whole]);
  const { shown, pager } = pagerOf(0);
  const left = await waybill(line, { ...screen, pager });
  expect([left.exit, left.stdout, shown]).toEqual([0, '', ['<end>']]);
  expect(left.stderr).toContain('For one order: --simulate NAME');
});

test('help is paged too', async () => {
  for (const words of [['deliveries', 'list', '--help'], ['help', 'output'], ['orders']]) {
    const { shown, pager } = pagerOf();
    const { stdout, exit } = await waybill(words, { ...screen, pager });
    expect([exit, stdout, shown.length], words.join(' ')).toEqual([0, '', 2]);
    expect((await waybill([...words, '--no-pager'], { ...screen, pager })).stdout).toBe(shown[0]);
  }
});

test.each([
  [{}, ['less', '-FRX']],
  [{ PAGER: 'more' }, ['more']],
  [{ PAGER: 'more', WAYBILL_PAGER: '\'my pager\' -x "a b"' }, ['my pager', '-x', 'a b']],
  [{ PAGER: '  ' }, null],
  [{ PAGER: 'more', WAYBILL_PAGER: '' }, null],
])('the words of %o', (environment, words) => {
  expect(pagerCommand(environment)).toEqual(words);
});

test('a wrapped line counts as several; the last row is for the shell', () => {
  expect(isLongerThanScreen('a\nb\n', { columns: 80, rows: 3 })).toBe(false);
  expect(isLongerThanScreen('a\nb\nc\n', { columns: 80, rows: 3 })).toBe(true);
  expect(isLongerThanScreen(`${'a'.repeat(200)}\n`, { columns: 80, rows: 3 })).toBe(true);
  expect(isLongerThanScreen('a\n'.repeat(99), { columns: 80, rows: null })).toBe(false);
});
