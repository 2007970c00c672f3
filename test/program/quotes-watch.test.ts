import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { inTerminal } from './pseudo-terminal.ts';
import { freshHome, type Home, inProcess, program } from './run.ts';

/** A shell in a terminal that prints the terminal's settings before and after a command, and its exit code. */
function inShell(home: Home, argv: readonly string[]) {
  const line = ['exec', process.execPath, program, ...argv].join(' ');
  const script = `stty -g | sed s/^/before=/; (echo pid=$BASHPID; ${line}); echo ended=$?; stty -g | sed s/^/after=/`;
  const { shown, type } = inTerminal(home, ['-c', script], { shell: 'bash' });
  return { shown, type, said: (name: string) => new RegExp(`${name}=(\\S+)`).exec(shown())?.[1] };
}

/** The ways to end a watch, and the exit code of each. */
const ends: [name: string, end: (type: (keys: string) => void, pid: number) => void, code: string][] = [
  ['q', (type) => type('q'), '0'],
  ['Ctrl+C', (type) => type('\u0003'), '130'],
  ['SIGTERM', (_, pid) => void process.kill(pid, 'SIGTERM'), '143'],
];

test('q, Ctrl+C and SIGTERM leave the terminal as it was', async () => {
  const home = freshHome();
  // Quotes do not expire while the clock stands still.
  await inProcess(home, 'sandbox', 'clock', 'manual');
  const { stdout: made } = await inProcess(home, ...orderLine, '-o', 'id');
  const { stdout: route } = await inProcess(home, 'routes', 'create', made.trim(), '-o', 'id');
  await inProcess(home, 'routes', 'quote', route.trim());
  await inProcess(home, 'sandbox', 'advance', '--by', '1m');
  for (const [name, end, code] of ends) {
    const { shown, said, type } = inShell(home, ['quotes', 'list', route.trim(), '--watch']);
    await expect.poll(shown).toContain('Press q to end');
    end(type, Number(said('pid')));
    await expect.poll(() => said('after')).toBe(said('before'));
    expect([name, said('ended')]).toEqual([name, code]);
    expect(shown()).toContain('\u001b[?25h');
    expect(shown()).not.toContain('^C');
  }
});
