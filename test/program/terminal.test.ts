import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { oneOf } from '../in-part.ts';
import { inTerminal } from './pseudo-terminal.ts';
import { freshHome, inProcess, program, serve } from './run.ts';

test('login asks for the key without echo, checks it, and stores it in a file of mode 0600', async () => {
  const { url, keys, stop } = await serve(freshHome());
  const home = freshHome();
  const { shown, type, ended } = inTerminal(home, ['login', '--base-url', url, '--profile', 'shop']);
  await expect.poll(shown).toContain('API key');
  type(`${keys.test}\r`);
  expect(await ended).toMatchObject({ exit: 0 });
  expect(shown()).not.toContain(keys.test);
  const file = join(home.folder, '.config', 'waybill', 'profiles.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain(keys.test);
  const who = await inProcess(home, 'whoami', '--json');
  expect(JSON.parse(who.stdout)).toMatchObject({
    profile: 'shop',
    mode: 'test',
    account: { permission: 'admin' },
  });
  await stop();
});

test('a terminal prompts for missing input; Ctrl+C ends the process by the signal and creates nothing', async () => {
  const home = freshHome();
  const { shown, type, ended } = inTerminal(home, ['orders', 'create', '--pickup-name', 'Grill']);
  await expect.poll(shown).toMatch(/pickup.address/i);
  type('\u0003');
  await ended;
  expect(shown()).toContain('\u001b[?25h');
  expect((await inProcess(home, 'orders', 'list', '--json')).stdout.trim()).toBe('[]');
});

const interrupt = 2;

const left: [at: string, argv: string[], question: RegExp][] = [
  ['a text', ['orders', 'create', '--pickup-name', 'Grill'], /pickup.address/i],
  ['a choice', ['keys', 'create'], /which permission/i],
  ['a yes', ['keys', 'revoke', 'key_1'], /Revoke key_1/],
  ['a secret', ['login', '--base-url', 'http://127.0.0.1:1'], /API key/],
  ['a plain line', ['keys', 'revoke', 'key_1', '--accessible'], /Revoke key_1/],
];

test.each(left.filter(oneOf(2)))(
  'Ctrl+D at %s interrupts like Ctrl+C, with a message',
  async (_, argv, question) => {
    const { shown, type, ended } = inTerminal(freshHome(), argv);
    await expect.poll(shown).toMatch(question);
    type('\u0004');
    expect(await ended).toMatchObject({ signal: interrupt });
    expect(shown()).toMatch(/Interrupted\./);
  },
);

/** Prints its process id, then executes the program; the terminal's settings are printed afterwards. */
const held = `sh -c 'echo "PID $$"; exec "$@"' sh "$@"; echo "CODE $?"; stty -a`;

test.each(left.slice(0, 2).filter(oneOf(2, 1)))(
  'SIGTERM at %s restores the terminal',
  async (_, argv, question) => {
    const words = ['-c', held, 'sh', process.execPath, program, ...argv];
    const { shown, ended } = inTerminal(freshHome(), words, { cols: 40, shell: 'sh' });
    await expect.poll(shown).toMatch(question);
    process.kill(Number(/PID (\d+)/.exec(shown())?.[1]), 'SIGTERM');
    await ended;
    expect(shown()).toMatch(
      /Terminated\. Nothing was changed at the\r\nservice\.\s+(?:Terminated\s+)?CODE 143/,
    );
    expect(shown()).toMatch(/(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/);
    expect(shown().lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown().lastIndexOf('\u001b[?25l'));
  },
);

test('Ctrl+D within an answer deletes a character', async () => {
  const { shown, type, ended } = inTerminal(freshHome(), ['orders', 'create', '--pickup-name', 'Grill']);
  await expect.poll(shown).toMatch(/pickup.address/i);
  type('ab\u001b[D\u0004');
  await expect.poll(shown).toMatch(/ab/);
  type('cd');
  await expect.poll(shown).toMatch(/acd/);
  type('\u0003');
  await ended;
});

test('a typed secret is never shown', async () => {
  const { shown, type, ended } = inTerminal(freshHome(), ['login', '--base-url', 'http://127.0.0.1:1']);
  await expect.poll(shown).toContain('API key');
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
])('%s applies to prompts and spinners', async (_, environment, flags) => {
  const asking = inTerminal(freshHome(environment), ['orders', 'create', ...flags]);
  await expect.poll(asking.shown).toMatch(/pickup.address/i);
  asking.type('\u0003');
  await asking.ended;
  expect(asking.shown()).not.toMatch(coloured);
});

test('a terminal without cursor movement gets plain prompts', async () => {
  const home = freshHome({ TERM: 'dumb' });
  const { shown, type, ended } = inTerminal(home, ['keys', 'create']);
  await expect.poll(shown).toMatch(/1\. read\s+2\. write\s+3\. admin\s+Number:/);
  type('\u0003');
  await ended;
  expect(shown()).not.toContain(sequence);
});

test('a spinner has no color', async () => {
  const home = freshHome({ NO_COLOR: '1' });
  const made = await inProcess(home, ...orderLine, '-o', 'id');
  const route = await inProcess(home, 'routes', 'create', made.stdout.trim(), '-o', 'id');
  const { shown, type, ended } = inTerminal(home, ['routes', 'quote', route.stdout.trim(), '--wait']);
  await expect.poll(shown).toContain('Waiting for the quotes');
  type('\u0003');
  await ended;
  expect(shown()).not.toMatch(coloured);
});

const stopped: [at: string, argv: string[], question: RegExp, answer: string, result: string][] = [
  ['a choice', ['keys', 'create'], /admin/, '\r', 'wb_test_'],
  ['a text', ['stores', 'pause'], /Store/, 'nowhere\r', 'nowhere'],
  ['a yes', ['keys', 'revoke', 'key_1'], /Revoke key_1/, 'n\r', 'Nothing was changed'],
];

test.each(stopped.filter(oneOf(3)))(
  'Ctrl+Z at %s stops it, and fg continues it',
  async (_, argv, question, answer, result) => {
    const home = freshHome();
    const { shown, type } = inTerminal(home, ['--norc', '-i'], { shell: 'bash', env: { PS1: 'ready> ' } });
    await expect.poll(shown).toContain('ready> ');
    type(`waybill ${argv.join(' ')}\r`);
    await expect.poll(shown).toMatch(question);
    type('\u001a');
    await expect.poll(shown).toContain('Stopped');
    const before = shown().length;
    type('echo $((40 + 2))\r');
    await expect.poll(() => shown().slice(before)).toContain('42');
    const before_fg = shown().length;
    type('fg\r');
    await expect.poll(() => shown().slice(before_fg)).toMatch(question);
    type(answer);
    await expect.poll(() => shown().slice(before_fg)).toContain(result);
    expect(shown()).not.toContain('Interrupted');
  },
);

/** What is typed while a command waits: to a next question it is no answer, and a shell gets it. */
test.each([
  ['a drawn list', [], 'Choose a quote'],
  ['a numbered list', ['--accessible'], 'Number: [1]'],
])('lines typed during a wait do not answer %s', async (_, flags, question) => {
  const home = freshHome();
  const { shown, type } = inTerminal(home, ['ship', ...orderLine.slice(2), ...flags]);
  await expect.poll(shown).toContain('Waiting for the quotes');
  type('\r1\ry\r');
  await expect.poll(shown).toContain(question);
  // An answer would have been taken by the time that the next command has run.
  expect(JSON.parse((await inProcess(home, 'deliveries', 'list', '--json')).stdout)).toEqual([]);
  type('\u0003');
});

test('a shell runs the lines typed during a spinner, and Ctrl+Z leaves it cursor and echo', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '5');
  await inProcess(home, ...orderLine, '--ref', '1042');
  await inProcess(home, 'routes', 'create', '1042');
  const { shown, type } = inTerminal(home, ['--norc', '-i'], { shell: 'bash', env: { PS1: 'ready> ' } });
  const since = async (keys: string, expected: RegExp) => {
    const before = shown().length;
    type(keys);
    await expect.poll(() => shown().slice(before)).toMatch(expected);
    return shown().slice(before);
  };
  await since('', /ready> /);
  await since('waybill routes quote 1042 --wait\r', /Waiting for the quotes/);
  await since('\u001a', /Stopped[\s\S]*ready> /);
  expect(shown()).not.toContain('\u001b[?25l');
  expect(await since('stty -a\r', /ready> /)).toMatch(/(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/);
  await since('fg\r', /Waiting for the quotes/);
  await since('echo $((40 + 2))\r', /42\r/);
});
