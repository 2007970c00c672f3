import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { errorShapes, fieldSets, listShapes, writeShapes } from '../../fakes/seed-service/switches.ts';
import { oneOf } from '../../in-part.ts';
import { person, type Reply, typedOrder } from '../commands/new/person.ts';
import { errorOf } from '../harness.ts';
import { orderLine } from '../sandbox.ts';
import { otherService } from './runs.ts';

const combinations = [
  ...fieldSets.flatMap((fields) => listShapes.map((list) => ({ fields, list }))),
  ...errorShapes.map((errors) => ({ errors })),
].filter(oneOf(2));

test.each(combinations)('the five steps lead to a dispatched delivery with %o', async (switches) => {
  const { run, json, requests } = await otherService({ ...switches, step_ms: 20 });
  const order = String((await json([...orderLine, '--ref', '#1042'])).id);
  expect(requests()).toContain('POST /orders/create');
  const route = String((await json(['routes', 'create', order])).id);
  expect(await json(['routes', 'quote', route])).toHaveProperty('job_id');
  const quotes = await run(['quotes', 'list', route, '--watch']);
  expect([quotes.exit, quotes.stdout]).toEqual([
    0,
    expect.stringMatching(/thrifty\t.*\t647\t[\s\S]*speedy\t.*\t949\t/),
  ]);
  const dispatched = await run(['dispatch', route, '--cheapest', '--max-cost', '9']);
  expect([dispatched.exit, dispatched.stderr]).toEqual([0, expect.stringContaining('Dispatched to thrifty')]);
  const id = dispatched.stdout.split('\t')[0] ?? '';
  const listed = await run(['deliveries', 'list', '-o', 'id']);
  expect([id, listed]).toEqual([listed.stdout.trim(), expect.objectContaining({ exit: 0 })]);
  for (const word of [id, '#1042']) expect(await json(['deliveries', 'get', word])).toMatchObject({ id });
  for (const verb of ['wait', 'watch', 'explain']) {
    const { exit, stdout } = await run(['deliveries', verb, '#1042']);
    expect([verb, exit, stdout]).toEqual([verb, 0, expect.stringContaining('delivered')]);
  }
});

const ship = ['ship', ...orderLine.slice(2), '--cheapest'];

test.each([true, false])(
  'statuses in another spelling are those of filters, and end waits; filtered there: %s',
  async (isFiltering) => {
    const statuses = ['delivery created', 'attempting reroute', 'Enroute-Dropoff', 'delivered'];
    const { run, json, service } = await otherService({ statuses, isFiltering, step_ms: 600_000 });
    await run([...ship, '--ref', '#1042']);
    const [delivery] = service.store.deliveries;
    const found = async (status: string) => {
      const { stdout } = await run(['deliveries', 'list', '--status', status, '-o', 'id']);
      return stdout === '' ? [] : stdout.trim().split('\n');
    };
    expect(await found('delivery_created')).toEqual([String(delivery?.id)]);
    expect(await found('initial')).toEqual([String(delivery?.id)]);
    expect(await found('delivered,in_transit')).toEqual([]);
    Object.assign(service.switches, { step_ms: 10 });
    const id = String(delivery?.id);
    expect(await json(['deliveries', 'wait', '#1042', '--until', 'enroute_dropoff'])).toMatchObject({ id });
    const { exit, stdout } = await run(['deliveries', 'watch', '#1042']);
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/delivered/)]);
    const read = ['delivery_created', 'attempting_reroute', 'enroute_dropoff', 'delivered'];
    expect(await json(['deliveries', 'get', '#1042'])).toMatchObject({
      status: 'delivered',
      status_history: read.map((status) => ({ status })),
    });
  },
);

test('a dispatch whose delivery cannot be identified is reported as done and not waited for', async () => {
  const { run, json } = await otherService({ isDispatchSilent: true });
  const route = String((await json(['routes', 'create', String((await json(orderLine)).id)])).id);
  await run(['routes', 'quote', route, '--wait', '--interval', '250ms']);
  const { exit, stdout, stderr } = await run(['dispatch', route, '--cheapest', '--wait', 'delivered']);
  expect([exit, stdout, stderr]).toEqual([
    8,
    '',
    expect.stringMatching(
      /Dispatched to thrifty for \$6.47[\s\S]*does not say which deliveries[\s\S]*deliveries list/,
    ),
  ]);
});

test('a failed delivery says nothing of charges, and names no command, that the service lacks', async () => {
  const { run, service } = await otherService({ statuses: ['failed'] });
  const { exit, stdout, stderr } = await run(ship);
  expect([exit, stderr]).toEqual([9, expect.stringMatching(/ failed\./)]);
  const id = stdout.split('\t')[0] ?? '';
  const json = await run([...ship, '--json']);
  expect([json.exit, errorOf(json.stderr).next]).toEqual([9, []]);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate'];
  const created = await run(line);
  expect([created.exit, created.stderr]).toEqual([9, expect.stringMatching(/ failed\./)]);
  const explained = await run(['deliveries', 'explain', id]);
  Object.assign(service.switches, { fields: 'minimal' });
  const minimal = await run(line);
  const all = [stderr, json.stderr, created.stderr, explained.stdout, minimal.stderr].join('\n');
  expect(all).not.toMatch(/charged|deliveries retry/);
});

test('a created delivery without courier, price and quote is reported without them', async () => {
  const { run, service } = await otherService({ fields: 'minimal' });
  const line = ['deliveries', 'create', ...orderLine.slice(2)];
  const made = await run([...line, '--initiate', '--quote', 'q1']);
  expect([made.exit, made.stderr]).toEqual([
    0,
    expect.stringMatching(/(^|\n)It is dispatched\.\nNext: waybill deliveries watch \S+\n/),
  ]);
  const kept = await run(line);
  expect(kept.stderr).toContain('It is kept, and no courier is asked yet.\n');
  expect(kept.stderr).not.toMatch(/no courier takes it|deliveries initiate/);
  expect(service.store.deliveries).toHaveLength(2);
});

test.each(['request', 'driver_assigned', 'delivered', 'disputed', 'returned', 'failed', 'customer_canceled'])(
  'the next steps of a %s delivery are commands that the service has',
  async (status) => {
    const { run, json, service } = await otherService({ statuses: [status] });
    await run(['deliveries', 'create', ...orderLine.slice(2), '--initiate', '--ref', 'A1']);
    const id = String(service.store.deliveries[0]?.id);
    const { next } = await json(['deliveries', 'explain', 'A1']);
    const tell = ['track', id, '--text'];
    const args =
      { driver_assigned: ['deliveries', 'watch', id], failed: tell, customer_canceled: tell }[status] ?? null;
    expect(next).toEqual(args === null ? [] : [expect.objectContaining({ args })]);
    if (args === tell) expect((await run(tell)).exit).toBe(0);
  },
);

test('a quote whose fee is missing comes after those with a total, for --cheapest and below a maximum', async () => {
  const { run, json, service } = await otherService();
  const route = String((await json(['routes', 'create', String((await json(orderLine)).id)])).id);
  await run(['routes', 'quote', route, '--wait', '--interval', '250ms']);
  const [speedy, thrifty] = service.store.routes[0]?.quotes ?? [];
  Object.assign(thrifty ?? {}, { cost_of_delivery: 500, service_fee: undefined });
  expect((await run(['quotes', 'list', route])).stdout).toMatch(/speedy[\s\S]*thrifty/);
  const refused = await run(['dispatch', route, '--quote', String(thrifty?.id), '--max-cost', '9', '--yes']);
  expect([refused.exit, refused.stderr]).toEqual([6, expect.stringContaining('has no known total')]);
  const { exit, stderr } = await run(['dispatch', route, '--cheapest', '--max-cost', '9.49']);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Dispatched to speedy for $9.49')]);
  expect(speedy).toMatchObject({ provider: 'speedy' });
});

test('a quote without a price is never the cheapest, nor below a maximum', async () => {
  const { run, json, service } = await otherService();
  const route = String((await json(['routes', 'create', String((await json(orderLine)).id)])).id);
  await run(['routes', 'quote', route, '--wait', '--interval', '250ms']);
  const [speedy, thrifty] = service.store.routes[0]?.quotes ?? [];
  Object.assign(thrifty ?? {}, { cost_of_delivery: 'on request' });
  const quotes = await run(['quotes', 'list', route]);
  expect(quotes.stdout).toMatch(/speedy[\s\S]*thrifty/);
  const id = String(thrifty?.id);
  const refused = await run(['dispatch', route, '--quote', id, '--max-cost', '9', '--yes']);
  expect([refused.exit, refused.stderr]).toEqual([6, expect.stringContaining('has no known total')]);
  expect((await run(['dispatch', route, '--cheapest'])).stderr).toContain('Dispatched to speedy for $9.49');
  expect(speedy).toMatchObject({ provider: 'speedy' });
});

test('whoami and doctor show the service’s features, which login stores', async () => {
  const { run, json, requests } = await otherService({ fields: 'minimal' });
  expect(await json(['whoami'])).toMatchObject({
    mode: 'test',
    account: null,
    service: { account: false, idempotency: false, orders: false, stream: false, stores: false },
  });
  const doctor = await run(['doctor']);
  expect([doctor.exit, doctor.stdout]).toEqual([0, expect.stringContaining('not available: account')]);
  requests();
  const { exit, stderr } = await run(['stores', 'list', '--json']);
  expect([exit, errorOf(stderr)]).toMatchObject([6, { code: 'not_supported' }]);
  expect(requests()).toEqual([]);
});

test('the mode is that of the first record if the service does not report it', async () => {
  const { run, service, home } = await otherService();
  await run([...ship]);
  const argv = ['login', '--base-url', service.url, '--with-token', '--insecure-storage', '--profile', 'x'];
  const { stdout } = await run([...argv, '--json'], { home, stdin: 'key_1' });
  expect(JSON.parse(stdout)).toMatchObject({ profile: 'x', mode: 'test' });
});

test('with an unknown mode each write asks, or needs --yes', async () => {
  const { run, requests } = await otherService({ fields: 'minimal' }, []);
  const refused = await run([...orderLine, '--json']);
  expect([refused.exit, errorOf(refused.stderr)]).toMatchObject([2, { missing: ['--yes'] }]);
  expect(requests()).not.toContain('POST /orders/create');
  expect((await run([...orderLine, '--yes'])).exit).toBe(0);
  const asked = await run(orderLine, { tty: true, answers: [true] });
  expect([asked.exit, asked.stderr]).toEqual([0, expect.stringContaining('mode not known')]);
  const shipped = await run([...ship, '--max-cost', '9', '--yes']);
  expect([shipped.exit, shipped.stderr]).toEqual([0, expect.stringContaining('mode not known')]);
});

test('an accepted order with an unusable response is exit 0 with the response unchanged', async () => {
  for (const writes of writeShapes.filter((shape) => shape === 'empty' || shape === 'html')) {
    const { run, service } = await otherService({ writes });
    const { exit, stdout, stderr } = await run([...orderLine, '--json']);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('The service accepted the request')]);
    expect(stdout).toContain(writes === 'html' ? 'Thank you' : '');
    expect(service.store.orders).toHaveLength(1);
  }
});

test('an unknown reference or id finds no delivery, also if filters are ignored', async () => {
  const { run, service } = await otherService({ list: 'array' });
  await run([...ship, '--ref', '#1']);
  for (const word of ['9999', '#2', '+13125559999']) {
    expect((await run(['deliveries', 'get', word])).exit).toBe(5);
    expect((await run(['deliveries', 'initiate', word])).exit).toBe(5);
  }
  expect(service.requests.filter((request) => request.includes('initiate'))).toEqual([]);
  const { exit, stdout, stderr } = await run(['deliveries', 'list', '--ref', '#2', '--json']);
  expect([exit, stdout, stderr]).toEqual([0, '[]\n', expect.stringContaining('ignores the filter')]);
});

test('explain and watch show no status that the delivery never had', async () => {
  const { run, service } = await otherService({ step_ms: 600_000 });
  await run([...ship, '--ref', '#7']);
  const [delivery] = service.store.deliveries;
  Object.assign(delivery ?? {}, { created_at: Date.now() - 60_000 });
  expect((await run(['deliveries', 'explain', '#7'])).stdout).not.toMatch(/\brequest\b/);
  const { stdout } = await run(['deliveries', 'watch', '#7', '--timeout', '1s', '--json']);
  expect(stdout).not.toContain('"status":"request"');
});

/** The replies that lead from the first question to the dispatch with a provider. */
function toTheEnd(provider: string): (readonly [string, Reply])[] {
  return [
    ...typedOrder,
    ['What would you like to send?', 'Continue: create a route'],
    ['What now?', 'Request quotes'],
    ['Choose a quote', provider],
    [`Dispatch with ${provider}`, 'Dispatch it'],
  ];
}

test.each(['minimal', 'whole'] as const)('the wizard works with %s records', async (fields) => {
  const { run, service } = await otherService({ fields, step_ms: 20 });
  const name = 'thrifty, $6.47 ($5.99 + $0.48), no limit';
  const choose: Reply = ({ choices }) => {
    expect(choices.map((each) => stripVTControlCharacters(each))).toContain(name);
    return 'thrifty';
  };
  const replies = toTheEnd('thrifty').map(
    ([asked, reply]) => [asked, asked === 'Choose a quote' ? choose : reply] as const,
  );
  const prompts = person(replies);
  const { exit, stdout, stderr } = await run(['new'], { tty: true, prompts });
  expect([exit, stdout, stderr, prompts.left()]).toEqual([
    0,
    expect.stringMatching(/waiting for a driver|(driver|enroute|arrived|pickup|dropoff)_\w+|delivered/),
    expect.stringContaining('Dispatched to thrifty for $6.47'),
    0,
  ]);
  expect(service.store.deliveries).toHaveLength(1);
});
