import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { errorOf, jsonOf, linesIn, rowsIn } from '../../harness.ts';
import { quotedRoute, type Sandbox, sandbox } from '../../sandbox.ts';

const url = 'http://127.0.0.1:3000/hooks';
const senders = expect.stringContaining('`waybill serve` or `waybill listen`');

/** A sandbox with the events of a dispatch, oldest first, without endpoints. */
async function dispatched(): Promise<{ box: Sandbox; events: string[] }> {
  const box = await sandbox();
  await box.json(['dispatch', await quotedRoute(box), '--cheapest']);
  const { stdout } = await box.run(['events', 'list', '--all', '-o', 'id']);
  return { box, events: linesIn(stdout).reverse() };
}

async function newEndpoint(box: Sandbox, ...flags: string[]): Promise<string> {
  box.advance(1);
  return String((await box.json(['webhooks', 'create', url, ...flags])).id);
}

/** A sandbox with one endpoint, subscribed to deliveries only. */
const { box, events } = await dispatched();
const [quotes = '', created = '', order = ''] = events;
const endpoint = await newEndpoint(box, '--events', 'delivery.created');

test('an event is sent to all subscribers of its type, which are listed', async () => {
  const { stdout, stderr, exit } = await box.run(['events', 'resend', created]);
  expect([exit, stdout]).toEqual([0, `event_id\t${created}\nwebhook_endpoint_ids\t${endpoint}\n`]);
  expect(stderr).toContain(`${created} waits to be sent to ${endpoint}.\n`);
  expect(stderr).toEqual(senders);
  expect(await box.json(['webhooks', 'get', endpoint])).toMatchObject({ waiting: 1 });
});

test('without subscribers it is exit 9; a named endpoint gets it anyway', async () => {
  const none = await box.run(['events', 'resend', order, '--json']);
  expect(none.exit).toBe(9);
  expect(jsonOf(none.stdout)).toMatchObject({
    object: 'event_resend',
    event_id: order,
    webhook_endpoint_ids: [],
  });
  expect(errorOf(none.stderr)).toMatchObject({
    ...{ code: 'no_webhook_endpoint', category: 'outcome' },
    message: `${order} was not sent: no webhook endpoint that is enabled asks for its type.`,
    next: [{ command: 'waybill webhooks list' }],
  });
  expect(await box.run(['events', 'resend', order])).toMatchObject({ exit: 9, stdout: '' });
  const named = await box.json(['events', 'replay', order, '--endpoint', endpoint]);
  expect(named).toEqual({ object: 'event_resend', event_id: order, webhook_endpoint_ids: [endpoint] });
});

test('a test event whose endpoint is deleted is exit 9, and stops no others', async () => {
  const tested = await newEndpoint(box);
  await box.run(['webhooks', 'test', tested]);
  const { stdout } = await box.run(['events', 'list', '--type', 'webhook.test', '--limit', '1', '-o', 'id']);
  const event = stdout.trim();
  await box.json(['webhooks', 'delete', tested, '--yes']);
  const one = await box.run(['events', 'resend', event, '--json']);
  expect([one.exit, errorOf(one.stderr)]).toMatchObject([
    9,
    {
      ...{ code: 'no_webhook_endpoint', hint: '--endpoint sends it to another one.' },
      message: `${event} was not sent: it is a test of a webhook endpoint that is deleted.`,
      next: [{ command: 'waybill webhooks list' }],
    },
  ]);
  const several = await box.run(['events', 'resend', created, event]);
  expect([several.exit, several.stdout]).toEqual([10, `${created}\t${endpoint}\n`]);
});

test('an unknown event or endpoint is exit 5, a disabled one 6', async () => {
  expect((await box.run(['events', 'resend', 'evt_none'])).exit).toBe(5);
  for (const ids of [[created], [created, order]]) {
    expect((await box.run(['events', 'resend', ...ids, '--endpoint', 'whe_none'])).exit).toBe(5);
    const off = await newEndpoint(box);
    await box.json(['webhooks', 'update', off, '--disable']);
    const { exit, stderr, stdout } = await box.run(['events', 'resend', ...ids, '--endpoint', off, '--json']);
    expect(exit).toBe(6);
    expect(stdout).toBe('');
    expect(errorOf(stderr)).toMatchObject({
      code: 'webhook_endpoint_disabled',
      next: [{ command: `waybill webhooks update ${off} --enable` }],
    });
    expect(errorOf(stderr).message).toMatch(/is disabled: .+\.$/);
  }
});

test('ids come from stdin, each once; no ids are no error', async () => {
  const stdin = `${created}\n\n${order}\r\n${created}\n`;
  const line = ['events', 'resend', '-', '--endpoint', endpoint];
  const { stdout, stderr, exit } = await box.run(line, { stdin });
  expect([exit, stdout]).toEqual([0, `${created}\t${endpoint}\n${order}\t${endpoint}\n`]);
  expect(stderr).toContain('2 of 2 events wait to be sent again.\n');
  expect((await box.run([...line, '-o', 'id'], { stdin })).stdout).toBe(`${created}\n${order}\n`);
  const one = await box.run([...line, '--json'], { stdin: created });
  expect(JSON.parse(one.stdout)).toMatchObject([{ event_id: created }]);
  const none = await box.run(line, { stdin: '\n' });
  expect(none).toEqual({ exit: 0, stdout: '', stderr: 'No event IDs given: nothing was resent.\n' });
  expect(await box.run(line, { stdin: `${created}\n${order}\tfailed\n` })).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: expect.stringContaining('Line 2 of stdin is not an ID'),
  });
  expect((await box.run(['events', 'resend', '-', created], { stdin })).exit).toBe(2);
});

test('of several one that is refused does not stop others: exit 10', async () => {
  const line = ['events', 'resend', 'evt_none', created, quotes, '--json'];
  const some = await box.run(line);
  expect([some.exit, JSON.parse(some.stdout)]).toMatchObject([10, [{ event_id: created }]]);
  const error = errorOf(some.stderr);
  expect(error).toMatchObject({
    ...{ code: 'some_not_resent', category: 'partial', message: '2 of 3 events were not sent again.' },
    details: expect.arrayContaining([
      expect.objectContaining({ path: 'evt_none' }),
      expect.objectContaining({ path: quotes, message: expect.stringContaining('was not sent') }),
    ]),
  });
  const people = await box.run(line.slice(0, -1), { tty: true, env: { NO_COLOR: '1' } });
  expect(people.stderr).toMatch(/\n {2}evt_none: /);
  expect(people.stderr).toMatch(/\n {2}evt_\w+: evt_\w+ was not sent: /);
});

test('an error that would repeat for each ends a bulk at once, with what is left', async () => {
  let calls = 0;
  const transport: Transport = async (request) => {
    if (request.method === 'POST') calls += 1;
    if (calls <= 1) return box.transport(request);
    return { status: 401, headers: {}, body: JSON.stringify({ code: 'unauthorized', message: 'No.' }) };
  };
  const { exit, stdout, stderr } = await box.run(['events', 'resend', created, order], { transport });
  expect([exit, stdout, calls]).toEqual([10, `${created}\t${endpoint}\n`, 2]);
  expect(stderr).toContain(`It stopped at ${order}: that one and what is newer are left.`);
  const first = await box.run(['events', 'resend', order, quotes], { transport });
  expect([first.exit, first.stdout]).toEqual([4, '']);
});

test('a repeat with the same idempotency key gets the same response', async () => {
  const line = ['events', 'resend', created, order, '--endpoint', endpoint, '--idempotency-key', 'again'];
  const sent = box.requests.length;
  const [first, second] = [await box.run(line), await box.run(line)];
  expect(second).toEqual(first);
  const keys = box.requests.slice(sent).flatMap(({ headers }) => headers['idempotency-key'] ?? []);
  expect(keys).toEqual(['again', `again/${order}`, 'again', `again/${order}`]);
});

test('several are sent oldest first', async () => {
  const line = ['events', 'resend', '-', '--endpoint', endpoint, '-o', 'id'];
  const whole = async (id: string) => box.json(['events', 'get', id]);
  const ordered = async (stdin: string) => linesIn((await box.run(line, { stdin })).stdout);
  box.advance(60_000);
  const { stdout } = await box.run(['events', 'list', '--all', '-o', 'id']);
  const newest = linesIn(stdout);
  const sent = await Promise.all((await ordered(newest.join('\n'))).map(whole));
  expect(sent).toHaveLength(newest.length);
  const times = sent.map(({ created_at }) => String(created_at));
  expect(times).toEqual(times.toSorted());
  expect(times[0]).not.toBe(times.at(-1));
});

test('the id of a delivery is not an event, and the command that lists its events is named', async () => {
  const { exit, stderr } = await (await sandbox()).run(['events', 'resend', '1042']);
  expect(exit).toBe(5);
  expect(stderr).toContain('  waybill events list --delivery 1042   (those');
});

const listed = await sandbox();

test('events list shows what happened to a delivery, by its id or reference', async () => {
  const route = await quotedRoute(listed, '--ref', 'A-77');
  await listed.json(['dispatch', route, '--cheapest']);
  const { stdout, exit } = await listed.run(['events', 'list', '--delivery', 'A-77']);
  const rows = rowsIn(stdout);
  expect(exit).toBe(0);
  expect(rows.map(([, type, of, status]) => [type, of?.slice(0, 4), status])).toEqual([
    ['order.dispatched', 'ord_', 'dispatched'],
    ['delivery.created', 'dlv_', 'delivery_created'],
  ]);
  const typesOf = async (type: string) => {
    const { stdout: some, exit: end } = await listed.run(['events', 'list', '--type', type]);
    return [end, ...rowsIn(some).map(([, found]) => found)];
  };
  expect(await typesOf('delivery.*')).toEqual([0, 'delivery.created']);
  expect((await typesOf('delivery.nope'))[0]).toBe(2);
  const more = await listed.run(['events', 'list', '--type', 'delivery.*,order.dispatched', '--limit', '1']);
  expect(more.stderr).toContain('--type delivery.created,delivery.updated,order.dispatched');
  const quotes = await listed.run(['events', 'list', '--type', 'route_quotes.completed', '-o', 'tsv']);
  expect(quotes.stdout).toContain(`route_quotes.completed\t${route}\tCOMPLETE`);
});

test('events of an unknown batch are exit 5', async () => {
  for (const batch of ['nope', 'bat_nope']) {
    const { exit, stdout } = await listed.run(['events', 'list', '--batch', batch]);
    expect([exit, stdout]).toEqual([5, '']);
  }
});
