import { expect, test } from 'vitest';
import { type BoardCall, type StubElement, startBoard } from './page-stub.ts';

const minutes = (count: number) =>
  new Date(Date.parse('2026-03-02T12:00:00.000Z') + count * 60_000).toISOString();

const driver = (name: string, change: object = {}) => ({
  ...{ id: `drv_${name}`, name, phone_number: '1', vehicle_type: 'car', on_duty: true },
  ...{ stops: [], stops_left: 0, deliveries: [], updated_at: minutes(0), location: null },
  ...change,
});

const full = Array.from({ length: 8 }, (_, index) => ({ id: `dlv_${index}` }));
const drivers = [
  driver('Ana', { stops_left: 2 }),
  driver('Bo'),
  driver('Cy', { deliveries: full, stops_left: 16 }),
  driver('Di', { on_duty: false }),
  driver('Sam', { deliveries: [{ id: 'dlv_own', picked_up: false }] }),
];

/** When each of them would be there, in minutes. */
const there = { drv_Ana: 21, drv_Bo: 45, drv_Cy: 5, drv_Di: 1, drv_Sam: 70 };

const delivery = (change: object = {}) => ({
  ...{ id: 'dlv_own', order_id: 'ord_1', route_id: 'rte_1', service: 'fleet', status: 'driver_assigned' },
  ...{ created_at: minutes(-60), updated_at: minutes(-1), status_history: [], pickup_phone_number: '1' },
  ...{ courier_name: 'Sam', courier_phone_number: '1', dropoffs: [{ dropoff_eta: minutes(30) }] },
  details: { notes: [], next_attempt_at: null, pin_locked: false, promised_at: minutes(30) },
  ...change,
});

async function boardWith(answers: (call: BoardCall) => object | null = () => null) {
  const board = await startBoard((call) => {
    if (call.path.includes('for_id='))
      return { data: drivers.map(({ id }) => ({ id, would_arrive_at: minutes(there[id as 'drv_Bo']) })) };
    return { ...answers(call) };
  });
  board.parts.records.drivers = drivers;
  return board;
}

type Board = Awaited<ReturnType<typeof boardWith>>;

/** The actions once the service has said who would be there when. */
async function actionsFor({ parts }: Board, record: ReturnType<typeof delivery>): Promise<StubElement[]> {
  parts.records.deliveries.set(record.id, record);
  parts.deliveryActions(record);
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  return parts.deliveryActions(record);
}

const primaryOf = (actions: StubElement[]) =>
  actions.find(({ dataset }) => dataset.primary === '')?.dataset.label;

test('who may take it is sorted by duty, room, lateness and arrival, and says so', async () => {
  const board = await boardWith();
  const assign = (await actionsFor(board, delivery())).find(({ dataset }) => dataset.key === 'assign');
  const options = assign?.all().filter(({ name }) => name === 'option');
  expect(options?.map((each) => each.text())).toEqual([
    'Choose a driver',
    expect.stringMatching(/^Ana, 2 stops left, there .*, in time$/),
    expect.stringMatching(/^Bo, free, there .*, 15 min late$/),
    expect.stringMatching(/^Cy, full, there .*, in time$/),
    expect.stringMatching(/^Di, off duty, there .*, in time$/),
  ]);
});

const late = {
  details: { ...delivery().details, promised_at: minutes(20) },
  dropoffs: [{ dropoff_eta: minutes(70) }],
};
const noDriver = { status: 'driver_not_assigned', updated_at: minutes(-10) };
const cases: Readonly<Record<string, [change: object, label: string | undefined]>> = {
  'nothing is wrong': [{}, undefined],
  'nobody has it': [noDriver, 'Give to Ana, 2 stops left, there in 21 min'],
  'it is late': [late, 'Give to Ana, 2 stops left, there in 21 min'],
  'it is late, and its places are known by ZIP code': [
    { ...late, details: { ...late.details, promised_at: minutes(-20), eta_precision: 'zip' } },
    'Give to Ana, 2 stops left, there in about 20 min, 41 min late',
  ],
  'it is late, and on the way': [{ ...late, status: 'enroute_dropoff' }, 'Call Sam'],
  'it is late, and no other would be sooner': [
    {
      ...late,
      dropoffs: [{ dropoff_eta: minutes(18) }],
      details: { ...late.details, promised_at: minutes(-9) },
    },
    'Call Sam',
  ],
  'a courier is late': [
    { ...late, service: 'swiftly', courier_name: 'Kim', status: 'enroute_dropoff' },
    'Call Kim',
  ],
  'the PIN is locked': [
    { status: 'arrived_at_dropoff', details: { ...delivery().details, pin_locked: true } },
    'Let the driver try again',
  ],
  'it failed': [{ status: 'failed' }, 'Try again…'],
  'it was canceled': [{ status: 'provider_canceled' }, 'Try again…'],
  'it came back': [{ status: 'returned' }, 'Try again…'],
  'it has no proof': [
    { status: 'delivered', details: { ...delivery().details, notes: [{ text: '', tags: ['unverified'] }] } },
    'Add a note',
  ],
  'it is done': [{ status: 'delivered' }, undefined],
};

test.each(Object.entries(cases))('%s: one action is in front', async (name, [change, label]) => {
  const board = await boardWith();
  const hasNobody = name === 'nobody has it';
  board.parts.records.drivers = drivers.filter(({ id }) => !hasNobody || id !== 'drv_Sam');
  const actions = await actionsFor(board, delivery(change));
  expect(primaryOf(actions)).toBe(label);
  expect(actions.filter(({ dataset }) => dataset.primary === '').length).toBe(label === undefined ? 0 : 1);
  // What cannot be taken back is never in front.
  for (const { dataset } of actions)
    expect([dataset.key, dataset.tone === 'danger']).toEqual([dataset.key, dataset.key === 'cancel']);
});

test('the suggested driver gets it from whoever has it, with what was seen', async () => {
  const board = await boardWith((call) => (call.path.endsWith('/assignments') ? delivery() : null));
  const give = (await actionsFor(board, delivery(late))).find(({ dataset }) => dataset.key === 'give');
  if (give === undefined) throw new Error('nobody is suggested');
  await board.use(give);
  expect(board.calls.filter(({ method }) => method === 'POST')).toEqual([
    {
      method: 'POST',
      path: '/v2/drivers/drv_Ana/assignments',
      body: { delivery_id: 'dlv_own', from_driver_id: 'drv_Sam', if_status: 'driver_assigned' },
    },
  ]);
});

const waitingOrder = {
  ...{ id: 'ord_w', status: 'routed', external_order_ref: '9', items: [], created_at: minutes(-5) },
  ...{ pickup_precision: 'exact', dropoff_precision: 'exact', dropoff_at: minutes(40) },
  ...{ pickup_phone_number: '1', dropoff_phone_number: '1' },
};
const unknown = '✕ No connection: it is not known whether this was done. Look again before you repeat it.';

test('a waiting order is taken out of auto dispatch for the driver, and only if nobody was faster', async () => {
  const board = await boardWith(({ method, path }) => {
    if (path === '/v2/orders/create') return { id: 'ord_new' };
    if (path === '/v2/routes') return { id: 'rte_new' };
    if (method === 'GET' && path.endsWith('/quotes')) return { data: [{ id: 'rq_1', provider: 'fleet' }] };
    return path.endsWith('/dispatch') ? { deliveries: [{ id: 'dlv_new' }] } : null;
  });
  const actionsNow = (): StubElement[] => board.parts.orderActions(waitingOrder, { order: waitingOrder });
  actionsNow();
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  const actions = actionsNow();
  expect(primaryOf(actions)).toBe('Give to Ana, 2 stops left, there in 21 min');
  const give = actions.find(({ dataset }) => dataset.key === 'give');
  if (give === undefined) throw new Error('nobody is suggested');
  await board.use(give);
  const sent = board.calls.filter(({ method }) => method === 'POST');
  expect(sent.map(({ path, body }) => [path, body?.if_status ?? body?.driver_id])).toEqual([
    ['/v2/orders/create', undefined],
    ['/v2/orders/ord_w/cancel', 'routed'],
    ['/v2/routes', undefined],
    ['/v2/routes/rte_new/quotes', 'drv_Ana'],
    ['/v2/routes/rte_new/dispatch', 'drv_Ana'],
  ]);
});

test.each([
  ['canceled', ['/v2/orders/create', '/v2/orders/ord_w/cancel', 'Created again: this is the new order.']],
  ['routed', ['/v2/orders/create', '/v2/orders/ord_w/cancel', '/v2/orders/ord_new/cancel', unknown]],
  [null, ['/v2/orders/create', '/v2/orders/ord_w/cancel', unknown]],
])(
  'of a waiting order whose cancellation is not answered, and that is %s, one stays',
  async (status, expected) => {
    const board = await boardWith(({ method, path }) => {
      if (path === '/v2/orders/create') return { id: 'ord_new' };
      if (path === '/v2/orders/ord_w/cancel' || (path === '/v2/orders/ord_w' && status === null))
        throw new Error('lost');
      return method === 'GET' && path === '/v2/orders/ord_w' ? { id: 'ord_w', status } : null;
    });
    const again = board.parts
      .orderActions(waitingOrder, { order: waitingOrder })
      .find(({ dataset }: StubElement) => dataset.key === 'again');
    await board.use(again);
    const sent = board.calls.filter(({ method }) => method === 'POST').map(({ path }) => path);
    expect([...sent, board.results()]).toEqual(expected);
  },
);

test.each([
  ['str_1', { pickup_store_id: 'str_1' }],
  ['str_gone', { pickup_name: 'Grill', pickup_address: '1 Main St', pickup_phone_number: '+1' }],
])('an order of the store %s is created again from there', async (pickup_store_id, expected) => {
  const board = await boardWith(({ path }) => (path === '/v2/orders/create' ? { id: 'ord_new' } : null));
  board.parts.records.stores = [{ id: 'str_1' }];
  const place = { pickup_name: 'Grill', pickup_address: '1 Main St', pickup_store_id };
  const order = { ...waitingOrder, ...place, status: 'unfulfilled' };
  const again = board.parts
    .orderActions(order, undefined)
    .find(({ dataset }: StubElement) => dataset.key === 'again');
  await board.use(again);
  const { orders: [made] = [] } = Object(board.calls.find(({ method }) => method === 'POST')?.body);
  const pickup = Object.entries(Object(made)).filter(([name]) => name.startsWith('pickup_'));
  expect(Object.fromEntries(pickup)).toEqual(expected);
});

test('red is what only a person can solve', async () => {
  const { parts } = await boardWith();
  const red = Object.keys(parts.kinds).filter((kind) => parts.kinds[kind][1] === 'bad');
  expect(red).toEqual(['unfulfilled', 'off_duty', 'locked', 'failed', 'canceled', 'returned']);
});

test.each([
  ['its price and tip', { delivery: 700, tip: 200 }, '$9.00'],
  ['nothing, as the payment was declined', {}, '$0.00'],
  ['a way back, too', { delivery: 700, tip: 200, return: 350 }, '$12.50'],
  [
    'what was given back',
    { delivery: 700, tip: 200, cancellation: 100, refund: -900 },
    '$10.00, refunded $9.00',
  ],
])('what was paid for a delivery is what was charged: %s', async (_, kinds, expected) => {
  const { parts } = await boardWith();
  const total_cost = Object.values(kinds).reduce((sum, amount) => sum + amount, 0);
  const charges = { delivery: 0, tip: 0, return: 0, cancellation: 0, refund: 0, ...kinds, total_cost };
  const known = { proof_of_delivery: [], signature: null, items: [], payment_amount: 700, tip: 200 };
  const record = delivery({ ...known, details: { notes: [], charges } });
  const facts: (StubElement | null)[] = parts.deliveryFacts(record);
  const paid = facts
    .flatMap((each) => each?.all() ?? [])
    .find((each) => each.attributes.get('class') === 'fact' && each.text().startsWith('Paid'));
  expect(paid?.text()).toBe(`Paid${expected}`);
});

test('the history is in words, with the name of whoever has it now', async () => {
  const { parts } = await boardWith();
  const statuses = [
    ...['delivery_created', 'driver_assigned', 'driver_not_assigned', 'driver_assigned', 'enroute_pickup'],
    ...['pickup_complete', 'enroute_dropoff', 'failed'],
  ];
  const record = {
    ...delivery({ failure_message: 'nobody opened' }),
    status_history: statuses.map((status) => ({ status, created_at: minutes(0) })),
  };
  expect(parts.historyOf(record).map(({ text }: { text: string }) => text)).toEqual([
    'Given to your drivers',
    'A driver got it',
    'A driver no longer has it',
    'Sam got it',
    'Sam set off to the shop',
    'Sam picked it up',
    'Sam set off to the recipient',
    'It failed: nobody opened',
  ]);
});

test('the link can be texted to the recipient', async () => {
  const { parts } = await boardWith();
  const link = (number: string): StubElement | null =>
    parts.textLink(
      { pickup_name: 'Pizza & Friends' },
      { dropoff_phone_number: number },
      'https://x.example/t/1',
    );
  expect(link('13125550142')?.all()[1]?.attributes.get('href')).toBe(
    'sms:+13125550142?&body=Your%20order%20from%20Pizza%20%26%20Friends%3A%20https%3A%2F%2Fx.example%2Ft%2F1',
  );
  expect(link('')).toBeNull();
});

test.each([
  [null, ''],
  [minutes(-1), ''],
  [minutes(90), / \(paused until \d+:30 [AP]M\)/],
  ['9999-12-31T00:00:00.000Z', ' (paused)'],
])('a store that is paused until %s says so beside its name', async (paused_until, shown) => {
  const { parts } = await boardWith();
  const text = parts.pauseText({ paused_until, address: '43 E Ohio St, Chicago, IL 60611, USA' });
  expect(text).toEqual(typeof shown === 'string' ? shown : expect.stringMatching(shown));
});
