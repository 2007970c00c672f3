import { expect, test } from 'vitest';
import { newInterruption, waybill } from '../../harness.ts';
import { obeyed } from '../../kit/output/hostile-text.ts';
import { quotedRoute, type Sandbox, sandbox } from '../../sandbox.ts';
import { running } from './listeners.ts';
import { localServer } from './local-server.ts';

const live = { now: () => Date.now(), tty: true };

/** Listens in a terminal, after one event. */
async function listening(box: Sandbox, target: string, options = {}) {
  const listener = await running(box.run, ['listen', '--forward-to', target], { ...live, ...options });
  await quotedRoute(box);
  await box.json(['sandbox', 'advance', '--drain']);
  await expect.poll(listener.shown, { timeout: 10_000 }).toMatch(/route_quotes\.completed|down/);
  return listener;
}

test('people get a line when it is ready, one for each event, and the list of keys', async () => {
  const server = await localServer();
  const listener = await listening(await sandbox(), server.url, { columns: 200 });
  await expect.poll(listener.shown).toMatch(/→ .*200/);
  listener.press('q');
  const { exit, stdout, stderr } = await listener.ended;
  const [ready = '', line = ''] = plain(stdout).split('\n');
  expect(exit).toBe(0);
  expect(ready).toBe(`Listening on sandbox · test mode → ${server.url}/`);
  expect(line).toMatch(
    /^.{5,12} {2}route_quotes\.completed {2}evt_\w{26} {2}rte_\w{26} .*→ ok 200 in \d+ ms$/,
  );
  expect(stderr).toMatch(/^Keys: r sends the last event again, d shows it, q leaves$/m);
  expect(stderr).toContain('waybill listen --print-secret');
  expect(stderr).not.toContain('delivered yet');
});

test('r sends the last event again with the same id, d shows it', async () => {
  const server = await localServer();
  const listener = await listening(await sandbox(), server.url);
  await expect.poll(() => server.arrivals.length).toBe(1);
  await expect.poll(listener.shown).toMatch(/→ .*200/);
  listener.press('r');
  await expect.poll(listener.shown).toContain('sent again');
  listener.press('d');
  listener.press('x');
  listener.press('q');
  const { stderr } = await listener.ended;
  expect(server.arrivals.map(({ headers }) => headers['webhook-id'])).toEqual([
    server.arrivals[0]?.headers['webhook-id'],
    server.arrivals[0]?.headers['webhook-id'],
  ]);
  expect(server.arrivals[1]?.body).toBe(server.arrivals[0]?.body);
  expect(stderr).toContain(JSON.stringify(JSON.parse(server.arrivals[0]?.body ?? ''), null, 2));
});

test('while the server refuses, d shows the event with the response, phone numbers masked, and r sends it', async () => {
  const server = await localServer();
  server.answer(500, 'no\u001b[2J table\u202e "orders"\n"phone": "+13125550142"');
  const box = await sandbox();
  const line = ['listen', '--forward-to', server.url, '--events', 'order.dispatched'];
  const listener = await running(box.run, line, { ...live, columns: 40 });
  const route = await quotedRoute(box);
  await box.json(['dispatch', route, '--cheapest', '--yes']);
  await expect.poll(() => plain(listener.shown()), { timeout: 10_000 }).toMatch(/← no table "orders"/);
  listener.press('d');
  server.answer(200);
  listener.press('r');
  await expect.poll(listener.shown).toContain('sent again');
  listener.press('q');
  const { stdout, stderr } = await listener.ended;
  expect(stderr).toMatch(/"type": "order\.dispatched"[\s\S]*it answered 500:\nno table "orders"/);
  expect(obeyed.exec(plain(stderr))).toBeNull();
  expect(stderr).toContain('+1 312 *** **42');
  expect(stderr + stdout).not.toContain('+13125550142');
  expect(stderr).not.toContain('delivered yet');
  expect(plain(stdout)).toMatch(/^ {7}evt_\w{26}\n {7}\w{3}_\w{26}$/m);
});

test('q prints what has not arrived and the command to continue, which sends it', async () => {
  const box = await sandbox();
  const server = await localServer();
  await server.close();
  const port = new URL(server.url).port;
  const interruption = newInterruption();
  const listener = await listening(box, port, { interruption });
  await expect
    .poll(() => plain(listener.shown()))
    .toMatch(/^down {2}No response from http:\/\/127\.0\.0\.1:\d+: connection refused/m);
  expect(interruption.status()?.text).toMatch(/^1 event is not delivered yet\. .* --since 2026-/);
  listener.press('q');
  const { exit, stderr } = await listener.ended;
  expect(exit).toBe(0);
  const [, command = ''] =
    /1 event is not delivered yet\. To go on from there: waybill (.*)$/m.exec(stderr) ?? [];
  const again = await localServer(Number(port));
  const second = await running(box.run, [...command.split(' '), '--json'], live);
  await second.printed('forwarded');
  await second.stop();
  expect(again.arrivals.length).toBe(1);
});

test('without a destination it prompts for one in a terminal', async () => {
  const server = await localServer();
  const box = await sandbox();
  const listener = await running(box.run, ['listen'], { ...live, answers: [server.url] });
  expect(plain(listener.shown())).toContain(`→ ${server.url}/`);
  listener.press('q');
  expect((await listener.ended).exit).toBe(0);
});

test.each([
  ['--no-input', ['--no-input'], {}],
  ['CI', [], { CI: '1' }],
])('no keys are read with %s', async (_, flags, env) => {
  const box = await sandbox();
  let isRead = false;
  const keys = async () => {
    isRead = true;
    return () => {};
  };
  const listener = await running(box.run, ['listen', '--sink', '200', ...flags], { ...live, env, keys });
  const { stderr } = await listener.stop();
  expect(isRead).toBe(false);
  expect(stderr).not.toContain('Keys:');
});

test('the terminal is restored when it ends with an error', async () => {
  let isBack = false;
  const keys = async () => () => {
    isBack = true;
  };
  const refuse = async () => ({ status: 401, headers: {}, body: '{}' });
  const line = ['listen', '--sink', '200'];
  const { exit } = await waybill(line, { tty: true, keys, transport: refuse });
  expect([exit, isBack]).toEqual([4, true]);
});

const styles = new RegExp(`${'\u001b'}\\[[0-9;]*m`, 'g');

function plain(text: string): string {
  return text.replace(styles, '');
}
