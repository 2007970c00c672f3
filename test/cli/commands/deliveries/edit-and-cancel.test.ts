import { expect, test } from 'vitest';
import type { Outcome, RunOptions } from '../../harness.ts';
import { errorOf, jsonOf } from '../../harness.ts';
import { newDelivery, newOrder, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const made = (...flags: string[]) => newDelivery(box, ...flags);
const sent = (...flags: string[]) => made('--initiate', ...flags);

async function run(...argv: string[]): Promise<Outcome> {
  return box.run(['deliveries', ...argv]);
}

async function refusal(...argv: string[]): Promise<Record<string, unknown>> {
  const { exit, stderr } = await box.run(['deliveries', ...argv, '--json']);
  return { exit, ...errorOf(stderr) };
}

function writes(path: string): number {
  return box.requests.filter(({ method, path: sentTo }) => method !== 'GET' && sentTo.endsWith(path)).length;
}

async function status(id: string): Promise<unknown> {
  return (await box.json(['deliveries', 'get', id])).status;
}

test('edit changes what is given, clears what is to be empty, and shows the result', async () => {
  const id = await made('--dropoff-unit', '4', '--dropoff-notes', 'Knock');
  const changes = ['--dropoff-notes', 'Ring twice', '--clear', 'dropoff-unit', '--pickup-name', 'Bar'];
  const { stdout, stderr } = await run('edit', id, ...changes);
  expect(stdout).toContain('dropoff_notes\tRing twice\n');
  expect(stdout).not.toContain('dropoff_unit');
  expect(stderr).toContain('Changed: pickup name, dropoff unit (was "4"), dropoff notes (was "Knock").\n');
  const again = await run('edit', id, '--dropoff-notes', 'Ring twice');
  expect(again.stderr).toContain('It was so already: nothing is changed.\n');
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({
    pickup_name: 'Bar',
    dropoffs: [{ dropoff_notes: 'Ring twice', dropoff_unit: '', dropoff_name: 'Joe Diner' }],
  });
});

test('an order that is not sent is changed as a copy: no courier is offered', async () => {
  const order = await newOrder(box, '--ref', 'unsent');
  const { exit, stderr } = await box.run(['edit', 'unsent', '--unit', '4B', '--json']);
  const { code, next } = errorOf(stderr);
  expect([exit, code]).toEqual([6, 'delivery_not_editable']);
  expect(next).toMatchObject([
    { args: ['orders', 'cancel', order] },
    { args: ['orders', 'create', '--like', order, '--dropoff-unit', '4B'] },
  ]);
});

test('edit without a change is exit 2 with everything that can be changed, and nothing is sent', async () => {
  const before = box.requests.length;
  expect(await refusal('edit', 'dlv_1')).toMatchObject({
    exit: 2,
    choices: expect.arrayContaining(['--dropoff-notes', '--pickup-phone-number', '--clear']),
  });
  expect(await refusal('edit', 'dlv_1', '--clear', 'dropoff-name')).toMatchObject({
    exit: 2,
    choices: ['pickup-unit', 'pickup-notes', 'dropoff-email', 'dropoff-unit', 'dropoff-notes'],
  });
  expect(await refusal('edit', 'dlv_1', '--dropoff-unit', '4', '--clear', 'dropoff-unit')).toMatchObject({
    exit: 2,
    message: '--clear dropoff-unit and --dropoff-unit cannot be used together.',
  });
  expect(box.requests).toHaveLength(before);
});

test('an invalid phone is refused with its flag; after the pickup nothing can be edited', async () => {
  const id = await sent();
  const bad = await refusal('edit', id, '--dropoff-phone', '+1');
  expect(bad).toMatchObject({ exit: 2, details: [{ flag: '--dropoff-phone-number' }] });
  box.advance(20 * minute);
  expect(await refusal('edit', id, '--dropoff-notes', 'Ring')).toMatchObject({
    exit: 6,
    code: 'delivery_not_editable',
    next: [{ command: `waybill deliveries explain ${id}` }],
  });
});

test('after the pickup, a refused change or cancellation says whom to call', async () => {
  const id = await sent();
  box.advance(20 * minute);
  const { courier_name, courier_phone_number } = await box.json(['deliveries', 'get', id]);
  const number = String(courier_phone_number).replace(/^\+?1(...)(...)(....)$/, '+1 $1 $2 $3');
  const call = `It is with ${courier_name}: call ${number}.`;
  const lines = [
    ['edit', id, '--dropoff-unit', '12C'],
    ['cancel', id, '--yes'],
  ];
  for (const line of lines) {
    expect(await refusal(...line)).toMatchObject({ exit: 6, hint: call });
    expect((await run(...line)).stderr).toContain(call);
  }
  for (const line of lines) {
    const { exit, stderr } = await run(...line, '--dry-run');
    expect([exit, stderr]).toEqual([6, expect.stringContaining(call)]);
  }
  const tipped = await refusal('edit', id, '--tip', '5');
  expect(tipped).toMatchObject({
    hint: call,
    next: [
      { args: ['deliveries', 'note', id, 'Tip of $5.00 to settle with the driver'] },
      { command: `waybill deliveries explain ${id}` },
    ],
  });
});

test('--price shows the cost of a cancellation, and changes nothing', async () => {
  const id = await sent('--tip', '3', '--ref', 'R-9');
  expect(await box.json(['deliveries', 'cancel', id, '--price'])).toMatchObject({
    ...{ object: 'cancellation', delivery_id: id, cancelable: true, fee: 0, refund: 947 },
  });
  const guessed = await run('cancel', id, '--price', '--json=status');
  expect(errorOf(guessed.stderr).choices).toEqual(['cancelable']);
  box.advance(7 * minute);
  expect(await box.json(['deliveries', 'cancel', id, '--price'])).toMatchObject({
    ...{ fee: 299, refund: 947, cancellation_fee: 299, given_back: 648 },
  });
  for (const noun of ['deliveries', 'orders']) {
    const { exit, stderr } = await box.run([noun, 'cancel', 'R-9', '--dry-run']);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('Canceling costs $2.99')]);
  }
  box.advance(13 * minute);
  const late = await run('cancel', id, '--price');
  expect([late.exit, late.stdout.includes('cancelable\tfalse\n')]).toEqual([6, true]);
  const shown = await box.run(['deliveries', 'cancel', id, '--price'], { tty: true, env: { NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(/^Can be canceled +no$/m);
  expect(shown.stdout).not.toContain('$');
  expect(writes('/cancel')).toBe(0);
});

test('cancel shows the price and asks: no exits 3, yes cancels', async () => {
  const id = await sent('--tip', '3');
  box.advance(7 * minute);
  const line = ['deliveries', 'cancel', id, '--reason', 'Ordered twice'];
  const asked = (...answers: boolean[]): RunOptions => ({ tty: true, env: { NO_COLOR: '1' }, answers });
  expect((await box.run(line, asked())).stderr).toContain(
    `no answer for: Cancel ${id} for Joe Diner? Canceling costs $2.99: you get $6.48 of $9.47 back.`,
  );
  expect((await box.run(line, asked(false))).exit).toBe(3);
  expect(writes('/cancel')).toBe(0);
  const { stdout, stderr, exit } = await box.run(line, asked(true));
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^Status +customer_canceled$/m);
  expect(stderr).toContain(`${id} is canceled: $9.47 refunded, cancellation fee $2.99.`);
  expect(stderr).toContain(`To tell the recipient, with this text: waybill track ${id} --text`);
  expect(stderr).toContain(`: waybill deliveries retry ${id} --price`);
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({
    cancellation_reason: 'Ordered twice',
    refunded_amount: 947,
  });
});

test('a fee that the courier has reported by itself is the fee of the cancellation', async () => {
  const id = await sent();
  box.advance(7 * minute);
  const line = ['deliveries', 'cancel', id, '--yes'];
  expect(await box.json(line)).toMatchObject({ cancellation_fee: 299 });
  const transport: typeof box.transport = async (request) => {
    const answer = await box.transport(request);
    if (!request.path.startsWith('/v2/charges')) return answer;
    const reported = '"kind":"adjustment","reason":"cancellation fee reported by the courier"';
    const body = answer.body.replace(/"kind":"cancellation","reason":"[^"]*"/, reported);
    const kinds = new URLSearchParams(request.path.split('?')[1]).get('kind') ?? 'adjustment';
    return { ...answer, body: kinds.includes('adjustment') ? body : '{"object":"list","data":[]}' };
  };
  const { stdout } = await box.run([...line, '--json'], { transport });
  expect(JSON.parse(stdout)).toMatchObject({ cancellation_fee: 299, given_back: 348 });
});

test.each<[string, (id: string, order_id: string) => string[]]>([
  ['a delivery', (id) => ['deliveries', 'cancel', id]],
  ['an order', (_, order_id) => ['orders', 'cancel', order_id]],
  ['several', () => ['deliveries', 'cancel', '--where', 'not_picked_up']],
  ['a delivery that is sent again', (id) => ['deliveries', 'reschedule', id, '--dropoff-at', '8pm']],
])('a courier that sets out while somebody is asked is not paid unasked: %s', async (_, lineOf) => {
  const box = await sandbox();
  const id = await newDelivery(box, '--initiate');
  const { order_id } = await box.json(['deliveries', 'get', id]);
  const never = () => Promise.reject(new Error('that was not expected'));
  const confirm = async (question: string) => {
    expect(question).toContain('is free');
    box.advance(7 * minute);
    return true;
  };
  const prompts = {
    ...{ secret: never, select: never, checkbox: never, text: never, search: never },
    confirm,
  };
  const options = { tty: true, env: { NO_COLOR: '1' }, columns: 500, prompts };
  const { exit, stderr } = await box.run(lineOf(id, String(order_id)), options);
  expect([exit, stderr]).toEqual([6, expect.stringMatching(/others by now\. Canceling costs \$2\.99: /)]);
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({ status: 'enroute_pickup' });
});

test('a fee that was not known before is read from the charges of the cancellation', async () => {
  const unknown: typeof box.transport = async (request) => {
    const response = await box.transport(request);
    if (!request.path.endsWith('/cancellation')) return response;
    return { ...response, body: response.body.replace(/"fee":\d+/, '"fee":0,"fee_unknown":true') };
  };
  const id = await sent('--tip', '3');
  box.advance(7 * minute);
  const charged = await box.run(['deliveries', 'cancel', id, '--yes'], { transport: unknown });
  expect(charged.stderr).toContain(`${id} is canceled: $9.47 refunded, cancellation fee $2.99.\n`);
  const free = await sent();
  const open = await box.run(['deliveries', 'cancel', free, '--yes'], { transport: unknown });
  expect(open.stderr).toContain(
    `${free} is canceled: $6.47 refunded. The courier may still charge a cancellation fee.\n`,
  );
});

test('without a terminal cancel requires --yes, even if it is free; --max-fee does not replace it', async () => {
  const id = await sent();
  const before = writes('/cancel');
  const hints = [
    { flags: [], hint: 'Pass --yes --max-fee DOLLARS to run without a prompt.' },
    { flags: ['--max-fee', '5'], hint: 'Pass --yes to run without a prompt.' },
  ];
  for (const { flags, hint } of hints) {
    expect(await refusal('cancel', id, ...flags)).toMatchObject({
      exit: 2,
      code: 'confirmation_needed',
      missing: ['--yes'],
      hint,
    });
  }
  expect(writes('/cancel')).toBe(before);
  const done = await run('cancel', id, '--yes');
  expect([done.exit, done.stderr.includes(`${id} is canceled: $6.47 refunded.\n`)]).toEqual([0, true]);
});

test('above --max-fee: exit 6 with the fee, and nothing is canceled', async () => {
  const id = await sent();
  box.advance(7 * minute);
  const before = writes('/cancel');
  const dear = await refusal('cancel', id, '--yes', '--max-fee', '2.98');
  expect(dear).toMatchObject({ exit: 6, code: 'above_max_fee', message: expect.stringContaining('$2.99') });
  expect([writes('/cancel'), await status(id)]).toEqual([before, 'enroute_pickup']);
  expect(await run('cancel', id, '--yes', '--max-fee', '2.99')).toMatchObject({ exit: 0 });
});

test('a repeated cancellation has reached its goal: exit 0, and no request', async () => {
  const id = await sent();
  const first = await run('cancel', id, '--yes', '--json');
  const before = writes('/cancel');
  expect(await run('cancel', id, '--json')).toMatchObject({ exit: 0, stdout: first.stdout });
  expect(jsonOf(first.stdout)).toMatchObject({
    next: [{ args: ['track', id, '--text'] }, { args: ['deliveries', 'retry', id, '--price'] }],
  });
  expect((await run('cancel', id)).stderr).toMatch(/^dlv_\w+ was canceled already, at 2026-/m);
  expect(writes('/cancel')).toBe(before);
  expect(await refusal('cancel', id, '--if-status', 'scheduled')).toMatchObject({ exit: 6 });
  expect(await refusal('cancel', id, '--price')).toMatchObject({ exit: 6 });
});

test('a delivery that cannot be canceled is exit 6 with the reason, before any prompt', async () => {
  const id = await sent();
  box.advance(20 * minute);
  const refused = await refusal('cancel', id, '--yes');
  expect(refused).toMatchObject({
    exit: 6,
    code: 'delivery_not_cancelable',
    message: `${id} cannot be canceled: poolride has picked it up.`,
  });
  const operator = await run('cancel', id, '--operator', '--yes');
  expect([operator.exit, operator.stdout.includes('status\tburq_canceled\n')]).toEqual([0, true]);
});

test('a failed delivery is retried as a new one, with the preferred quote', async () => {
  const id = await made('--initiate', '--simulate', 'happy_path', '--ref', 'again');
  await run('cancel', id, '--yes');
  const cheapest = await box.json(['deliveries', 'retry', id]);
  expect(cheapest).toMatchObject({
    service: 'poolride',
    status: 'delivery_created',
    external_order_ref: 'again',
  });
  expect(cheapest.id).not.toBe(id);
  await run('cancel', String(cheapest.id), '--yes');
  expect(await run('retry', String(cheapest.id), '--max-cost', '1')).toMatchObject({
    exit: 6,
    stderr: expect.stringMatching(
      /A retry costs at least \$\d\.\d\d, with \w+: more than --max-cost \$1\.00\./,
    ),
  });
  const fastest = await run('retry', String(cheapest.id), '--preference', 'fastest');
  expect(fastest.stdout).toContain('service\tswiftly\n');
  expect(fastest.stderr).toContain(
    `Nothing is charged for ${cheapest.id} so far. A retry costs about $8.53 with swiftly.\n`,
  );
  expect(fastest.stderr).toMatch(/swiftly has it for \$8\.53\.\nNext: waybill deliveries watch dlv_\w+\n/);
});

test.each([
  ['with the quote it would take', [], 0, /total_cost\t747\n[\s\S]*Next: waybill deliveries retry dlv_\w+ /],
  ['within a limit', ['--max-cost', '8', '--json'], 0, /"quotes":\[{"service":"poolride","cost":647,/],
  ['above a limit', ['--max-cost', '7'], 6, /at least \$7\.47, with poolride: more than --max-cost \$7\.00/],
  ['by another courier', ['--not', 'poolride', '--dry-run'], 0, /service\tmetrobike\n/],
  ['by neither of two', ['--not', 'poolride', '--not', 'metrobike'], 0, /total_cost\t953\n/],
  ['by neither of two in one word', ['--not', 'metrobike,poolride'], 0, /total_cost\t953\n/],
])('the price of a retry is asked for and nothing is sent: %s', async (_, flags, exit, said) => {
  const id = await made('--initiate', '--tip', '1');
  await run('cancel', id, '--yes');
  const priced = await run('retry', id, '--price', ...flags);
  expect([priced.exit, priced.stdout + priced.stderr]).toEqual([exit, expect.stringMatching(said)]);
  const { stdout } = await box.run(['deliveries', 'list', '--limit', '1', '-o', 'id']);
  expect(stdout).toBe(`${id}\n`);
});

test('the price of a retry has the limit with which its order was sent', async () => {
  const line = [...orderLine, '--ref', 'limited', '--simulate', 'no_driver', '--auto', '--max-cost', '12'];
  await box.json(line);
  await box.run(['sandbox', 'advance', '--by', '30s']);
  await box.run(['deliveries', 'cancel', 'limited', '--yes']);
  const priced = await box.run(['deliveries', 'retry', 'limited', '--price']);
  expect(priced.stdout).toContain('order_max_cost\t1200\n');
  expect(priced.stderr).toMatch(/Next: waybill deliveries retry dlv_\w+ --max-cost 12\.00\n/);
});

test('the price of a retry names a cheaper courier that ended it badly, as the retry does', async () => {
  const id = await made('--initiate', '--simulate', 'provider_cancel_before_pickup');
  box.advance(60 * minute);
  const said =
    /poolride would cost \$6\.47, but ended an earlier attempt badly: --provider poolride uses it\./;
  expect((await run('retry', id, '--price')).stderr).toMatch(said);
});

test('a change finds its delivery by id, reference or phone, with exactly one match', async () => {
  const id = await made('--ref', 'mine', '--dropoff-phone', '+12125550177');
  for (const word of ['mine', '+1 212 555 0177', '2125550177']) {
    expect(await run('edit', word, '--dropoff-notes', word)).toMatchObject({ exit: 0 });
  }
  await made('--ref', '12125550177');
  const before = writes(`/v1/delivery/${id}`);
  const several = await refusal('edit', '12125550177', '--dropoff-notes', 'no');
  expect(several).toMatchObject({ exit: 2, choices: expect.arrayContaining([id]) });
  expect(several.next).toHaveLength(1);
  expect((await refusal('cancel', 'nobody', '--yes')).exit).toBe(5);
  expect(writes(`/v1/delivery/${id}`)).toBe(before);
});

test('a fee that the courier does not say is never called free, and is above any --max-fee', async () => {
  const id = await sent();
  const transport: typeof box.transport = async (request) => {
    const response = await box.transport(request);
    if (!request.path.endsWith('/cancellation')) return response;
    return {
      ...response,
      body: JSON.stringify({ ...Object(jsonOf(response.body)), fee: 0, fee_unknown: true }),
    };
  };
  const priced = await box.run(['deliveries', 'cancel', id, '--price'], { transport });
  expect(priced.stdout).not.toMatch(/0\.00/);
  const limited = await box.run(['deliveries', 'cancel', id, '--yes', '--max-fee', '5', '--json'], {
    transport,
  });
  expect(limited.exit).toBe(6);
  expect(errorOf(limited.stderr)).toMatchObject({
    code: 'above_max_fee',
    message: `The courier does not say what canceling ${id} costs; it may be more than --max-fee $5.00.`,
  });
  const asked = await box.run(['deliveries', 'cancel', id, '--json'], { transport });
  expect(errorOf(asked.stderr)).toMatchObject({
    code: 'confirmation_needed',
    hint: 'Pass --yes without --max-fee only if any fee is agreed.',
  });
  expect(errorOf(asked.stderr)).toMatchObject({ next: [] });
  const explained = await box.run(['deliveries', 'explain', id], { transport });
  expect(explained.stdout).toContain('cancel it for a fee that the courier does not say');
  expect(await status(id)).not.toBe('customer_canceled');
});

test('a reference can be typed with a number sign, also for a change', async () => {
  const id = await sent('--ref', '70421');
  expect((await run('edit', '#70421', '--dropoff-notes', 'Ring')).exit).toBe(0);
  expect((await run('edit', '# 70421', '--dropoff-notes', 'Knock')).exit).toBe(0);
  const { dropoffs } = await box.json(['deliveries', 'get', id]);
  expect(JSON.stringify(dropoffs)).toContain('Knock');
  await sent('--ref', '#70422');
  expect((await run('edit', '# 70422', '--dropoff-notes', 'Knock')).exit).toBe(0);
});

test('a field that the answer has not is refused before anything is canceled', async () => {
  const id = await sent();
  const { exit, stderr } = await run('cancel', id, '--yes', '--json=id,refund');
  expect([exit, errorOf(stderr).code, await status(id)]).toEqual([2, 'unknown_field', 'delivery_created']);
});
