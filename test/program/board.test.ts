import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, inProcess, serve, start, waybill } from './run.ts';

test('at a served service the board is a link without a key, to a page that the service has', async () => {
  const { url, keys, stop } = await serve(freshHome());
  onTestFinished(stop);
  const home = freshHome({ WAYBILL_BASE_URL: `${url}/`, WAYBILL_API_KEY: keys.test });
  const { exit, stdout, stderr } = await waybill(home, 'board');
  expect([exit, stdout]).toEqual([0, `${url}/board\n`]);
  expect(stderr).toContain('The page asks for an API key with the permission to write.');
  const page = await fetch(stdout.trim());
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
});

test('the embedded board has a key in its link, which works until it is stopped', async () => {
  const home = freshHome();
  const child = start(home, ['board', '--json']);
  if (child.stdout === null) throw new Error('the streams are not piped');
  const [chunk] = await once(child.stdout, 'data');
  const link = new URL(JSON.parse(String(chunk)).url);
  const key = new URLSearchParams(link.hash.slice(1)).get('key') ?? '';
  const read = await fetch(new URL('/v2/drivers', link), { headers: { 'x-api-key': key } });
  expect(read.status).toBe(200);
  child.kill('SIGINT');
  await once(child, 'exit');
  const { stdout } = await inProcess(home, 'keys', 'list', '--json');
  const [board] = JSON.parse(stdout).filter(({ name }: { name: string }) => /^Board \d+$/.test(name));
  expect(board.revoked_at).not.toBeNull();
});

test('the browser is opened without the key among its arguments, by a link that leads there once', async () => {
  const home = freshHome();
  const opener = join(home.folder, 'bin', 'xdg-open');
  writeFileSync(
    opener,
    `#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline > '${home.folder}/opened.tmp'\nmv '${home.folder}/opened.tmp' '${home.folder}/opened'\n`,
  );
  chmodSync(opener, 0o755);
  const child = start(home, ['board', '--open', '--json']);
  if (child.stdout === null) throw new Error('the streams are not piped');
  const [chunk] = await once(child.stdout, 'data');
  const { hash } = new URL(JSON.parse(String(chunk)).url);
  const key = hash.replace('#key=', '');
  const opened = join(home.folder, 'opened');
  await expect.poll(() => existsSync(opened)).toBe(true);
  const words = readFileSync(opened, 'utf8');
  expect(key).toMatch(/^wb_test_/);
  expect(words).not.toContain(key);
  const link = /http:\S+/.exec(words)?.[0] ?? '';
  const first = await fetch(link, { redirect: 'manual' });
  expect([first.status, first.headers.get('location')]).toEqual([303, `/board${hash}`]);
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(404);

  child.kill('SIGKILL');
  await once(child, 'exit');
  const keys = async () => {
    const { stdout } = await inProcess(home, 'keys', 'list', '--json');
    return JSON.parse(stdout).filter(({ name }: { name: string }) => name.startsWith('Board'));
  };
  expect(await keys()).toMatchObject([{ revoked_at: null, expires_at: expect.stringMatching(/Z$/) }]);
  const again = start(home, ['board', '--json']);
  if (again.stdout === null) throw new Error('the streams are not piped');
  await once(again.stdout, 'data');
  expect(await keys()).toMatchObject([{ revoked_at: null }, { revoked_at: expect.stringMatching(/Z$/) }]);
});
