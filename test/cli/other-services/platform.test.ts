import { expect, onTestFinished, test } from 'vitest';
import { sleep } from '../../../src/cli/kit/system/streams.ts';
import { publicPlatform } from '../../fakes/platform/server.ts';
import type { PlatformSwitches } from '../../fakes/platform/switches.ts';
import { oneOf } from '../../in-part.ts';
import { person, typedOrder } from '../commands/new/person.ts';
import { freshHome, jsonOf, type Outcome, waybill } from '../harness.ts';
import { answersIn, call, messageLines, opening } from '../mcp-session.ts';
import { orderLine, sandbox } from '../sandbox.ts';

/** Made up, in the form of the keys that the documentation shows. */
const key = '0f5c1c1e-0000-4111-8111-000000000001';

/** Waits are a fiftieth of what they would be. */
const quick = (ms: number, signal: AbortSignal) => sleep(ms / 50, signal);

const parcel = { length: 12, width: 10, height: 8, weight: 5, dimension_unit: 'in', weight_unit: 'lb' };

/** A server like the public platform, after a login. */
async function platform(changes: Partial<PlatformSwitches> = {}) {
  const service = await publicPlatform(changes);
  onTestFinished(() => service.close());
  const home = freshHome();
  const run = (line: string | readonly string[], stdin?: string): Promise<Outcome> =>
    waybill(typeof line === 'string' ? line.split(' ') : line, {
      home,
      sleep: quick,
      ...(stdin ? { stdin } : {}),
    });
  const ok = async (line: string | readonly string[], stdin?: string) => {
    const { stdout, stderr, exit } = await run(line, stdin);
    expect([line, exit, exit === 0 ? '' : stderr]).toEqual([line, 0, '']);
    return stdout.trim();
  };
  const json = async (line: string | readonly string[]) =>
    jsonOf(await ok(typeof line === 'string' ? `${line} --json` : [...line, '--json']));
  await ok(`login --base-url ${service.url} --with-token --insecure-storage --mode test`, key);
  if (service.switches.needsDimensions) await ok('config set parcel 12x10x8,5');
  const couriers = () => service.store.orders.flatMap(({ deliveries }) => deliveries).length;
  return { service, home, run, ok, json, couriers };
}

const order = (ref: string) => [...orderLine, '--ref', ref];
const ship = (ref: string) => ['ship', ...orderLine.slice(2), '--ref', ref];

interface Case {
  what: string;
  switches: Partial<PlatformSwitches>;
}

/** Each unknown, decided the other way than by default: those that look-ups depend on one by one. */
const cases: Case[] = [
  { what: 'as far as it is known', switches: {} },
  { what: 'version 1 has all deliveries', switches: { isSeenByVersion1: true } },
  {
    what: 'version 1 has all deliveries, with a history',
    switches: { isSeenByVersion1: true, hasHistory: true },
  },
  { what: 'lists of orders without deliveries', switches: { isExpandedInLists: false } },
  { what: 'lists that take no expand', switches: { isStrict: true } },
  { what: 'lists that ignore filters', switches: { isFiltering: false } },
  { what: 'lists as arrays', switches: { lists: 'array' } },
  { what: 'orders with a status', switches: { hasStatus: true } },
  { what: 'a dispatch that answers with the delivery', switches: { dispatch: 'delivery' } },
  { what: 'a dispatch that answers with nothing', switches: { dispatch: 'empty' } },
  // What follows concerns different fields, and is decided together.
  {
    what: 'quotes after several polls with the fee by both names, routes with a status of their own',
    switches: { pending: 4, fee: 'both', routeStatus: 'created' },
  },
  {
    what: 'quotes at once with the fee by the name of the reference, 201 for what is created',
    switches: { pending: 0, fee: 'service_fee', created: 201 },
  },
  {
    what: 'orders with a size, errors with their words in another field',
    switches: { needsDimensions: true, words: 'error' },
  },
];

test('an assistant is told that there may be more orders, as their list does not say whether it is whole', async () => {
  const { run, ok } = await platform();
  for (let count = 1; count <= 11; count += 1) await ok(order(`L-${count}`));
  const { stdout } = await run('mcp', messageLines(...opening, call(2, 'list_orders', { limit: 10 })));
  const { structuredContent } = answersIn(stdout).find(({ id }) => id === 2).result;
  expect([structuredContent.orders.length, structuredContent.has_more]).toEqual([10, true]);
});

/** Switches on which it depends whether a delivery is found. */
const look_ups = [
  'dispatch',
  'hasStatus',
  'isExpandedInLists',
  'isFiltering',
  'isSeenByVersion1',
  'isStrict',
  'lists',
];
const lookUpCases = cases.filter(({ switches }) =>
  Object.keys(switches).every((name) => look_ups.includes(name)),
);
const otherCases = cases.filter((each) => !lookUpCases.includes(each) || 'dispatch' in each.switches);

test.each(cases)('the five steps and the desk: $what', async ({ switches }) => {
  const { service, run, ok, json, couriers } = await platform(switches);
  const id = await ok([...order('W-1'), '-o', 'id']);
  expect(service.store.orders.map((each) => each.id)).toEqual([id]);
  expect(await json(`orders get ${id}`)).toMatchObject({ id, status: 'open', delivery_id: null });
  const shown = await ok('orders get W-1');
  expect(shown).toContain('233 S Wacker Dr');
  expect(shown).not.toMatch(/^batch_id\t/m);
  expect(await ok('orders list')).toContain('W-1');
  const route = await ok(`routes create ${id} -o id`);
  await ok(`routes quote ${route} --wait`);
  expect(await ok(`quotes list ${route}`)).toContain('\t949\t');
  const early = await run('deliveries get W-1');
  expect([early.exit, early.stderr]).toEqual([5, expect.stringContaining(`deliveries get ${id}`)]);
  expect(early.stderr).not.toContain('ship');
  const sent = await json(`dispatch ${route} --cheapest --max-cost 30`);
  expect(sent.id).toBe(switches.dispatch === 'empty' ? undefined : route);
  expect(sent).not.toMatchObject({ status: 'delivery_created' });
  expect(couriers()).toBe(1);
  const [delivery = ''] = service.store.orders.flatMap(({ deliveries }) => deliveries.map((each) => each.id));
  for (const text of [delivery, 'W-1']) {
    expect(await json(`deliveries get ${text}`)).toMatchObject({ id: delivery, external_order_ref: 'W-1' });
    expect(await ok(`deliveries explain ${text}`)).toContain('W-1');
    expect(await ok(`track ${text}`)).toContain('https://tracking.example/');
  }
  await ok('deliveries wait W-1 --until delivered');
  const explained = await json('deliveries explain W-1');
  const at = switches.hasHistory === true ? [expect.any(String), null] : [null];
  expect(Object.values(explained.timeline ?? {}).map((each) => each.at)).toEqual(at);
  expect(await ok('deliveries list -o id')).toBe(delivery);
  expect(await json(`orders get W-1`)).toMatchObject({ status: 'dispatched', delivery_id: delivery });
  await ok([...ship('W-2'), '--cheapest', '--max-cost', '30']);
  const watched = await ok('deliveries watch W-2');
  expect(watched.split('\n').at(-1)).toContain('delivered');
  expect(await ok('deliveries list')).toMatch(/W-2.*\n.*W-1/);
});

test.each(lookUpCases.filter(oneOf(3)))(
  'one courier comes for an order that is sent twice: $what',
  async ({ switches }) => {
    const { service, run, ok, couriers } = await platform({ step_ms: 3_600_000, ...switches });
    await ok([...ship('S-1'), '--cheapest', '--max-cost', '30']);
    const again = await run([...ship('S-1'), '--cheapest', '--max-cost', '30']);
    expect([again.exit, couriers()]).toEqual([6, 1]);
    const [{ id = '' } = {}] = service.store.orders;
    for (const line of [`ship ${id} --cheapest`, 'ship S-1 --cheapest', `routes create ${id}`])
      expect([line, (await run(line)).exit, couriers()]).toEqual([line, 6, 1]);
    await ok('cancel S-1 --yes');
    await ok([...ship('S-1'), '--cheapest', '--max-cost', '30']);
    expect(couriers()).toBe(2);
    const limited = await run([...ship('S-2'), '--cheapest', '--max-cost', '9']);
    expect([limited.exit, couriers()]).toEqual([6, 2]);
  },
);

/** Ways to send a reference: each of them twice, or one after the other. */
const initiate = (ref: string) => ['deliveries', 'create', ...orderLine.slice(2), '--ref', ref, '--initiate'];
const sendings = [
  { what: 'deliveries create --initiate twice', first: initiate, second: initiate },
  { what: 'a delivery after ship', first: ship, second: initiate },
  { what: 'ship after a delivery', first: initiate, second: ship },
];

test.each(lookUpCases.filter(oneOf(3, 1)))(
  'a reference in use gets no second courier: $what',
  async ({ switches }) => {
    const { service, run, ok, couriers } = await platform({ step_ms: 3_600_000, ...switches });
    const line = (words: string[]) =>
      words[0] === 'ship' ? [...words, '--cheapest', '--max-cost', '30'] : words;
    for (const [nth, { what, first, second }] of sendings.entries()) {
      await ok(line(first(`T-${nth}`)));
      const again = await run(line(second(`T-${nth}`)));
      expect([what, again.exit, couriers() + service.store.alone.length]).toEqual([what, 6, nth + 1]);
    }
    await ok(order('T-9'));
    expect([(await run(order('T-9'))).exit, service.store.orders.length]).toEqual([6, 2]);
  },
);

test.each(otherCases.filter(oneOf(4)))(
  'the wizard leads to a dispatched delivery: $what',
  async ({ switches }) => {
    const { home, couriers } = await platform(switches);
    const prompts = person([
      ...typedOrder,
      ['What would you like to send?', 'Continue: create a route'],
      ['What now?', 'Request quotes'],
      ['Choose a quote', 'Uber'],
      ['Dispatch with Uber', 'Dispatch it'],
    ]);
    const { exit, stderr } = await waybill(['new'], { home, sleep: quick, tty: true, prompts });
    expect([exit, stderr, prompts.left(), couriers()]).toEqual([
      ...[0, expect.stringContaining('Dispatched to Uber for $9.49'), 0, 1],
    ]);
  },
);

test('an order that is not dispatched can be canceled, and no other', async () => {
  const { service, run, ok, json } = await platform({ step_ms: 3_600_000 });
  const id = await ok([...order('C-1'), '-o', 'id']);
  expect(await json(`orders cancel ${id} --yes`)).toMatchObject({ id, status: 'canceled' });
  expect(service.store.orders).toEqual([]);
  await ok([...ship('C-2'), '--cheapest', '--max-cost', '30']);
  const sent = service.store.orders[0]?.id ?? '';
  const { exit, stderr } = await run(`orders cancel ${sent} --yes`);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('The order is under way')]);
  expect((await run('orders cancel o_none --yes')).exit).toBe(5);
  expect(service.store.orders).toHaveLength(1);
});

test('the rest of what the guide says works there', async () => {
  const { service, run, ok, json } = await platform({ step_ms: 3_600_000 });
  const id = await ok([...order('G-1'), '-o', 'id']);
  const route = await ok(`routes create ${id} -o id`);
  await ok(`routes quote ${route}`);
  await ok(`quotes wait ${route}`);
  await ok(['deliveries', 'create', ...orderLine.slice(2), '--ref', 'G-2', '--initiate']);
  expect(service.store.alone).toHaveLength(1);
  expect(await json('deliveries get G-2')).toMatchObject({ external_order_ref: 'G-2' });
  service.switches.step_ms = 10;
  expect(await ok('deliveries watch G-2')).toContain('delivered');
  expect(await ok('api GET /v2/orders?limit=1')).toContain(id);
  for (const line of ['whoami', 'doctor']) await ok(line);
  expect((await run('stores list')).exit).toBe(6);
});

test('a status that is not known is active, and can be asked for', async () => {
  const { service, ok } = await platform({ statuses: ['attempting reroute'] });
  await ok([...ship('U-1'), '--cheapest', '--max-cost', '30']);
  const lines = ['--status active', '--active', '--status attempting_reroute', '--status attempting-reroute'];
  for (const line of lines)
    expect([line, await ok(`deliveries list ${line} -o id`)]).toEqual([line, expect.stringMatching(/^d_/)]);
  for (const line of ['--status in_transit', '--status failed,canceled', '--status pending'])
    expect([line, await ok(`deliveries list ${line} -o id`)]).toEqual([line, '']);
  service.switches.statuses = ['delivered'];
  expect(await ok('deliveries list --active -o id')).toBe('');
  const own = await (await sandbox()).run(['deliveries', 'list', '--status', 'pending', '--json']);
  expect([own.exit, own.stderr]).toEqual([2, expect.stringContaining('not \\"pending\\"')]);
});

test.each([{}, { isSeenByVersion1: true }])(
  'after a reroute the reference means the delivery under way: %o',
  async (switches) => {
    const { service, ok } = await platform({ step_ms: 3_600_000, ...switches });
    await ok([...ship('R-1'), '--cheapest', '--max-cost', '30']);
    const [order] = service.store.orders;
    const [first] = order?.deliveries ?? [];
    if (order === undefined || first === undefined) throw new Error('nothing was sent');
    first.held = 'provider_canceled';
    order.deliveries.push({ ...first, id: 'd_second', held: null, begun_at: Date.now() });
    for (const verb of ['get', 'explain'])
      expect(await ok(`deliveries ${verb} R-1 --json`)).toContain('d_second');
    service.switches.step_ms = 10;
    expect(await ok('deliveries wait R-1 --until delivered')).toContain('d_second');
  },
);

test('a service that dispatches in another way is said to lack the operation', async () => {
  const { run, couriers } = await platform({ dispatch: 'none' });
  const { exit, stderr } = await run([...ship('X-1'), '--cheapest', '--max-cost', '30']);
  expect([exit, stderr, couriers()]).toEqual([
    6,
    expect.stringContaining('This service has no operation'),
    0,
  ]);
});

test.each(['/v1', '/v2/'])('a base URL with %s is told to be without it', async (version) => {
  const { service, run } = await platform();
  const line = `login --base-url ${service.url}${version} --with-token --insecure-storage --mode test`;
  const { exit, stderr } = await run(line, key);
  expect([exit, stderr]).toEqual([7, expect.stringContaining(`Leave out ${version.slice(0, 3)}`)]);
});

test('an order that does not show its delivery is not said to have none', async () => {
  const { run, ok, couriers } = await platform({ isExpandedAlone: false, isExpandedInLists: false });
  await ok([...ship('N-1'), '--cheapest', '--max-cost', '30']);
  const { exit, stderr } = await run('deliveries get N-1');
  expect([couriers(), exit, stderr]).toEqual([
    1,
    6,
    expect.stringContaining('does not show whether it has one'),
  ]);
  for (const words of [ship('N-1'), ['ship', 'N-1']])
    expect((await run([...words, '--cheapest', '--max-cost', '30'])).exit).toBe(6);
  expect(couriers()).toBe(1);
});

const dispatchForms = ['route', 'delivery', 'empty'] as const;

test('a reference is remembered of a delivery, too, which shows late', async () => {
  const { run, service } = await platform({ step_ms: 3_600_000, hidden_ms: 3_600_000 });
  const sent = await run(initiate('L-2'));
  const again = await run(initiate('L-2'));
  const [{ id = '' } = {}, ...others] = service.store.alone;
  expect([sent.exit, again.exit, others, again.stderr]).toEqual([0, 6, [], expect.stringContaining(id)]);
});

test.each(dispatchForms)(
  'a delivery that shows late is to be looked for, and not to be sent again: %s',
  async (dispatch) => {
    const { service, run, ok, couriers } = await platform({
      ...{ step_ms: 3_600_000, hidden_ms: 3_600_000, dispatch },
    });
    const sent = await run([...ship('L-1'), '--cheapest', '--max-cost', '30']);
    expect([sent.exit, couriers()]).toEqual([0, 1]);
    const [{ id = '' } = {}] = service.store.orders;
    const texts = [sent.stderr];
    for (const line of ['deliveries get L-1', 'track L-1', 'deliveries explain L-1', 'deliveries wait L-1']) {
      const { exit, stderr } = await run(line);
      expect([line, exit, stderr]).toEqual([line, 5, expect.stringContaining(`deliveries get ${id}`)]);
      texts.push(stderr);
    }
    texts.push((await run(`orders get ${id}`)).stderr, (await run('today')).stdout);
    const again = await run([...ship('L-1'), '--cheapest', '--max-cost', '30']);
    expect([again.exit, couriers()]).toEqual([6, 1]);
    expect([(await run('ship L-1 --cheapest')).exit, couriers()]).toEqual([6, 1]);
    texts.push(again.stderr);
    for (const text of texts) expect(text).not.toMatch(/\bship\b|\bdispatch /);
    service.switches.hidden_ms = 0;
    expect(await ok('deliveries get L-1')).toContain('L-1');
  },
);

test.each(lookUpCases.filter(oneOf(3, 2)))(
  'a list of one record, whatever its limit is, is not taken for all: $what',
  async ({ switches }) => {
    const { service, ok, run, couriers } = await platform({ step_ms: 3_600_000, max_listed: 1, ...switches });
    const price = ['--cheapest', '--max-cost', '30'];
    for (const ref of ['M-1', 'M-2']) await ok([...ship(ref), ...price]);
    await ok(initiate('M-3'));
    const count = () => couriers() + service.store.alone.length;
    expect(count()).toBe(3);
    for (const ref of ['M-1', 'M-2', 'M-3'])
      for (const words of [[...ship(ref), ...price], initiate(ref), order(ref)])
        expect([words[0], ref, (await run(words)).exit, count()]).toEqual([words[0], ref, 6, 3]);
    expect(service.store.orders).toHaveLength(2);
    // What was canceled may be sent again.
    const [first] = service.store.orders[1]?.deliveries ?? [];
    if (first !== undefined) first.held = 'customer_canceled';
    await ok([...ship('M-1'), ...price]);
    expect(count()).toBe(4);
  },
);

test('a size that the service needs comes from flags, the profile, a question or a file', async () => {
  const { service, home, run, ok } = await platform({ needsDimensions: true });
  const latest = () => service.store.orders[0]?.fields;
  await ok('config unset parcel');
  const refused = await run(order('D-1'));
  expect([refused.exit, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/Dimensions are required.*\n.*--length.*config set parcel/),
  ]);
  const measured = ['--length', '12', '--width', '10', '--height', '8', '--weight', '5'];
  await ok([...order('D-1'), ...measured]);
  expect(latest()).toMatchObject({ external_order_ref: 'D-1', ...parcel });
  const prompts = person([['Size in inches and weight in pounds', '12 x 10 x 8 in, 5 lb']]);
  const asked = await waybill(order('D-2'), { home, sleep: quick, tty: true, prompts });
  expect([asked.exit, prompts.left()]).toEqual([0, 0]);
  expect(latest()).toMatchObject({ external_order_ref: 'D-2', ...parcel });
  expect((await run('config set parcel 12x10')).exit).toBe(2);
  await ok('config set parcel 12x10x8,5');
  await ok(order('D-3'));
  expect(latest()).toMatchObject({ external_order_ref: 'D-3', ...parcel });
  const stops = Object.fromEntries(
    ['pickup', 'dropoff'].flatMap((end) => [
      [`${end}_address`, '43 E Ohio St, Chicago, IL 60611'],
      [`${end}_name`, 'Grill'],
      [`${end}_phone_number`, '+13125550101'],
    ]),
  );
  const fields = { ...parcel, length: 40, external_order_ref: 'D-4' };
  const body = JSON.stringify({ ...fields, ...stops, items: [{ name: 'Vase', quantity: 1 }] });
  await ok('orders create --file -', body);
  expect(latest()).toMatchObject(fields);
});

test("waybill's own service reads the size of a parcel as that of its items", async () => {
  const { run } = await sandbox();
  const measured = ['--length', '30', '--width', '10', '--height', '8', '--weight', '5'];
  const { stdout } = await run([...order('D-5'), '--item', 'Vase:2', ...measured, '--json']);
  const sizes = Object(jsonOf(stdout)).items.map(({ size }: { size: string }) => size);
  expect(sizes).toEqual(['small', 'large']);
  const { exit, stderr } = await run([...order('D-6'), '--length', '30']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--width')]);
});
