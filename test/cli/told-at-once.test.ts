import { expect, test } from 'vitest';
import { jsonOf } from './harness.ts';
import { newDelivery, newOrder, orderLine, quotedRoute, sandbox, storeLine } from './sandbox.ts';

/** What a command tells at once about what it does, so that nobody is misled by an answer that looks ordinary. */

const box = await sandbox();
const sam = String((await box.json(['drivers', 'add', 'Sam Lee', '--phone-number', '+13125550177'])).id);
const place = orderLine.slice(2);

const step = async (id: string, ...statuses: string[]) => {
  for (const status of statuses) await box.json(['sandbox', 'step', id, status]);
};

const handOvers: Record<string, () => Promise<string[]>> = {
  ship: async () => ['ship', ...place, '--allow-duplicate-ref'],
  'ship ORDER': async () => ['ship', await newOrder(box)],
  dispatch: async () => ['dispatch', await quotedRoute(box)],
  'deliveries retry': async () => {
    const id = await newDelivery(box, '--initiate', '--simulate', 'payment_declined');
    return ['deliveries', 'retry', id];
  },
  'deliveries assign': async () => {
    const { deliveries } = await box.json(['ship', ...place, '--driver', sam, '--max-cost', '20']);
    return ['deliveries', 'assign', String((deliveries as { id: string }[])[0]?.id)];
  },
};

test.each(Object.keys(handOvers))('%s: a driver who is off duty is named in a warning', async (name) => {
  const line = [...((await handOvers[name]?.()) ?? []), '--driver', 'Sam Lee', '--json'];
  const { stderr } = await box.run(name.endsWith('assign') ? line : [...line, '--max-cost', '20']);
  const objects = stderr.split('\n').flatMap((text) => (text.startsWith('{') ? [JSON.parse(text)] : []));
  const message = expect.stringContaining('Sam Lee is off duty');
  expect(objects).toContainEqual({ type: 'warning', code: 'driver_off_duty', message, driver_id: sam });
});

const refusal = JSON.stringify({
  error: {
    code: 'unauthorized',
    message: 'This API key has read permission; this request needs write.',
    param: 'x-api-key',
    details: [{ path: 'x-api-key', message: 'needs write permission' }],
  },
});

const writes: Record<string, string[]> = {
  ship: ['ship', ...place, '--cheapest', '--max-cost', '20'],
  'orders create': orderLine,
  'deliveries create': ['deliveries', 'create', ...place],
  'deliveries quote': ['deliveries', 'quote', ...place.slice(0, 2), ...place.slice(6, 8)],
  'stores create': storeLine,
  'keys create': ['keys', 'create', '--permission', 'read'],
  'drivers add': ['drivers', 'add', 'Ana Ruiz', '--phone-number', '+13125550178'],
};

test.each(Object.keys(writes))(
  '%s with a key that may only read: the owner is asked for another',
  async (name) => {
    const transport: typeof box.transport = async (request) => {
      const response = await box.transport(request);
      return request.method === 'POST' ? { ...response, status: 401, body: refusal } : response;
    };
    const { stderr, exit } = await box.run([...(writes[name] ?? []), '--json'], { transport });
    const error = jsonOf(stderr.trim().split('\n').at(-1) ?? '').error;
    const hint = 'Ask the owner of the account for a key with that permission.';
    expect([exit, error]).toMatchObject([4, { code: 'unauthorized', hint }]);
    expect(error).toMatchObject({ next: [] });
  },
);

test('a handover that is reported without a pickup warns that nobody has reported one', async () => {
  const shipped = async () => {
    const { deliveries } = await box.json(['ship', ...place, '--driver', sam, '--max-cost', '20']);
    box.advance(1000);
    return String((deliveries as { id: string }[])[0]?.id);
  };
  const report = (id: string, status: string) =>
    box.run(['deliveries', 'report', id, status, '--note', 'He called', '--json']);
  const skipped = await shipped();
  expect((await report(skipped, 'delivered')).stderr).toContain('"code":"pickup_not_reported"');
  const whole = await shipped();
  expect((await report(whole, 'pickup_complete')).stderr).not.toContain('pickup_not_reported');
  box.advance(1000);
  expect((await report(whole, 'delivered')).stderr).not.toContain('pickup_not_reported');
});

test('a copy is repeated with its key: nothing was sent twice, and it is not called another order', async () => {
  const like = await newDelivery(box, '--ref', 'COPY', '--initiate');
  const copy = ['--like', like, '--idempotency-key', 'copy-1', '--max-cost', '20', '--yes'];
  const [first, again] = [
    await box.run(['deliveries', 'create', ...copy, '--initiate']),
    await box.run(['deliveries', 'create', ...copy, '--initiate']),
  ];
  expect(first.stderr).toContain('The copy is another order with this reference.');
  expect(again.stderr).toContain('was already created with this idempotency key; nothing was sent twice.');
  expect(again.stderr).not.toContain('another order');
  const order = ['orders', 'create', '--like', like, '--idempotency-key', 'copy-2'];
  await box.run(order);
  expect((await box.run(order)).stderr).not.toContain('another order');
});

test('what has come back can be sent again only for a limit that somebody agrees to, and names what is spent', async () => {
  const auto = ['--auto', '--max-cost', '12', '--ref', 'BACK', '--wait'];
  const made = await box.run([...orderLine, ...auto, '--json'], box.passing);
  expect(made.exit).toBe(0);
  const { id } = await box.json(['deliveries', 'get', 'BACK']);
  await step(String(id), 'pickup_complete', 'enroute_to_return', 'returned');
  const agreed = 'if somebody agrees to pay for it: $10.06 of its limit of $12.00 is spent';
  const next = { args: expect.arrayContaining(['DOLLARS']), when: expect.stringContaining(agreed) };
  expect((await box.json(['deliveries', 'explain', 'BACK'])).next).toContainEqual(
    expect.objectContaining(next),
  );
  const { items } = await box.json(['today']);
  expect(items).toContainEqual(expect.objectContaining({ id, next: expect.objectContaining(next) }));
  const waited = await box.run(['deliveries', 'wait', 'BACK', '--json']);
  expect(waited.stderr).toContain('The return costs $3.59 on top of its price: $10.06 is charged in all.');
});

test('a fee is in the answer to a cancellation, with what is given back; without --yes the line names the fee', async () => {
  const id = await newDelivery(box, '--initiate');
  box.advance(7 * 60_000);
  const next = ['deliveries', 'cancel', id, '--yes', '--max-fee', '2.99'];
  const refused = await box.run(['deliveries', 'cancel', id, '--json']);
  expect(jsonOf(refused.stderr).error).toMatchObject({ code: 'confirmation_needed', next: [{ args: next }] });
  const price = await box.run(['deliveries', 'cancel', id, '--price']);
  expect(price.stderr).toContain(`Next: waybill ${next.join(' ')}`);
  const withReadKey: typeof box.transport = async (request) => {
    const answer = await box.transport(request);
    return { ...answer, body: answer.body.replace('"permission":"admin"', '"permission":"read"') };
  };
  const looked = await box.run(['deliveries', 'cancel', id, '--price'], { transport: withReadKey });
  expect([looked.exit, looked.stderr]).toEqual([0, expect.stringContaining('Canceling costs $2.99')]);
  expect(looked.stderr).not.toContain('Next:');
  const money = { cancellation_fee: 299, given_back: 348, refunded_amount: 647 };
  expect(await box.json(next)).toMatchObject(money);
});

test('lines for a program say why a delivery ended, and several matches tell themselves apart', async () => {
  const failed = await newDelivery(box, '--ref', 'WHY-1', '--initiate', '--simulate', 'payment_declined');
  const canceled = await newDelivery(box, '--ref', 'WHY-2', '--initiate');
  await step(canceled, 'provider_canceled');
  const lines = async (id: string) => (await box.run(['deliveries', 'explain', id])).stdout;
  expect(await lines(failed)).toContain('outcome\tIt failed: the payment was declined.\n');
  expect(await lines(canceled)).toMatch(/^outcome\tIt was canceled by \w+/m);
  const picked = await box.run(['deliveries', 'explain', failed, '--json=outcome']);
  expect(jsonOf(picked.stdout)).toEqual({ outcome: 'It failed: the payment was declined.' });
  const several = await box.run(['find', 'Joe Diner', '--json']);
  const { matches } = jsonOf(several.stderr).error as { matches: object[] };
  const known = { id: failed, external_order_ref: 'WHY-1', dropoff_name: 'Joe Diner', status: 'failed' };
  expect(matches).toContainEqual(expect.objectContaining(known));
});

const naperville = [
  ...place.with(place.indexOf('--dropoff-address') + 1, '1 S Washington St, Naperville, IL 60540'),
];
const shipped = (...line: string[]) => box.run(['ship', ...line, '--cheapest', '--json'], box.passing);

/** An order that auto dispatch gave up within $12.00. */
async function givenUp(ref: string, ...line: string[]): Promise<string> {
  const auto = ['--auto', '--max-cost', '12', '--retry-window', '0s', '--wait', '--ref', ref];
  await box.run(['orders', 'create', ...line, ...auto], box.passing);
  return ref;
}

const dollarsOnly = /^Next: .*--max-cost DOLLARS, or another/m;
const agreed =
  /above the limit of \$12\.00 that order \S+ was sent with\. Next, if .* --max-cost DOLLARS, or another/;

test.each<[what: string, refuse: (ref: string) => Promise<unknown>, what: string, next: RegExp]>([
  [
    'sent before for less than it costs',
    async (ref) => shipped(await givenUp(ref, ...naperville), '--max-cost', '12'),
    'whose quotes were above its limit',
    agreed,
  ],
  [
    'sent before for more than it costs',
    async (ref) => {
      await box.json(['sandbox', 'provider', 'swiftly', '--down']);
      await givenUp(ref, ...place, '--tip', '2', '--providers', 'swiftly');
      await box.json(['sandbox', 'provider', 'swiftly', '--up']);
      return shipped(ref, '--max-cost', '3');
    },
    'whose quotes were not accepted',
    /^Next: .*--max-cost 12\.00, or another/m,
  ],
  [
    'new',
    (ref) => shipped(...place, '--ref', ref, '--max-cost', '5'),
    'whose quotes were not accepted',
    dollarsOnly,
  ],
  [
    'new, which no courier takes',
    (ref) => shipped(...place, '--ref', ref, '--max-cost', '20', '--simulate', 'no_quotes'),
    'for which no courier offered a price',
    /No provider offers a quote/,
  ],
])('a refused order that was %s is listed at once, and no price is taken for its limit', async (...row) => {
  const [name, refuse, what, next] = row;
  const ref = name.replaceAll(/\W+/g, '-');
  await refuse(ref);
  const { items } = await box.json(['today']);
  const found = (items as Record<string, unknown>[]).find((item) => item.external_order_ref === ref);
  expect(found).toMatchObject({ kind: 'unsent', what: expect.stringContaining(what) });
  const { route_id } = await box.json(['orders', 'get', ref]);
  expect((await box.run(['quotes', 'list', String(route_id)])).stderr).toMatch(next);
  const when =
    next === agreed ? /the lowest price was \$[\d.]+, and its limit \$12\.00/ : /ask the couriers, and then/;
  expect(found?.next).toMatchObject({
    args: ['routes', 'quote', route_id],
    when: expect.stringMatching(when),
  });
});

test('an order that auto dispatch gave up is listed again once its draft route is deleted', async () => {
  await shipped(await givenUp('DELETED', ...naperville), '--max-cost', '12');
  const { route_id } = await box.json(['orders', 'get', 'DELETED']);
  await box.json(['routes', 'delete', String(route_id), '--yes']);
  const { items } = await box.json(['today']);
  const next = { when: expect.stringContaining('its limit was $12.00') };
  const expected = {
    external_order_ref: 'DELETED',
    kind: 'unfulfilled',
    next: expect.objectContaining(next),
  };
  expect(items).toContainEqual(expect.objectContaining(expected));
});
