import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { freshHome, serve, start, waybill } from './run.ts';

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
  const { stdout } = await waybill(home, 'keys', 'list', '--json');
  const [board] = JSON.parse(stdout).filter(({ name }: { name: string }) => name === 'Board');
  expect(board.revoked_at).not.toBeNull();
});
