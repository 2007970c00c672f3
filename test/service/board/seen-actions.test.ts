import { expect, test } from 'vitest';
import { type BoardAnswer, type BoardCall, type StubElement, startBoard } from './page-stub.ts';

const drivers = ['Ana', 'Sam'].map((name) => ({
  ...{ id: `drv_${name}`, name, phone_number: '13125550133', vehicle_type: 'car', on_duty: true },
  ...{ stops: [], stops_left: 0, deliveries: name === 'Ana' ? [{ id: 'dlv_own', picked_up: false }] : [] },
}));

const delivery = (id: string, change: object) => ({
  ...{ id, order_id: `ord_${id}`, route_id: `rte_${id}`, service: 'fleet', external_order_ref: '7' },
  ...{ created_at: '2026-03-02T11:00:00.000Z', updated_at: '2026-03-02T12:00:00.000Z' },
  ...{ status_history: [], dropoffs: [{ dropoff_name: 'Jo' }] },
  details: { notes: [], next_attempt_at: null, pin_locked: false },
  ...change,
});

const deliveries = [
  delivery('dlv_own', { status: 'enroute_pickup', details: { notes: [], pin_locked: true } }),
  delivery('dlv_new', { status: 'delivery_created' }),
  delivery('dlv_far', { status: 'enroute_dropoff', service: 'swiftly' }),
  delivery('dlv_failed', { status: 'failed' }),
  delivery('dlv_done', { status: 'delivered' }),
];

const order = (id: string, status: string) => ({
  ...{ id, status, external_order_ref: `ref ${id}`, pickup_phone_number: '1', dropoff_phone_number: '1' },
  ...{ items: [{ name: 'Pizza' }], created_at: '2026-03-02T11:00:00.000Z' },
});

const values = {
  ...{
    driver: 'drv_Sam',
    ids: ['dlv_own'],
    status: 'failed',
    note: 'by phone',
    text: 'called',
    reason: 'asked',
  },
};

/** Answers as the service does. */
function answerTo({ method, path }: BoardCall): BoardAnswer {
  if (path.endsWith('/cancellation')) return { cancelable: true, fee: 0, refund: 0 };
  if (method === 'GET' && path.endsWith('/retry')) return { retryable: true, cost: 500, tip: 0, paid: 0 };
  if (path.endsWith('/quotes')) return { status: 'COMPLETE', data: [{ id: 'rq_1', provider: 'fleet' }] };
  if (path.endsWith('/dispatch')) return { deliveries: [{ id: 'dlv_new' }] };
  if (path.startsWith('/v2/drivers?')) return { data: path.includes('for_id') ? [] : drivers };
  const listed = { data: [], has_more: false };
  const known = deliveries.find(({ id }) => path.includes(id));
  return known ?? { id: 'made_1', ...listed };
}

async function opened(answer: (call: BoardCall) => BoardAnswer = answerTo) {
  const board = await startBoard(answer);
  board.parts.records.drivers = drivers;
  for (const each of deliveries) board.parts.records.deliveries.set(each.id, each);
  return board;
}

type Board = Awaited<ReturnType<typeof opened>>;

/** Every action on every record, by its name. */
const actionsOf = ({ parts }: Board): [string, StubElement][] => [
  ...deliveries.flatMap((each) => named(each.id, parts.deliveryActions(each))),
  ...named('open order', parts.orderActions(order('ord_open', 'open'), undefined)),
  ...named('waiting order', parts.orderActions(order('ord_waiting', 'routed'), { order: {} })),
  ...named('order without a courier', parts.orderActions(order('ord_lost', 'unfulfilled'), undefined)),
  ...named('order in a draft', parts.orderActions({ ...order('ord_draft', 'routed'), route_id: 'rte_1' })),
  ...named('Ana', parts.driverActions(drivers[0])),
];

const named = (record: string, actions: StubElement[]): [string, StubElement][] =>
  actions.map((action) => [`${record}: ${action.dataset.key}`, action]);

const own = { from_driver_id: 'drv_Ana', if_status: 'enroute_pickup' };
const fresh = { from_driver_id: 'none', if_status: 'delivery_created' };
const far = { from_driver_id: 'none', if_status: 'enroute_dropoff' };

/** What each action sends of what was seen, or why it need not; null: it sends nothing. */
const expected: Readonly<Record<string, object | string | null>> = {
  'dlv_own: unlock': own,
  'dlv_own: assign': own,
  'dlv_own: report': own,
  'dlv_own: note': 'a note is true in any state',
  'dlv_own: cancel': own,
  'dlv_new: assign': fresh,
  'dlv_new: note': 'a note is true in any state',
  'dlv_new: cancel': fresh,
  'dlv_far: note': 'a note is true in any state',
  'dlv_far: cancel': far,
  'dlv_failed: decide': null,
  'dlv_failed: retry': { if_status: 'failed', max_cost: 500 },
  'dlv_failed: note': 'a note is true in any state',
  'dlv_failed: close': { if_status: 'failed' },
  'dlv_done: note': 'a note is true in any state',
  'dlv_done: dispute': { if_status: 'delivered' },
  'open order: assign': 'an order has one route',
  'open order: cancel': { if_status: 'open' },
  'waiting order: assign': { if_status: 'routed' },
  'waiting order: again': { if_status: 'routed' },
  'waiting order: cancel': { if_status: 'routed' },
  'order without a courier: again': { unique_ref: true },
  'order in a draft: release': 'only a draft is deleted',
  'Ana: call': null,
  'Ana: hand-over': own,
};

test('the table has each action of the board', async () => {
  const names = actionsOf(await opened()).map(([name]) => name);
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
});

test.each(Object.entries(expected))('%s sends what was seen', async (name, sent) => {
  const board = await opened();
  const action = new Map(actionsOf(board)).get(name) ?? missing();
  if (action.name !== 'a') await board.use(action, values);
  const changes = board.calls.filter(({ method }) => method !== 'GET');
  if (sent === null) return expect(changes).toEqual([]);
  expect(changes.length).toBeGreaterThan(0);
  if (typeof sent === 'string') return;
  expect(changes.map(({ body }) => body)).toContainEqual(expect.objectContaining(sent));
});

const refusal = {
  ...{ code: 'record_changed', message: 'Delivery dlv_own is with Sam, not with Ana: look again.' },
  related_ids: ['dlv_own', 'drv_Sam'],
};

test('a refusal is shown, and the next time the action sends what is there then', async () => {
  const board = await opened((call) => {
    const isChange = call.method === 'POST' && call.path.includes('/cancel');
    return isChange && call.body?.if_status === 'enroute_pickup' ? refusal : answerTo(call);
  });
  const cancelOf = (change: object) =>
    board.parts
      .deliveryActions({ ...deliveries[0], ...change })
      .find(({ dataset }: StubElement) => dataset.key === 'cancel');
  const used = cancelOf({});
  await board.use(used, values);
  expect(board.results()).toBe(`✕ ${refusal.message}`);
  const changed = { ...deliveries[0], status: 'pickup_complete' };
  board.parts.showActions('dlv_own', [used]);
  used.open = true;
  board.parts.showActions('dlv_own', board.parts.deliveryActions(changed));
  await board.use(used, values);
  const sent = board.calls.filter(({ path }) => path.endsWith('/cancel')).map(({ body }) => body?.if_status);
  expect(sent).toEqual(['enroute_pickup', 'pickup_complete']);
  expect(board.results()).toBe('Canceled.');
});

test('who takes a delivery back takes it only from whom it was given to', async () => {
  const board = await opened((call) =>
    call.body?.from_driver_id === 'drv_Sam' ? refusal : { ...answerTo(call), status: 'driver_assigned' },
  );
  await board.use(new Map(actionsOf(board)).get('dlv_own: assign') ?? missing(), values);
  const undo = board.resultButton();
  expect(undo?.text()).toBe('Give back to Ana');
  await board.use(undo ?? missing(), values);
  const gone = board.calls.filter(({ path }) => path.endsWith('/assignments'));
  expect(gone.map(({ path, body }) => [path, body?.from_driver_id, body?.if_status])).toEqual([
    ['/v2/drivers/drv_Sam/assignments', 'drv_Ana', 'enroute_pickup'],
    ['/v2/drivers/drv_Ana/assignments', 'drv_Sam', 'driver_assigned'],
  ]);
  expect(board.results()).toContain('look again.');
});

test('after an answer that was lost nobody is told that the driver has it or not', async () => {
  const board = await opened((call) => {
    if (call.path.endsWith('/assignments')) throw new Error('503');
    return answerTo(call);
  });
  await board.use(new Map(actionsOf(board)).get('dlv_own: assign') ?? missing(), values);
  expect(board.results()).toBe('✕ #7 Jo: no connection, it is not known whether Sam has it');
});

test.each([
  ['dlv_far', ''],
  ['', '#7 Jo: Canceled.'],
])('what becomes of an action is told by name when the panel has moved on to "%s"', async (open, said) => {
  const board = await opened((call) => {
    if (call.path.endsWith('/cancel')) board.parts.filters.open = open;
    return answerTo(call);
  });
  board.parts.filters.open = 'dlv_own';
  board.parts.one('#panel-title').textContent = '#7 Jo';
  await board.use(new Map(actionsOf(board)).get('dlv_own: cancel') ?? missing(), values);
  expect([board.results(), board.parts.one('#said').textContent]).toEqual(['#7 Jo: Canceled.', said]);
});

test('what was ordered days ago and delivered today stays on the board', async () => {
  const done = delivery('dlv_done', {
    ...{ status: 'delivered', created_at: '2026-02-20T12:00:00.000Z' },
    status_history: [{ status: 'delivered', created_at: '2026-03-02T11:30:00.000Z' }],
  });
  const board = await opened(({ path }) => {
    const query = new URL(path, 'http://board.test').searchParams;
    const isListed =
      query.get('status')?.includes('delivered,') && done.created_at > String(query.get('created_after'));
    return { data: isListed ? [done] : [], has_more: false };
  });
  for (const read of ['wide', 'narrow']) {
    await board.parts.readAll();
    expect([read, ...board.parts.records.deliveries.keys()]).toEqual([read, 'dlv_done']);
  }
});

const missing = () => {
  throw new Error('there is no such action');
};
