import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/operation.ts';
import { tapping } from '../driver-taps.ts';
import { errorOf, objectsIn } from '../harness.ts';
import { otherService } from '../other-services/runs.ts';
import { newDelivery, newStore, orderLine, quotedRoute, type Sandbox, sandbox } from '../sandbox.ts';

const minute = 60_000;

const delivery = (box: Sandbox, ref: string, ...flags: string[]) =>
  newDelivery(box, '--ref', ref, '--initiate', ...flags);

async function step(box: Sandbox, id: string, ...statuses: string[]): Promise<void> {
  for (const status of statuses) await box.json(['sandbox', 'step', id, status]);
}

/** The problems as rows: kind, ID, reference, text, time and command. */
async function rows(box: Sandbox, ...flags: string[]): Promise<string[][]> {
  const { stdout, exit } = await box.run(['today', ...flags]);
  expect(exit).toBe(0);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')]));
}

test('nothing needs attention', async () => {
  const box = await sandbox();
  const { stdout, stderr, exit } = await box.run(['today'], { tty: true });
  expect([stdout, stderr, exit]).toEqual(['Nothing needs attention.\n', '', 0]);
  const piped = await box.run(['today', '--exit-code']);
  expect(piped).toMatchObject({ stdout: '', stderr: 'Nothing needs attention.\n', exit: 0 });
  expect(await box.json(['problems'])).toMatchObject({
    ...{ object: 'problems', counts: { failed: 0, late: 0 }, items: [], unchecked: [], incomplete: [] },
  });
});

test('each problem has its text and one command, worst first, and retried deliveries are left out', async () => {
  const box = await sandbox();
  const limit = ['--tip', '1', '--max-cost', '12'];
  const failed = await delivery(box, '#F', '--simulate', 'payment_declined', ...limit);
  const canceled = await delivery(box, 'C');
  await step(box, canceled, 'driver_assigned', 'provider_canceled');
  const returned = await delivery(box, 'R');
  await step(box, returned, 'pickup_complete', 'enroute_to_return', 'returned');
  const back = await delivery(box, 'B');
  await step(box, back, 'pickup_complete', 'enroute_to_return');
  const own = await delivery(box, 'O');
  await box.json(['deliveries', 'cancel', own, '--yes']);
  const again = await delivery(box, 'A');
  await step(box, again, 'driver_assigned', 'failed');
  // The courier of the other attempt comes later than the order was promised.
  const retried = String((await box.json(['deliveries', 'retry', again])).id);
  const disputed = await delivery(box, 'D');
  await step(box, disputed, 'delivered');
  await box.json(['deliveries', 'dispute', disputed, '--reason', 'Half of it']);
  await box.json(['sandbox', 'provider', 'swiftly', '--down', '--for', '9h']);
  const endpoint = String((await box.json(['webhooks', 'create', 'https://shop.example/hooks'])).id);
  await box.json(['webhooks', 'update', endpoint, '--disable']);
  const order = String((await box.json(['deliveries', 'get', returned])).order_id);
  expect((await box.run(['today', '--exit-code'])).exit).toBe(9);
  const found = await rows(box);
  expect(found.map(([kind, id, ref, , , command]) => [kind, id, ref, command])).toEqual([
    ['late', retried, 'A', `waybill deliveries explain ${retried}`],
    ['failed', failed, '#F', `waybill deliveries retry ${failed} --max-cost 12.00`],
    ['canceled', canceled, 'C', `waybill deliveries retry ${canceled} --not poolride --max-cost DOLLARS`],
    [
      ...['returned', returned, 'R'],
      `waybill deliveries create --like ${order} --initiate --idempotency-key again-${returned} --max-cost DOLLARS`,
    ],
    ['returning', back, 'B', `waybill deliveries explain ${back}`],
    ['disputed', disputed, 'D', `waybill disputes resolve ${disputed}`],
    ['webhook', endpoint, '', `waybill webhooks update ${endpoint} --enable`],
    ['provider', 'swiftly', '', 'waybill sandbox provider swiftly --up'],
  ]);
  const wide = await box.run(['today'], { tty: true, columns: 250 });
  expect(wide.stdout).toContain('is down until 13:00');
  const { stdout } = await box.run(['today'], { tty: true, env: { NO_COLOR: '1' } });
  expect(stdout).toContain(
    '8 need attention: 1 will be late, 1 failed, 1 canceled, 1 returned, 1 going back, 1 disputed, 1',
  );
  expect(stdout).toMatch(/^failed +#F +Joe D.* +\d\d:\d\d +waybill retry '#F' --max-cost 12\.00$/m);
  await box.json(['deliveries', 'note', failed, 'The shop brings it', '--tag', 'closed']);
  expect((await rows(box)).map(([, id]) => id)).not.toContain(failed);
  box.advance(1);
  await box.json(['deliveries', 'create', '--like', order, '--initiate', '--idempotency-key', 'again']);
  expect((await rows(box)).map(([, id]) => id)).not.toContain(returned);
  // Sent again by hand, as an order with the same reference.
  await delivery(box, 'C', '--allow-duplicate-ref');
  expect((await rows(box)).map(([, id]) => id)).not.toContain(canceled);
});

const far = ['--dropoff-address', '5700 S Lake Shore Dr, Chicago, IL 60637'];

/** Of one delivery in `today`, `--stuck` and `--where stuck`: its kind and text, and whether the others have it. */
async function attentionTo(box: Sandbox): Promise<[string | undefined, string | undefined, string, string]> {
  const [[kind, , , what] = []] = await rows(box);
  const listed = await box.run(['deliveries', 'list', '--stuck', '-o', 'id']);
  const bulk = await box.run(['deliveries', 'cancel', '--where', 'stuck', '--dry-run']);
  return [kind, what, listed.stdout.trim(), /dlv_\w+/.exec(bulk.stdout)?.[0] ?? ''];
}

test('what has not reported 10 min after it should is stuck, and past its promise it is late instead', async () => {
  const box = await sandbox();
  const id = await delivery(box, 'S', '--simulate', 'slow_assignment', ...far);
  const { pickup_eta, updated_at } = await box.json(['deliveries', 'get', id]);
  box.advance(Date.parse(String(pickup_eta)) - Date.parse(String(updated_at)) + 9.9 * minute);
  expect(await attentionTo(box)).toEqual([undefined, undefined, '', '']);
  box.advance(0.1 * minute);
  const silent = 'is waiting for a driver, and its next report is 10 min overdue';
  expect(await attentionTo(box)).toEqual(['stuck', silent, id, id]);
  await step(box, id, 'driver_assigned', 'pickup_complete');
  const late = expect.stringMatching(/^will be \d+ min late: picked up$/);
  expect(await attentionTo(box)).toEqual(['late', late, '', '']);
});

test('deliveries on schedule are never in need of attention, however long they drive', async () => {
  const box = await sandbox();
  for (const choice of ['--cheapest', '--fastest'])
    await box.json(['dispatch', await quotedRoute(box), choice]);
  const open = async () => (await box.run(['deliveries', 'list', '--active', '-o', 'id'])).stdout;
  // What is overdue is stuck after ten minutes.
  for (let minutes = 0; (await open()) !== ''; minutes += 8) {
    expect([minutes, await attentionTo(box)]).toEqual([minutes, [undefined, undefined, '', '']]);
    box.advance(8 * minute);
  }
});

test('a delivery whose courier moves its time past the promise is late everywhere, also when it has arrived', async () => {
  const box = await sandbox();
  const id = await delivery(box, 'S', '--simulate', 'slow_assignment');
  box.advance(26 * minute);
  const moved = /\d\d:\d\d, now \d\d:\d\d, in \d+ min/;
  const { stdout } = await box.run(['today'], { tty: true, columns: 140 });
  const late = await box.run(['deliveries', 'list', '--late'], { tty: true });
  expect(stdout).toContain(late.stderr.includes('1 will be.') ? '1 will be late' : '1 late');
  expect(stdout).toMatch(/will be \d+ min late: /);
  expect(stdout).toMatch(moved);
  for (const argv of [
    ['deliveries', 'list', '--late'],
    ['deliveries', 'get', id],
    ['deliveries', 'explain', id],
  ])
    expect((await box.run(argv, { tty: true, columns: 120 })).stdout).toMatch(moved);
  const bulk = await box.run(['deliveries', 'cancel', '--where', 'late', '--dry-run']);
  expect(bulk.stdout + bulk.stderr).toContain(id);
  box.advance(60 * minute);
  const explained = await box.run(['deliveries', 'explain', id], { tty: true });
  expect(explained.stdout).toMatch(/Delivered \d+ min late, /);
  expect((await box.json(['deliveries', 'get', id])).details).toMatchObject({ is_late: true });
});

test('a return that does not change is listed once, as a return', async () => {
  const box = await sandbox();
  const id = await delivery(box, 'B', '--simulate', 'return_stuck');
  await step(box, id, 'pickup_complete', 'enroute_to_return');
  box.advance(60 * minute);
  expect((await rows(box)).map(([kind, about]) => [kind, about])).toEqual([['returning', id]]);
});

test('a scheduled delivery is not stuck before its pickup', async () => {
  const box = await sandbox();
  await delivery(box, 'P', '--pickup-at', '2026-03-02T16:00:00Z');
  box.advance(60 * minute);
  expect(await rows(box)).toEqual([]);
});

test('an order of a paused store waits for its first try', async () => {
  const box = await sandbox();
  const store = await newStore(box, 'Grill');
  await box.json(['stores', 'pause', store, '--until', 'in 2h', '--yes']);
  await box.run(['orders', 'create', '--store', store, ...orderLine.slice(8), '--auto', '--yes']);
  box.advance(minute);
  const { items } = await box.json(['today']);
  expect(items).toContainEqual(
    expect.objectContaining({ what: expect.stringMatching(/^waits for a courier, tried in .*paused/) }),
  );
});

test('an order is listed once auto dispatch has ended without success, with its last failed delivery', async () => {
  const box = await sandbox();
  const auto = [...orderLine, '--auto', '--retry-interval', '1m', '--simulate'];
  const noQuotes = ['--ref', 'W', '--retry-window', '2m', '--pickup-address', '1 Main St, Reno, NV 89501'];
  await box.json([...auto, 'no_quotes', ...noQuotes]);
  await box.json([...auto, 'payment_declined_once', '--retry-window', '10m']);
  box.advance(30_000);
  const waiting = await box.json(['today']);
  expect(waiting.counts).toMatchObject({ waiting: 2, failed: 0 });
  const order = expect.stringMatching(/^ord_/);
  expect(waiting.items).toContainEqual({
    ...{ kind: 'waiting', id: order, external_order_ref: 'W', since: '2026-03-02T10:00:00.000Z' },
    service: null,
    what: 'waits for a courier, tried again in 30 s (no provider offered a quote)',
    next: expect.objectContaining({ args: ['orders', 'attempts', order] }),
  });
  box.advance(20 * minute);
  const { counts, items } = await box.json(['today']);
  expect(counts).toMatchObject({ failed: 0, unfulfilled: 1 });
  const { id: unfulfilled } = await box.json(['orders', 'get', 'W']);
  expect(items).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'unfulfilled', id: unfulfilled },
      next: expect.objectContaining({ args: ['ship', unfulfilled, '--cheapest', '--max-cost', 'DOLLARS'] }),
    }),
  );
  // Created again and sent: it is not offered any more, and not sent by mistake.
  const sent = String(
    (await box.json(['deliveries', 'create', ...orderLine.slice(2), '--ref', 'W', '--initiate'])).id,
  );
  expect((await box.json(['today'])).counts).toMatchObject({ unfulfilled: 0 });
  const again = ['ship', String(unfulfilled), '--cheapest', '--max-cost', '50', '--json'];
  const { exit, stderr } = await box.run(again, box.passing);
  expect([exit, errorOf(stderr)]).toMatchObject([
    6,
    { code: 'duplicate_ref', message: expect.stringContaining(sent) },
  ]);
  expect(await box.json(['orders', 'get', String(unfulfilled)])).toMatchObject({ status: 'unfulfilled' });
  const { id } = await box.json(['routes', 'create', String(unfulfilled)]);
  await box.json(['routes', 'quote', String(id)]);
  box.advance(20 * minute);
  await box.json(['routes', 'quote', String(id)]);
  box.advance(10_000);
  expect((await box.json(['today'])).items).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'unsent', id: unfulfilled },
      next: expect.objectContaining({ args: ['orders', 'get', unfulfilled] }),
    }),
  );
});

test('what ended before --since is left out, and what is still open is not', async () => {
  const box = await sandbox();
  await delivery(box, 'F', '--simulate', 'payment_declined');
  const disputed = await delivery(box, 'D');
  await step(box, disputed, 'delivered');
  await box.json(['deliveries', 'dispute', disputed, '--reason', 'Cold']);
  box.advance(60 * minute);
  const kinds = async (...flags: string[]) => (await rows(box, ...flags)).map(([kind]) => kind);
  expect(await kinds()).toEqual(['failed', 'disputed']);
  expect(await kinds('--since', '30m')).toEqual(['disputed']);
  box.advance(24 * 60 * minute);
  expect(await kinds()).toEqual(['disputed']);
});

test.each([
  ['exhausted', { exhausted: 2 }, 'did not receive 2 events, and retries have ended', '--exhausted'],
  ['waiting', { waiting: 500 }, 'takes nothing, and 500 events wait', '--failed'],
])('an enabled endpoint with %s events is listed', async (field, counts, says, flag) => {
  const box = await sandbox();
  const id = String((await box.json(['webhooks', 'create', 'https://shop.example/hooks'])).id);
  const since = '2026-03-01T09:00:00.000Z';
  const transport: Transport = async (request) => {
    const answer = await box.transport(request);
    if (!request.path.startsWith('/v2/webhook_endpoints')) return answer;
    if (!request.path.includes('/attempts')) {
      const counted = JSON.stringify(counts).slice(1, -1);
      return { ...answer, body: answer.body.replace(`"${field}":0`, counted) };
    }
    const attempt = {
      ...{ id: 'att_01KJPZV2810000007Q9DG21GZK', object: 'webhook_attempt', webhook_endpoint_id: id },
      ...{ event_id: 'evt_01KJPZV2810000007Q9DG21GZK', event_type: 'delivery.created', delivery_id: null },
      external_order_ref: null,
      ...{ sequence: 1, number: 9, status: 'failed', status_code: 410, reason: 'gone', response: '' },
      ...{ duration_ms: 5, test_mode: true, next_attempt_at: null, created_at: since },
    };
    return { ...answer, body: answer.body.replace('"data":[]', `"data":${JSON.stringify([attempt])}`) };
  };
  const { items } = await box.json(['today'], { transport });
  const what = expect.stringContaining(`${says} (https://shop.example/hooks)`);
  expect(items).toMatchObject([
    { kind: 'webhook', id, what, since, next: { args: ['webhooks', 'attempts', id, flag] } },
  ]);
});

test('a service that lacks an operation leaves that part out, with one note', async () => {
  const other = await otherService({ step_ms: 10, quotes_ms: 10, statuses: ['delivery_created', 'failed'] });
  await other.run(['ship', ...orderLine.slice(2), '--ref', '#1042', '--cheapest']);
  const [sent] = other.service.store.deliveries;
  if (sent === undefined) throw new Error('there is no delivery');
  await expect.poll(async () => (await other.run(['today'])).stdout).toContain('deliveries explain');
  const { stdout, stderr, exit } = await other.run(['today', '--json']);
  const filtered = ['filters status, created_after', 'filter late', 'filter overdue'].map(
    (filters) => `The service ignores the ${filters}: one record was filtered here.`,
  );
  const note =
    'Not checked, as this service does not support it: waiting orders, drivers, orders, disputes, webhooks, providers.';
  expect([exit, stderr.trimEnd().split('\n')]).toEqual([0, [...filtered, note]]);
  expect(JSON.parse(stdout)).toMatchObject({
    counts: { failed: 1 },
    items: [{ kind: 'failed', id: String(sent.id) }],
    unchecked: ['waiting_orders', 'drivers', 'orders', 'disputes', 'webhooks', 'providers'],
  });
});

test('--watch shows the problems, then each that appears or is solved, until its timeout', async () => {
  const box = await sandbox();
  const failed = await delivery(box, '#F', '--simulate', 'payment_declined');
  let polls = 0;
  const sleep = async (ms: number) => {
    box.advance(ms);
    polls += 1;
    if (polls === 1) await delivery(box, '#G', '--simulate', 'payment_declined');
    if (polls === 2) await box.run(['deliveries', 'retry', failed]);
  };
  const line = ['today', '--since', '3h', '--watch', '--timeout', '5m', '--json'];
  const { stdout, stderr, exit } = await box.run(line, { sleep });
  const lines = objectsIn(stdout);
  expect(exit).toBe(8);
  expect(errorOf(stderr).next).toMatchObject([{ args: line.slice(0, -1) }, {}]);
  const retryLine = ['deliveries', 'retry', failed, '--max-cost', 'DOLLARS'];
  expect(lines.slice(0, 3)).toMatchObject([
    { type: 'problem.current', kind: 'failed', id: failed, next: { args: retryLine } },
    { type: 'problem.added', kind: 'failed', external_order_ref: '#G' },
    { type: 'problem.solved', kind: 'failed', id: failed },
  ]);
});

test('a handover that wrong PINs have locked comes first, until it is unlocked', async () => {
  const box = await sandbox();
  const driver = await box.json(['drivers', 'add', 'Ana Ruiz', '--phone', '+13125550134']);
  await box.json(['drivers', 'prices', '--ask-pin']);
  const tap = tapping(box.transport, driver.link);
  await tap({ kind: 'duty', on: true });
  const route = await quotedRoute(box);
  const { deliveries } = await box.json(['dispatch', route, '--driver', 'Ana']);
  const id = Array.isArray(deliveries) ? String(deliveries[0]?.id) : '';
  for (let tries = 0; tries < 5; tries++) await tap({ kind: 'deliver', delivery_ids: [id], pin: 'none' });
  const [[kind, found, , what, , command] = []] = await rows(box);
  expect([kind, found, what, command]).toEqual([
    ...['locked', id, 'is locked after 5 wrong PINs at Ana Ruiz', `waybill deliveries unlock ${id}`],
  ]);
  const { stderr } = await box.run(['deliveries', 'unlock', id], { tty: true });
  expect(stderr).toContain(`Unlocked ${id}: the driver may try again.`);
  expect(await rows(box)).toEqual([]);
});

test('a handover without a proof that was asked for is listed, also days later, until someone notes what came of it', async () => {
  const box = await sandbox();
  const driver = await box.json(['drivers', 'add', 'Ana Ruiz', '--phone', '+13125550134']);
  const tap = tapping(box.transport, driver.link);
  const delivered = async (ref: string, ...flags: string[]) => {
    const { deliveries } = await box.json([
      'ship',
      ...orderLine.slice(2),
      '--ref',
      ref,
      '--driver',
      'Ana',
      ...flags,
    ]);
    const id = Array.isArray(deliveries) ? String(deliveries[0]?.id) : '';
    await tap({ kind: 'pick_up', delivery_ids: [id] });
    await tap({ kind: 'deliver', delivery_ids: [id], no_photo_reason: 'dark' });
    return id;
  };
  await delivered('#A');
  const id = await delivered('#B', '--request-contactless');
  const listed = async () => (await rows(box)).map(([kind, found, , what]) => [kind, found, what]);
  const problem = ['unverified', id, 'was handed over without a photo: dark'];
  expect(await listed()).toEqual([problem]);
  box.advance(3 * 24 * 60 * minute);
  expect(await listed()).toEqual([problem]);
  await box.json(['deliveries', 'note', id, 'Joe has it']);
  expect(await listed()).toEqual([]);
});

test('in a terminal each problem is one line, whose command works when it is pasted', async () => {
  const box = await sandbox();
  const named = await delivery(box, 'A 7', '--simulate', 'payment_declined');
  const failed = await delivery(box, 'F', '--simulate', 'payment_declined');
  const late = await delivery(box, 'L', '--simulate', 'slow_assignment');
  const unnamed = await newDelivery(box, '--initiate', '--simulate', 'return_stuck');
  await step(box, unnamed, 'pickup_complete', 'enroute_to_return');
  await newDelivery(box, '--ref', 'Twice', '--initiate', '--simulate', 'payment_declined');
  await newDelivery(box, '--ref', 'Twice', '--initiate', '--simulate', 'payment_declined');
  const returned = await delivery(box, 'R');
  await step(box, returned, 'pickup_complete', 'enroute_to_return', 'returned');
  box.advance(26 * minute);
  const { stdout } = await box.run(['today'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
  const lines = stdout.trimEnd().split('\n').slice(2);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const commandOf = (line = '') => /waybill (.*)$/.exec(line)?.[1] ?? '';
  const found = (label: string) => commandOf(lines.find((line) => line.includes(` ${label} `)));
  const seen = ['F', 'L', 'R', 'A 7', unnamed.slice(-5)].map(found);
  expect(seen).toEqual([
    ...['retry F --max-cost DOLLARS', 'explain L', 'explain R'],
    ...[named, unnamed].map((id) => `explain ${id.slice(-5)}`),
  ]);
  expect(lines.filter((line) => / Twice .* waybill explain \w{5}$/.test(line))).toHaveLength(1);
  expect(lines).toHaveLength(6);
  const { next } = await box.json(found('R').split(' '));
  expect(JSON.stringify(next)).toContain('waybill deliveries create --like ord_');
  expect(await box.json(found('L').split(' '))).toMatchObject({ delivery: { id: late } });
  expect(await box.json(found(unnamed.slice(-5)).split(' '))).toMatchObject({ delivery: { id: unnamed } });
  const again = await box.run(found('F').split(' '), { tty: true, answers: ['12'] });
  expect(again.stderr).toContain(`Nothing is charged for ${failed} so far.`);
  // Where the reason has room, the time of its arrival stands in it alone.
  const fitting = await box.run(['today'], { tty: true, columns: 140, env: { NO_COLOR: '1' } });
  expect(fitting.stdout).toMatch(/^late +L .* due \d\d:\d\d +waybill explain L +(?:is|will be) .*late: /m);
  const { items } = await box.json(['today']);
  expect(items).toContainEqual(expect.objectContaining({ kind: 'late', service: 'poolride' }));
  const wide = await box.run(['today'], { tty: true, columns: 300, env: { NO_COLOR: '1' } });
  expect(wide.stdout).toMatch(
    / waybill retry dlv_\w+ --max-cost DOLLARS +failed: the payment was declined$/m,
  );
});

test.each([
  ['+13125550116', [], /^deliveries create --like ord_\w+ --dropoff-phone-number PHONE --initiate /],
  ['+13125550118', ['--max-cost', '8'], /^deliveries create --like ord_\w+ --dropoff-phone-number PHONE /],
  ['no_capacity', ['--max-cost', '6.60'], /^deliveries retry dlv_\w+ --price$/],
  ['no_capacity', ['--max-cost', '8'], /^deliveries retry dlv_\w+ --not poolride --max-cost 8\.00$/],
  ['no_capacity', [], /^deliveries retry dlv_\w+ --not poolride --max-cost DOLLARS$/],
])('a retry after %s %j that cannot succeed is not offered', async (simulated, limit, next) => {
  const box = await sandbox();
  const isPhone = simulated.startsWith('+');
  const scenario = isPhone ? ['--dropoff-phone-number', simulated] : ['--simulate', simulated];
  const order = orderLine
    .slice(2)
    .filter((word) => !isPhone || !/^(--dropoff-phone|\+13125550142)$/.test(word));
  const line = ['ship', ...order, ...scenario, '--cheapest', '--ref', 'X', ...limit, '--json'];
  const shipped = await box.run(line, box.passing);
  expect(shipped.exit).toBe(9);
  const retried = / retry dlv_\w+ --price$/;
  const said = isPhone
    ? expect.stringContaining(' --dropoff-phone-number PHONE ')
    : expect.stringMatching(retried);
  expect(errorOf(shipped.stderr).next).toMatchObject([{ command: said }]);
  const [[, , , what, , command = ''] = []] = await rows(box);
  expect(what).toMatch(isPhone ? /its phone number simulates \w+: each \w+ \w+/ : /failed: /);
  expect(command.replace(/^waybill /, '')).toMatch(next);
  const priced = await box.run(['deliveries', 'retry', 'X', '--price', '--json']);
  expect(priced.stderr.includes('its phone number simulates')).toBe(isPhone);
  const explained = JSON.stringify((await box.json(['deliveries', 'explain', 'X'])).next);
  expect(explained).toContain(JSON.stringify(command));
});

test.each([
  ['+13125550124', 'unfulfilled', 'no_quotes: no courier offers a price', / ship --like ord_\w+ /],
  ['+13125550110', 'returned', 'customer_refused: each try comes back', / deliveries create --like ord_\w+ /],
  ['+13125550128', 'canceled', 'operator_cancel: each try is canceled', / deliveries create --like ord_\w+ /],
])(
  'an order whose phone is %s ends %s again, and is offered with another number',
  async (phone, kind, text, line) => {
    const box = await sandbox();
    const order = orderLine.filter((word) => !/^(--dropoff-phone|\+13125550142)$/.test(word));
    await box.json([
      ...order,
      '--dropoff-phone-number',
      phone,
      '--auto',
      '--max-cost',
      '20',
      '--retry-window',
      '0s',
      '--yes',
    ]);
    await box.json(['sandbox', 'advance', '--by', '3h']);
    const [[found, , , what, , command = ''] = []] = await rows(box);
    expect([found, what]).toEqual([kind, expect.stringContaining(`(its phone number simulates ${text})`)]);
    expect(command).toMatch(line);
    expect(command).toContain(' --dropoff-phone-number PHONE ');
  },
);

test('a retry above the limit names the courier that is within it, for programs, too', async () => {
  const box = await sandbox();
  const line = [...orderLine.slice(2), '--simulate', 'no_capacity', '--cheapest', '--ref', 'X'];
  await box.run(['ship', ...line, '--max-cost', '6.60'], box.passing);
  for (const price of [[], ['--price']]) {
    const { exit, stderr } = await box.run([
      ...['deliveries', 'retry', 'X', '--max-cost', '6.60', '--json'],
      ...price,
    ]);
    expect([exit, errorOf(stderr)]).toMatchObject([
      6,
      {
        code: 'above_max_cost',
        next: [
          {
            command: expect.stringMatching(/ retry dlv_\w+ --provider poolride --max-cost 6\.60$/),
            when: 'poolride would cost $6.47, but ended an earlier attempt badly',
          },
        ],
      },
    ]);
  }
});

test('a return is never late, and is stuck once it is not reported for an hour', async () => {
  const box = await sandbox();
  const id = await delivery(box, 'S', '--simulate', 'return_stuck');
  await step(box, id, 'pickup_complete', 'enroute_to_return');
  box.advance(69 * minute);
  expect((await rows(box)).map(([kind]) => kind)).toEqual(['returning']);
  const listed = await box.run(['deliveries', 'list', '--late', '-o', 'id']);
  const { stdout } = await box.run(['deliveries', 'cancel', '--where', 'late', '--dry-run']);
  expect([listed.stdout, stdout]).toEqual(['', '']);
  expect((await box.run(['where', id], { tty: true })).stdout).not.toMatch(/^Late|min late/m);
  box.advance(minute);
  expect(await attentionTo(box)).toEqual([
    'stuck',
    'is on the way back, and its next report is 10 min overdue',
    id,
    id,
  ]);
});
