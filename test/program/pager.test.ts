import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { oneOf } from '../in-part.ts';
import { inTerminal } from './pseudo-terminal.ts';
import { freshHome, inProcess } from './run.ts';

/** A pager that shows its first line and quits on Enter; it ignores Ctrl+C. */
const script = `trap '' INT; head -n 1; cat > /dev/null; echo PAGED; read -r key < /dev/tty; echo LEFT`;

/** Runs a command whose output is longer than the terminal. */
function paged(pager?: string, argv = ['sandbox', 'scenarios']) {
  const home = freshHome();
  writeFileSync(join(home.folder, 'pager.sh'), script);
  return inTerminal(home, argv, { cols: 80, rows: 20, env: { PAGER: pager ?? 'sh pager.sh' } });
}

const appears = (shown: () => string, text: string) => expect.poll(shown).toContain(text);

test.each([
  [['sandbox', 'scenarios'], 'WHAT HAPPENS'],
  [['orders', 'create', '--help'], 'Create an order'],
])('%j waits for its pager, which Ctrl+C does not end', async (argv, first) => {
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
});

test('a pager that is closed at once, or is missing, does no harm', async () => {
  const left = paged('head -n 1');
  expect(await left.ended).toEqual({ exit: 0, signal: 0 });
  expect(left.shown()).not.toContain('happy_path');
  const missing = paged('no-such-pager -R');
  expect(await missing.ended).toEqual({ exit: 0, signal: 0 });
  expect(missing.shown()).toContain('happy_path');
});

test('no pager takes lines that were pasted for the shell, and what was done is shown whole', async () => {
  const home = freshHome();
  writeFileSync(join(home.folder, 'pager.sh'), script);
  const { ended, shown, type } = inTerminal(
    home,
    ['-c', 'waybill sandbox scenarios; read -r line; echo "GOT $line"'],
    {
      ...{ cols: 80, rows: 12, shell: 'bash', env: { PAGER: 'sh pager.sh' } },
    },
  );
  type('pasted line\r');
  await appears(shown, 'GOT pasted line');
  expect(await ended).toEqual({ exit: 0, signal: 0 });
  expect(shown()).not.toContain('PAGED');
  expect(shown()).toContain('happy_path');
});

test('a terminated program ends its pager', async () => {
  const { terminal, ended, shown } = paged();
  await appears(shown, 'PAGED');
  process.kill(terminal.pid, 'SIGTERM');
  expect(await ended).toEqual({ exit: 0, signal: 15 });
  expect(shown()).not.toContain('LEFT');
});

test('a pager that gets keys meant for the shell cannot run commands or write files', async () => {
  const pager = `sh -c 'echo "LESS=$LESS SECURE=$LESSSECURE,$MORESECURE"; cat > /dev/null'`;
  const { ended, shown } = paged(pager);
  expect(await ended).toEqual({ exit: 0, signal: 0 });
  expect(shown()).toContain('LESS=FRX SECURE=1,1');
});

const records = [
  ['deliveries', 'get'],
  ['deliveries', 'explain'],
  ['events', 'get'],
];

test.each(records.filter(oneOf(3)))(
  '%s %s prints its record without a pager, whatever its length',
  async (...command) => {
    const home = freshHome();
    const made = await inProcess(
      home,
      'deliveries',
      'create',
      ...orderLine.slice(2),
      '--initiate',
      '-o',
      'id',
    );
    const event = await inProcess(home, 'events', 'list', '--limit', '1', '-o', 'id');
    const id = (command[0] === 'events' ? event : made).stdout.trim();
    const { ended, shown } = inTerminal(home, [...command, id], {
      cols: 80,
      rows: 8,
      env: { PAGER: 'sh -c "echo PAGED"' },
    });
    expect(await ended).toEqual({ exit: 0, signal: 0 });
    expect(shown()).not.toContain('PAGED');
  },
);
