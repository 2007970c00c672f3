import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { contextLine, errorOf, jsonOf, linesIn } from '../../harness.ts';
import { newDelivery, newOrder, sandbox } from '../../sandbox.ts';
import { receiver } from '../../webhook-receiver.ts';

const box = await sandbox();
const shop = await receiver();

async function newEndpoint(...flags: string[]): Promise<{ id: string; secret: string }> {
  box.advance(1);
  const { id, secret } = await box.json(['webhooks', 'create', shop.url, ...flags]);
  return { id: String(id), secret: String(secret) };
}

test('a test event is sent at once; the result is the attempt', async () => {
  expect((await box.run(['webhooks', 'test'])).stderr).toContain('There is no webhook endpoint to test.');
  const { secret } = await newEndpoint();
  const { stdout, stderr, exit } = await box.run(['webhooks', 'test', '--json']);
  expect(exit).toBe(0);
  expect(jsonOf(stdout)).toMatchObject({
    object: 'webhook_attempt',
    event_type: 'webhook.test',
    status: 'succeeded',
    status_code: 200,
  });
  expect(stderr.replace(contextLine, '')).toMatch(/^It was taken with 200 after \d+ ms\.\n$/);
  const { headers = {}, body = '' } = shop.came.at(-1) ?? {};
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' });
});

test('an advance counts the webhooks that it sends', async () => {
  await newEndpoint('--events', 'order.canceled');
  const cancel = async () => box.json(['orders', 'cancel', await newOrder(box), '--yes']);
  const advance = ['sandbox', 'advance', '--by', '1s'];
  await cancel();
  const { stderr } = await box.run(advance);
  expect(stderr).toContain('; 2 webhooks were sent on the way.\n');
  await cancel();
  expect(await box.json(advance)).toMatchObject({ steps: 0, webhooks_sent: 2 });
});

test('a test that is refused is exit 9 with the reason, and prints the attempt', async () => {
  const { id } = await newEndpoint();
  expect(errorOf((await box.run(['webhooks', 'test', '--json'])).stderr).choices).toContain(id);
  shop.answer(500, 'out of paper');
  const told = await box.run(['webhooks', 'test', id, '--json']);
  expect([told.exit, jsonOf(told.stdout)]).toMatchObject([9, { status: 'failed', status_code: 500 }]);
  expect(errorOf(told.stderr)).toMatchObject({
    ...{ code: 'webhook_attempt_failed', category: 'outcome' },
    message: expect.stringMatching(new RegExp(`^${id} did not take the event: .*500.*\\.$`)),
    next: [{ command: `waybill webhooks get ${id}` }, { command: `waybill webhooks test ${id}` }],
  });
  expect(await box.run(['webhooks', 'test', id])).toMatchObject({
    exit: 9,
    stdout: expect.stringContaining('status\tfailed\nstatus_code\t500\n'),
    stderr: expect.stringContaining('It answered: out of paper\n'),
  });
  shop.answer(410);
  const gone = await box.run(['webhooks', 'test', id]);
  expect(gone.stderr).toContain('Its 410 has disabled it: nothing more is sent to it.\n');
  expect(gone.stderr).toContain(`  waybill webhooks update ${id} --enable   (switch it on again)\n`);
  shop.answer(200);
});

test('attempts are listed by status and by event', async () => {
  const { id } = await newEndpoint();
  const line = ['webhooks', 'attempts', id];
  const none = await box.run(line);
  expect(none).toEqual({ stdout: '', exit: 0, stderr: 'No attempts found.\n' });
  const taken = await box.json(['webhooks', 'test', id]);
  shop.answer(503);
  box.advance(1);
  const failed = jsonOf((await box.run(['webhooks', 'test', id, '--json'])).stdout);
  shop.answer(200);
  const ids = async (...flags: string[]) => (await box.run([...line, ...flags, '-o', 'id'])).stdout;
  expect(await ids()).toBe(`${failed.event_id}\n${taken.event_id}\n`);
  expect(await ids('--failed')).toBe(`${failed.event_id}\n`);
  expect(await ids('--exhausted')).toBe('');
  expect(await ids('--succeeded')).toBe(`${taken.event_id}\n`);
  expect(await ids('--event', String(taken.event_id))).toBe(`${taken.event_id}\n`);
  expect((await box.run([...line, '--limit', '1', '--failed'])).stderr).toBe('');
  const more = (await box.run([...line, '--limit', '1'])).stderr;
  expect(more).toMatch(new RegExp(`waybill webhooks attempts ${id} --limit 1 --cursor `));
  expect(await box.run([...line, '--succeeded', '--exhausted'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--succeeded cannot be combined with --failed'),
  });
  for (const event of ['foo', 'evt_nope']) expect((await box.run([...line, '--event', event])).exit).toBe(5);
  const narrow = { tty: true, columns: 80, env: { NO_COLOR: '1' } };
  const seen = await box.run([...line, '--failed'], narrow);
  expect(seen.stdout).toMatch(/^.*STATUS +CODE +REASON.* EVENT *\n/);
  expect(seen.stdout).toContain(String(failed.event_id));
  const shown = await box.run(line, { tty: true, columns: 160, env: { NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(/^WHEN +STATUS +CODE +TYPE +TRY +REASON/);
});

test('without an endpoint the newest attempts of all are listed together', async () => {
  const all = await sandbox();
  const nothing = await all.run(['webhooks', 'attempts']);
  expect(nothing.stderr).toBe('No webhook endpoints found. Add one: waybill webhooks create URL\n');
  const create = async () => {
    all.advance(1);
    return String((await all.json(['webhooks', 'create', shop.url])).id);
  };
  const endpoints = [await create(), await create()];
  const events: string[] = [];
  for (const status of [500, 200, 503, 200]) {
    shop.answer(status);
    all.advance(1);
    const line = ['webhooks', 'test', endpoints[events.length % 2] ?? '', '--json'];
    events.unshift(String(jsonOf((await all.run(line)).stdout).event_id));
  }
  shop.answer(200);
  const listed = async (...flags: string[]) => all.run(['webhooks', 'attempts', '-o', 'id', ...flags]);
  expect(linesIn((await listed()).stdout)).toEqual(events);
  expect(linesIn((await listed('--failed')).stdout)).toEqual([events[1], events[3]]);
  const some = await listed('--limit', '3');
  expect(linesIn(some.stdout)).toEqual(events.slice(0, 3));
  expect(some.stderr).toContain('There is more: pass --all, or an endpoint.');
  expect((await listed('--all')).stderr).toBe('');
  const narrow = { tty: true, columns: 80, env: { NO_COLOR: '1' } };
  const { stdout } = await all.run(['webhooks', 'attempts', '--failed'], narrow);
  expect(stdout).toMatch(/REASON +ENDPOINT *\n/);
  for (const id of endpoints.slice(0, 1)) expect(stdout).toContain(id);
  expect((await listed('--cursor', 'x')).exit).toBe(2);
});

test.each([
  ['#1042', '#1042'],
  ['#1042', '1042'],
  ['1043', '#1043'],
])('the attempts of the delivery %s are found by %s', async (ref, word) => {
  const box = await sandbox();
  await box.json(['webhooks', 'create', shop.url]);
  await newDelivery(box, '--initiate', '--ref', ref);
  await box.json(['sandbox', 'advance', '--by', '1s']);
  expect((await box.run(['webhooks', 'attempts', word, '-o', 'id'])).stdout).toMatch(/^evt_/);
});

test('a failed attempt is followed by `taken since` only where its endpoint took the event later', async () => {
  const box = await sandbox();
  const { id } = await box.json(['webhooks', 'create', shop.url]);
  const other = await receiver();
  await box.json(['webhooks', 'create', other.url]);
  const wide = { tty: true, columns: 200, env: { NO_COLOR: '1' } };
  const notesOf = async (...words: string[]) =>
    linesIn((await box.run(['webhooks', 'attempts', ...words, '--failed'], wide)).stdout)
      .slice(1)
      .map((line) => line.includes('taken since'));
  const { event_id } = await box.json(['webhooks', 'test', String(id)]);
  const resend = async (status: number) => {
    shop.answer(status);
    box.advance(60_000);
    await box.json(['events', 'resend', String(event_id), '--endpoint', String(id)]);
    await box.json(['sandbox', 'advance', '--by', '1s']);
  };
  await resend(500);
  expect([await notesOf(String(id)), await notesOf()]).toEqual([[false], [false]]);
  await newOrder(box);
  await box.json(['orders', 'cancel', (await box.run(['orders', 'list', '-o', 'id'])).stdout.trim()]);
  await box.json(['sandbox', 'advance', '--by', '1s']);
  // The other endpoint took the cancellation, this one did not.
  expect(other.came).toHaveLength(1);
  expect(await notesOf()).toEqual([false, false]);
  await resend(200);
  expect(await notesOf()).toEqual([true, true]);
});

test('abandoned events are resent through a pipe', async () => {
  const { id } = await newEndpoint('--events', 'batch.completed,order.failed,delivery.created');
  shop.answer(500);
  await newOrder(box);
  const order = (await box.run(['orders', 'list', '-o', 'id', '--limit', '1'])).stdout.trim();
  const route = String((await box.json(['routes', 'create', order])).id);
  await box.json(['routes', 'quote', route]);
  await box.json(['sandbox', 'advance', '--by', '1m']);
  await box.json(['dispatch', route, '--cheapest']);
  await box.json(['sandbox', 'advance', '--by', '5d']);
  expect(await box.json(['webhooks', 'get', id])).toMatchObject({ waiting: 0, exhausted: 1 });
  expect((await box.run(['webhooks', 'get', id])).stderr).toContain(`webhooks attempts ${id} --exhausted`);
  expect((await box.run(['webhooks', 'update', id, '--enable'])).stderr).toContain(
    `Exhausted: 1, listed by \`waybill webhooks attempts ${id} --exhausted\`. To resend one: waybill events resend EVENT --endpoint ${id}\n`,
  );
  const given = await box.run(['webhooks', 'attempts', id, '--exhausted', '--all', '-o', 'id']);
  const all = await box.run(['webhooks', 'attempts', id, '--failed', '--all', '-o', 'id']);
  expect(linesIn(all.stdout)).toEqual(Array(10).fill(given.stdout.trim()));
  shop.answer(200);
  const again = await box.run(['events', 'resend', '-', '--endpoint', id], { stdin: all.stdout });
  expect(again).toMatchObject({ exit: 0, stdout: `${given.stdout.trim()}\t${id}\n` });
  await box.json(['sandbox', 'advance', '--by', '1s']);
  expect(await box.json(['webhooks', 'get', id])).toMatchObject({ waiting: 0, exhausted: 0 });
  expect(jsonOf(shop.came.at(-1)?.body ?? '')).toMatchObject({ id: given.stdout.trim(), sequence: 1 });
});
