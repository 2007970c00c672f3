import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, type Home, root, serve, waybill } from './run.ts';

interface Typed {
  /** All that the terminal showed. */
  shown: () => string;
  type: (text: string) => void;
  ended: Promise<number>;
}

/** Runs the built program in a terminal of so many columns. */
function inTerminal(home: Home, argv: readonly string[], cols = 100): Typed {
  const { CI: _, ...env } = home.env;
  const terminal = spawn(process.execPath, [join(root, 'bin', 'waybill.cjs'), ...argv], {
    cols,
    rows: 30,
    cwd: home.folder,
    env: { ...env, TERM: 'xterm-256color' },
  });
  onTestFinished(() => terminal.kill());
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return { shown: () => text, type: (keys) => terminal.write(keys), ended };
}

test('login asks for the key without showing it, checks it, and keeps it in a file of mode 0600', async () => {
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
  expect(JSON.parse(who.stdout)).toMatchObject({ profile: 'shop', mode: 'test', account: { permission: 'admin' } });
  await stop();
}, 30_000);

test('a terminal gets a table, a narrow one cards, and no line is cut', async () => {
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

test('what is missing is asked for in a terminal, and Ctrl+C ends by the signal with nothing made', async () => {
  const home = freshHome();
  const { shown, type, ended } = inTerminal(home, ['orders', 'create', '--pickup-name', 'Grill']);
  await expect.poll(shown, { timeout: 10_000 }).toMatch(/pickup.address/i);
  type('\u0003');
  await ended;
  expect(shown()).toContain('\u001b[?25h');
  expect((await waybill(home, 'orders', 'list', '--json')).stdout.trim()).toBe('[]');
}, 30_000);
