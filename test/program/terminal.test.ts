import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, type Home, root, serve, waybill } from './run.ts';

interface Typed {
  /** Everything shown in the terminal. */
  shown: () => string;
  type: (text: string) => void;
  ended: Promise<number>;
  /** The signal that ended it; 0 if it exited. */
  signal: () => number;
}

/** Runs the built program, or a shell with these words, in a terminal with a number of columns. */
function inTerminal(home: Home, argv: readonly string[], cols = 100, shell: string | null = null): Typed {
  const { CI: _, ...env } = home.env;
  const words = shell === null ? [join(root, 'bin', 'waybill.cjs'), ...argv] : [...argv];
  const terminal = spawn(shell ?? process.execPath, words, {
    cols,
    rows: 30,
    cwd: home.folder,
    env: { TERM: 'xterm-256color', ...env },
  });
  onTestFinished(() => terminal.kill());
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  let by = 0;
  const ended = new Promise<number>((resolve) =>
    terminal.onExit(({ exitCode, signal = 0 }) => {
      by = signal;
      resolve(exitCode);
    }),
  );
  return { shown: () => text, type: (keys) => terminal.write(keys), ended, signal: () => by };
}

test('login asks for the key without echo, checks it, and stores it in a file of mode 0600', async () => {
  const { url, keys, stop } = await serve(freshHome());
  const home = freshHome();
  const { shown, type, ended } = inTerminal(home, ['login', '--base-url', url, '--profile', 'shop']);
  await expect.poll(shown, { timeout: 10_000 }).toContain('API key');
  type(`${keys.test}\r`);
  expect(await ended).toBe(0);
  expect(shown()).not.toContain(keys.test);
  const file = join(home.folder, '.config', 'waybill', 'profiles.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain(keys.test);
  const who = await waybill(home, 'whoami', '--json');
  expect(JSON.parse(who.stdout)).toMatchObject({
    profile: 'shop',
    mode: 'test',
    account: { permission: 'admin' },
  });
  await stop();
}, 30_000);

test('a wide terminal gets a table, a narrow one cards without truncation', async () => {
  const home = freshHome();
  await waybill(home, 'orders', 'list');
  const wide = inTerminal(home, ['keys', 'list'], 140);
  expect(await wide.ended).toBe(0);
  expect(wide.shown()).toMatch(/KEY.*NAME.*PERMISSION/);
  const narrow = inTerminal(home, ['keys', 'list'], 40);
  expect(await narrow.ended).toBe(0);
  expect(narrow.shown()).toMatch(/key_[0-9A-Z]{26}/);
  expect(narrow.shown()).not.toMatch(/KEY.*NAME.*PERMISSION/);
});

test('a terminal prompts for missing input; Ctrl+C ends the process by the signal and creates nothing', async () => {
  const home = freshHome();
  const { shown, type, ended } = inTerminal(home, ['orders', 'create', '--pickup-name', 'Grill']);
  await expect.poll(shown, { timeout: 10_000 }).toMatch(/pickup.address/i);
  type('\u0003');
  await ended;
  expect(shown()).toContain('\u001b[?25h');
  expect((await waybill(home, 'orders', 'list', '--json')).stdout.trim()).toBe('[]');
}, 30_000);

const interrupt = 2;

test.each([
  ['a text', ['orders', 'create', '--pickup-name', 'Grill'], /pickup.address/i],
  ['a choice', ['keys', 'create'], /which permission/i],
  ['a yes', ['keys', 'revoke', 'key_1'], /Revoke key_1/],
  ['a secret', ['login', '--base-url', 'http://127.0.0.1:1'], /API key/],
  ['a plain line', ['keys', 'revoke', 'key_1', '--accessible'], /Revoke key_1/],
])('Ctrl+D at %s interrupts like Ctrl+C, with a message', async (_, argv, question) => {
  const { shown, type, ended, signal } = inTerminal(freshHome(), argv);
  await expect.poll(shown, { timeout: 10_000 }).toMatch(question);
  type('\u0004');
  await ended;
  expect(signal()).toBe(interrupt);
  expect(shown()).toMatch(/Interrupted\./);
});

/** Prints its process id, then executes the program; the terminal's settings are printed afterwards. */
const held = `sh -c 'echo "PID $$"; exec "$@"' sh "$@"; echo "CODE $?"; stty -a`;

test.each([
  ['a choice', ['keys', 'create'], /admin/],
  ['a text', ['orders', 'create', '--pickup-name', 'Grill'], /pickup.address/i],
])('SIGTERM at %s restores the terminal', async (_, argv, question) => {
  const program = [process.execPath, join(root, 'bin', 'waybill.cjs'), ...argv];
  const { shown, ended } = inTerminal(freshHome(), ['-c', held, 'sh', ...program], 40, 'sh');
  await expect.poll(shown, { timeout: 10_000 }).toMatch(question);
  process.kill(Number(/PID (\d+)/.exec(shown())?.[1]), 'SIGTERM');
  await ended;
  expect(shown()).toMatch(
    /Terminated\. Nothing was changed at the\r\nservice\.\s+(?:Terminated\s+)?CODE 143/,
  );
  expect(shown()).toMatch(/(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/);
  expect(shown().lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown().lastIndexOf('\u001b[?25l'));
});

test('Ctrl+D within an answer deletes a character', async () => {
  const { shown, type, ended } = inTerminal(freshHome(), ['orders', 'create', '--pickup-name', 'Grill']);
  await expect.poll(shown, { timeout: 10_000 }).toMatch(/pickup.address/i);
  type('ab\u001b[D\u0004');
  await expect.poll(shown).toMatch(/ab/);
  type('cd');
  await expect.poll(shown).toMatch(/acd/);
  type('\u0003');
  await ended;
}, 20_000);

test('a typed secret is never shown', async () => {
  const { shown, type, ended } = inTerminal(freshHome(), ['login', '--base-url', 'http://127.0.0.1:1']);
  await expect.poll(shown, { timeout: 10_000 }).toContain('API key');
  type('wb_test_visible');
  type('\u0014');
  type('\u0003');
  await ended;
  expect(shown()).not.toContain('visible');
  expect(shown()).not.toContain('toggle');
});

const sequence = '\u001b';
const coloured = new RegExp(`${sequence}\\[[0-9;]*[1-9][0-9;]*m`);

test.each([
  ['NO_COLOR', { NO_COLOR: '1' }, []],
  ['--color never', {}, ['--color', 'never']],
])(
  '%s applies to prompts and spinners',
  async (_, environment, flags) => {
    const asking = inTerminal(freshHome(environment), ['orders', 'create', ...flags]);
    await expect.poll(asking.shown, { timeout: 10_000 }).toMatch(/pickup.address/i);
    asking.type('\u0003');
    await asking.ended;
    expect(asking.shown()).not.toMatch(coloured);
  },
  20_000,
);

test('a terminal without cursor movement gets plain prompts', async () => {
  const home = freshHome({ TERM: 'dumb' });
  const { shown, type, ended } = inTerminal(home, ['keys', 'create']);
  await expect.poll(shown, { timeout: 10_000 }).toMatch(/1\. read\s+2\. write\s+3\. admin\s+Number:/);
  type('\u0003');
  await ended;
  expect(shown()).not.toContain(sequence);
});

test('a spinner has no color', async () => {
  const home = freshHome({ NO_COLOR: '1' });
  const order = ['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'Grill'];
  const pickup = ['--pickup-phone', '+13125550101', '--item', 'Soup:1:small'];
  const dropoff = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606', '--dropoff-name', 'Joe'];
  const line = [...order, ...pickup, ...dropoff, '--dropoff-phone', '+13125550142', '-o', 'id'];
  const made = await waybill(home, 'orders', 'create', ...line);
  const route = await waybill(home, 'routes', 'create', made.stdout.trim(), '-o', 'id');
  const { shown, type, ended } = inTerminal(home, ['routes', 'quote', route.stdout.trim(), '--wait']);
  await expect.poll(shown, { timeout: 10_000 }).toContain('Waiting for the quotes');
  type('\u0003');
  await ended;
  expect(shown()).not.toMatch(coloured);
}, 30_000);
