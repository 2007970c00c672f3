import { expect, test } from 'vitest';
import { newInterruption } from '../../harness.ts';
import { obeyed } from '../../kit/output/hostile-text.ts';
import { quotedRoute, type Sandbox, sandbox } from '../../sandbox.ts';
import { receiver } from '../../webhook-receiver.ts';
import { running } from './listeners.ts';

const live = { now: () => Date.now(), tty: true };

/** Listens in a terminal, after one event. */
async function listening(box: Sandbox, target: string, options = {}) {
  const listener = await running(box.run, ['listen', '--forward-to', target], { ...live, ...options });
  await quotedRoute(box);
  await box.json(['sandbox', 'advance', '--drain']);
  await expect.poll(listener.shown).toMatch(/route_quotes\.completed|down/);
  return listener;
}

test('people get a line when it is ready, and one for each event', async () => {
  const server = await receiver();
  const listener = await listening(await sandbox(), server.url, { columns: 200 });
  await expect.poll(listener.shown).toMatch(/→ .*200/);
  const { exit, stdout, stderr } = await listener.stop();
  const [ready = '', line = ''] = plain(stdout).split('\n');
  expect(exit).toBe(0);
  expect(ready).toBe(`Listening on sandbox · test mode → ${server.url}/`);
  expect(line).toMatch(
    /^.{5,12} {2}route_quotes\.completed {2}evt_\w{26} {2}rte_\w{26} .*→ ok 200 in \d+ ms$/,
  );
  expect(stderr).toContain('waybill listen --print-secret');
  expect(stderr).not.toContain('delivered yet');
});

test('while the server refuses, its response is below the event, phone numbers masked', async () => {
  const server = await receiver();
  server.answer(500, 'no\u001b[2J table\u202e "orders"\n"phone": "+13125550142"');
  const box = await sandbox();
  const line = ['listen', '--forward-to', server.url, '--events', 'order.dispatched'];
  const listener = await running(box.run, line, { ...live, columns: 40 });
  const route = await quotedRoute(box);
  await box.json(['dispatch', route, '--cheapest', '--yes']);
  await expect.poll(() => plain(listener.shown())).toMatch(/← no table "orders"/);
  const { stdout, stderr } = await listener.stop();
  expect(obeyed.exec(plain(stdout))).toBeNull();
  expect(stderr + stdout).not.toContain('+13125550142');
  expect(plain(stdout)).toMatch(/^ {7}evt_\w{26}\n {7}\w{3}_\w{26}$/m);
});

test('at its end it prints what has not arrived and the command to continue, which sends it', async () => {
  const box = await sandbox();
  const server = await receiver();
  await server.close();
  const port = new URL(server.url).port;
  const interruption = newInterruption();
  const listener = await listening(box, port, { interruption });
  await expect
    .poll(() => plain(listener.shown()))
    .toMatch(/^down {2}No response from http:\/\/127\.0\.0\.1:\d+: connection refused/m);
  expect(interruption.status()?.text).toMatch(/^1 event is not delivered yet\. .* --since 2026-/);
  const { exit, stderr } = await listener.stop();
  expect(exit).toBe(0);
  const [, command = ''] =
    /1 event is not delivered yet\. To go on from there: waybill (.*)$/m.exec(stderr) ?? [];
  const again = await receiver(Number(port));
  const second = await running(box.run, [...command.split(' '), '--json'], live);
  await second.printed('forwarded');
  await second.stop();
  expect(again.came.length).toBe(1);
});

test('without a destination it prompts for one in a terminal', async () => {
  const server = await receiver();
  const box = await sandbox();
  const listener = await running(box.run, ['listen'], { ...live, answers: [server.url] });
  expect(plain(listener.shown())).toContain(`→ ${server.url}/`);
  await listener.stop();
});

const styles = new RegExp(`${'\u001b'}\\[[0-9;]*m`, 'g');

function plain(text: string): string {
  return text.replace(styles, '');
}
