import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { errorOf, failureOf, jsonOf, newInterruption, type RunOptions } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

/** A repeatable command: its idempotency key is the reference of its order. */
function ship(ref: string, options: RunOptions = {}, ...flags: string[]) {
  box.advance(1);
  const key = flags.includes('--idempotency-key') ? [] : ['--idempotency-key', ref];
  const line = ['ship', ...orderLine.slice(2), '--ref', ref, ...key, '--json', ...flags];
  return box.run(flags.includes('--fastest') ? line : [...line, '--cheapest'], {
    ...box.passing,
    ...options,
  });
}

/**
 * Ends a command at its request to this path, like a kill: before the service receives it, or before the response
 * arrives.
 */
function dyingAt(path: string, when: 'before' | 'after'): Transport {
  return async (request) => {
    const isThere = request.method === 'POST' && request.path.endsWith(path);
    if (isThere && when === 'before') throw new Error('killed');
    const response = await box.transport(request);
    if (isThere) throw new Error('killed');
    return response;
  };
}

/** The number of orders and deliveries with a reference, and of routes. */
async function counts(ref: string) {
  const of = async (...argv: string[]) =>
    (await box.run([...argv, '-o', 'id'])).stdout.split('\n').length - 1;
  return [
    await of('orders', 'list', '--ref', ref),
    await of('routes', 'list', '--limit', '100'),
    await of('deliveries', 'list', '--ref', ref),
  ];
}

const steps = ['/create', '/routes', '/quotes', '/dispatch'];
test.each(
  steps.flatMap(
    (path) =>
      [
        [path, 'before'],
        [path, 'after'],
      ] as const,
  ),
)('killed at %s, %s it is done: a repeat goes on, and nothing is made twice', async (path, when) => {
  const ref = `${path.slice(1)}-${when}`;
  const [, routes = 0] = await counts(ref);
  expect((await ship(ref, { transport: dyingAt(path, when) })).exit).not.toBe(0);
  // The clock advances, but the quotes are still valid.
  box.advance(60_000);
  const { stdout, exit } = await ship(ref);
  expect(exit).toBe(0);
  expect(jsonOf(stdout)).toMatchObject({ deliveries: [{ external_order_ref: ref, service: 'poolride' }] });
  expect(await counts(ref)).toEqual([1, routes + 1, 1]);
  const again = await ship(ref);
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('was already dispatched')]);
  expect(jsonOf(again.stdout)).toEqual(jsonOf(stdout));
  expect(await counts(ref)).toEqual([1, routes + 1, 1]);
});

test('a repeat after the quotes have expired requests new ones', async () => {
  await ship('died', { transport: dyingAt('/dispatch', 'before') });
  box.advance(70 * 60_000);
  for (const path of ['/quotes', '/dispatch']) {
    expect((await ship('died', { transport: dyingAt(path, 'before') })).exit).toBe(1);
  }
  expect(await ship('died')).toMatchObject({ exit: 0 });
  expect((await counts('died')).filter((_, index) => index !== 1)).toEqual([1, 1]);
});

test('two concurrent runs with one key create one delivery', async () => {
  const sleep = async (ms: number) => {
    box.advance(ms);
    await setTimeout(20);
  };
  const both = await Promise.all([ship('twins', { sleep }), ship('twins', { sleep })]);
  expect(both.map(({ exit }) => exit)).toEqual([0, 0]);
  const ids = both.map(({ stdout }) => jsonOf(stdout).id);
  expect(ids[0]).toBe(ids[1]);
  expect((await counts('twins')).filter((_, index) => index !== 1)).toEqual([1, 1]);
});

/** Runs `work` just before the first dispatch request reaches the service. */
function beforeDispatch(work: (path: string) => unknown): Transport {
  let isDone = false;
  return async (request) => {
    const isNow = !isDone && request.path.endsWith('/dispatch');
    isDone ||= isNow;
    if (isNow) await work(request.path);
    return box.transport(request);
  };
}

test('a quote that expires before the dispatch is replaced', async () => {
  const transport = beforeDispatch(() => box.advance(11 * 60_000));
  const { stdout, exit } = await ship('way', { transport });
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { deliveries: [{ external_order_ref: 'way' }] }]);
  expect((await counts('way')).filter((_, index) => index !== 1)).toEqual([1, 1]);
});

test('if somebody else dispatched first, their delivery is the result', async () => {
  const transport = beforeDispatch((path) =>
    box.run(['dispatch', path.split('/')[3] ?? '', '--fastest'], box.passing),
  );
  const { stdout, exit } = await ship('faster', { transport });
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { deliveries: [{ service: 'swiftly' }] }]);
});

test('a repeat whose orders come without their tips is compared with no other tip', async () => {
  await ship('untold');
  const transport: Transport = async (request) => {
    const answer = await box.transport(request);
    const isLook = request.method === 'GET' && request.path.includes('/orders/');
    return isLook ? { ...answer, body: answer.body.replaceAll('"tip":0,', '') } : answer;
  };
  const again = await ship('untold', { transport });
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('was already dispatched')]);
});

test('a repeat of a run whose delivery was canceled says so', async () => {
  const again = async () =>
    box.run(
      ['ship', ...orderLine.slice(2), '--cheapest', '--yes', '--idempotency-key', 'canceled'],
      box.passing,
    );
  await again();
  const id = (await box.run(['deliveries', 'list', '--limit', '1', '-o', 'id'])).stdout.trim();
  await box.json(['deliveries', 'cancel', id, '--yes']);
  expect((await again()).stderr).toContain(`It was canceled since: waybill deliveries explain ${id}`);
});

test('a repeat without --allow-duplicate-ref of a run with it that has dispatched is no new order', async () => {
  const line = ['ship', ...orderLine.slice(2), '--ref', 'twice', '--cheapest', '--json'];
  const keyed = async (key: string, ...flags: string[]) => {
    box.advance(1);
    return box.run([...line, '--idempotency-key', key, ...flags], box.passing);
  };
  expect((await keyed('first')).exit).toBe(0);
  const second = await keyed('second', '--allow-duplicate-ref');
  const again = await keyed('second');
  expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('nothing was created twice')]);
  expect(jsonOf(again.stdout)).toEqual(jsonOf(second.stdout));
  // An order that is still open is refused as before.
  const open = await keyed('third');
  expect([open.exit, (await keyed('third')).exit, errorOf(open.stderr).code]).toEqual([
    ...[6, 6, 'duplicate_ref'],
  ]);
});

test('changes by others in between are not undone', async () => {
  const gone = await ship('gone', {}, '--max-cost', '1');
  const [route = ''] = /rte_\w+/.exec(gone.stderr) ?? [];
  await box.run(['routes', 'delete', route]);
  const deleted = await ship('gone');
  expect(deleted.exit).toBe(5);
  expect(errorOf(deleted.stderr).message).toContain('no longer exists');
  expect(errorOf(deleted.stderr).hint).not.toContain('rerun the command');
  const [, order = ''] = /Order (ord_\w+)/.exec(gone.stderr) ?? [];
  expect(errorOf(deleted.stderr)).toMatchObject({
    hint: `The idempotency key is used up: use another --idempotency-key. Order ${order} is open.`,
    next: [{ command: `waybill routes create ${order}` }],
  });
  await box.run(['orders', 'cancel', order]);
  const canceled = await ship('gone');
  expect([canceled.exit, errorOf(canceled.stderr)]).toMatchObject([
    6,
    {
      code: 'order_not_open',
      message: `Route ${route}, which an earlier run created, no longer exists. Order ${order} is canceled.`,
      hint: 'The idempotency key is used up: use another --idempotency-key.',
      next: [{ command: `waybill orders get ${order}` }],
    },
  ]);
  await ship('closed', { transport: dyingAt('/routes', 'before') });
  const { stdout } = await box.run(['orders', 'list', '--ref', 'closed', '-o', 'id']);
  await box.run(['orders', 'cancel', stdout.trim()]);
  const closed = await ship('closed');
  expect(closed.exit).toBe(6);
  expect(errorOf(closed.stderr)).toMatchObject({
    code: 'order_not_open',
    next: [{ command: `waybill orders get ${stdout.trim()}` }],
  });
});

test('a key that is too long for the steps’ keys is refused before anything is created', async () => {
  const before = box.requests.length;
  const { exit, stderr } = await ship('k'.repeat(131));
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining('at most 130')]);
  expect(box.requests).toHaveLength(before);
  expect((await ship('k'.repeat(130))).exit).toBe(0);
});

test.each([
  [
    '/routes',
    /^Order ord_\w+ is open\. .* not known yet whether the route was created; .*`waybill orders get ord_/,
  ],
  [
    '/quotes',
    /^Order ord_\w+ is in draft route rte_\w+\. Nothing was dispatched\. .*`waybill dispatch rte_\w+ --cheapest --max-cost DOLLARS`\. To continue/,
  ],
  [
    '/dispatch',
    /is in route rte_\w+\. It is not known yet whether the route was dispatched; .*`waybill routes get rte_/,
  ],
])('interrupted at %s it prints what exists and how to continue', async (path, text) => {
  const interruption = newInterruption();
  let said: string | null = null;
  const transport: Transport = (request) => {
    if (request.method === 'POST' && request.path.endsWith(path)) said = interruption.status()?.text ?? null;
    return box.transport(request);
  };
  await ship(`stopped${path.slice(1)}`, { transport, interruption });
  expect(said).toMatch(text);
  expect(said).toMatch(new RegExp(`--idempotency-key stopped${path.slice(1)}$`));
});

test('what is dispatched is said if the answer cannot be written', async () => {
  for (const how of ['Dispatched to poolride for $6.47 ($5.99 and a fee of $0.48).', 'is dispatched.']) {
    const interruption = newInterruption();
    let said = '';
    const written = () => {
      said = interruption.status()?.text ?? '';
    };
    const { stdout } = await ship('unwritten', { interruption, written });
    expect(said).toContain(how);
    expect(said).toContain(`Delivery ${JSON.parse(stdout).deliveries[0].id}.`);
    expect(said).not.toContain('Nothing was dispatched');
  }
});

async function shipped(ref: string, ...flags: string[]): Promise<string> {
  const { stdout } = await ship(ref, {}, ...flags);
  return JSON.parse(stdout).deliveries[0].id;
}

test('a repeat with a lower maximum than was paid is exit 6, and the delivery stays', async () => {
  const delivery = await shipped('dear', '--max-cost', '7');
  const { stdout, stderr, exit } = await ship('dear', {}, '--max-cost', '6.46');
  expect([exit, stdout]).toEqual([6, '']);
  expect(errorOf(stderr)).toMatchObject({
    code: 'above_max_cost',
    message: expect.stringMatching(
      /^Route rte_\w+ was already dispatched for \$6\.47, above --max-cost \$6\.46\.$/,
    ),
    hint: expect.stringMatching(/^Nothing was changed/),
    next: [{ command: `waybill deliveries explain ${delivery}` }],
  });
  expect((await ship('dear', {}, '--max-cost', '6.47')).exit).toBe(0);
});

test.each([
  ['more', ['--tip', '1'], ['--tip', '2.50'], '$1.00; the tip of $2.50'],
  ['none', ['--tip', '1'], [], '$1.00; the tip of $0.00'],
  ['some', [], ['--tip', '0.50'], '$0.00; the tip of $0.50'],
])('a repeat with another tip is a conflict: %s', async (ref, first, then, text) => {
  await shipped(ref, ...first);
  expect(await failureOf(ship(ref, {}, ...then))).toMatchObject({
    exit: 6,
    code: 'idempotency_key_reuse',
    message: expect.stringContaining(`with a tip of ${text} was not applied`),
  });
  expect((await ship(ref, {}, ...first)).exit).toBe(0);
});

test('a repeat that would choose another quote says what was not applied, and others do not', async () => {
  const delivery = await shipped('choice');
  const { stdout, stderr, exit } = await ship('choice', {}, '--fastest');
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { deliveries: [{ id: delivery, service: 'poolride' }] }]);
  expect(stderr).toMatch(
    /nothing was created twice\. It used the quote of poolride: --fastest was not applied/,
  );
  expect((await ship('choice')).stderr).not.toContain('applied');
});

test('a copy under the reference of its original is found by its key, although two have the reference', async () => {
  await ship('copied');
  const line = ['ship', '--like', 'copied', '--cheapest', '--max-cost', '9', '--idempotency-key', 'copy'];
  const [first, again] = [await box.run(line, box.passing), await box.run(line, box.passing)];
  expect([first.exit, again.exit, again.stdout]).toEqual([0, 0, first.stdout]);
  expect((await counts('copied'))[2]).toBe(2);
  await ship('copied', {}, '--allow-duplicate-ref', '--dropoff-unit', '9', '--idempotency-key', 'other');
  expect((await box.run(line, box.passing)).exit).toBe(2);
});

test.each([
  ['for the same phone and address, under another reference', [], true],
  ['that is a copy on purpose', ['--like', 'similar-1'], false],
  ['for another address', ['--dropoff-address', '875 N Michigan Ave, Chicago, IL 60611'], false],
])('an order of minutes ago %s', async (_, flags, isSimilar) => {
  const dropoff = ['--dropoff-phone-number', '+13125550199'];
  await ship('similar-1', {}, ...dropoff);
  box.advance(5 * 60_000);
  const again = () =>
    ship(`similar-${flags.join()}`, {}, ...flags, ...dropoff, '--idempotency-key', `s${flags}`);
  const { exit, stderr } = await again();
  expect([exit, stderr.includes('"similar_order"')]).toEqual([0, isSimilar]);
  box.advance(5 * 60_000);
  expect((await again()).stderr).not.toContain('similar_order');
});

test('what is similar is told as it is now', async () => {
  const dropoff = ['--dropoff-phone-number', '+13125550198'];
  const first = await shipped('told-1', ...dropoff);
  box.advance(100 * 60_000);
  await box.json(['deliveries', 'get', first]);
  expect((await ship('told-2', {}, ...dropoff)).stderr).toMatch(
    new RegExp(`Similar: A delivery .*told-1.* ${first} \\(delivered\\)`),
  );
});
