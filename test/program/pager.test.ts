import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inTerminal } from './pseudo-terminal.ts';
import { freshHome } from './run.ts';

/** A pager that shows its first line and quits on Enter; it ignores Ctrl+C. */
const script = `trap '' INT; head -n 1; cat > /dev/null; echo PAGED; read -r key < /dev/tty; echo LEFT`;

/** Runs a command whose output is longer than the terminal. */
function paged(pager?: string, argv = ['sandbox', 'scenarios']) {
  const home = freshHome();
  writeFileSync(join(home.folder, 'pager.sh'), script);
  return inTerminal(home, argv, { cols: 80, rows: 20, env: { PAGER: pager ?? 'sh pager.sh' } });
}

const appears = (shown: () => string, text: string) =>
  expect.poll(shown, { timeout: 15_000 }).toContain(text);

test.each([
  [['sandbox', 'scenarios'], 'WHAT HAPPENS'],
  [['orders', 'create', '--help'], 'Create an order'],
])(
  '%j waits for its pager, which Ctrl+C does not end',
  async (argv, first) => {
    const { terminal, ended, shown } = paged(undefined, argv);
    await appears(shown, 'PAGED');
    terminal.write('\u0003');
    await appears(shown, '^C');
    expect(shown()).not.toContain('LEFT');
    terminal.write('\r');
    expect(await ended).toEqual({ exit: 0, signal: 0 });
    expect(shown()).toContain(first);
    expect(shown()).toContain('LEFT');
    expect(shown()).not.toContain('Interrupted');
  },
  30_000,
);

test('a pager that is closed at once, or is missing, does no harm', async () => {
  const left = paged('head -n 1');
  expect(await left.ended).toEqual({ exit: 0, signal: 0 });
  expect(left.shown()).not.toContain('happy_path');
  const missing = paged('no-such-pager -R');
  expect(await missing.ended).toEqual({ exit: 0, signal: 0 });
  expect(missing.shown()).toContain('happy_path');
}, 30_000);

test('a terminated program ends its pager', async () => {
  const { terminal, ended, shown } = paged();
  await appears(shown, 'PAGED');
  process.kill(terminal.pid, 'SIGTERM');
  expect(await ended).toEqual({ exit: 0, signal: 15 });
  expect(shown()).not.toContain('LEFT');
}, 30_000);
