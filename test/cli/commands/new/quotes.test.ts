import { expect, test } from 'vitest';
import { countdownText } from '../../../../src/cli/flow/agreed-quote.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { tapping } from '../../driver-taps.ts';
import { freshHome, type RunOptions } from '../../harness.ts';
import { liveService, sandbox } from '../../sandbox.ts';
import { type Asked, back, ctrlC, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();
const orders = 'What would you like to send?';
const toQuotes = [...typedOrder, [orders, 'Continue: create'], ['2 stops', 'Request']] as const;
type Replies = readonly (readonly [string, Reply])[];

async function walk(replies: Replies, options: RunOptions = {}) {
  const prompts = person(replies);
  const run = { home: freshHome(), tty: true, prompts, ...box.passing, ...options };
  const outcome = await box.run(['new'], run);
  return { ...outcome, asked: prompts.asked, left: prompts.left(), home: run.home };
}

/** Passes time while the prompt is open. */
function after(ms: number, reply: Reply): Reply {
  return () => {
    box.advance(ms);
    return reply;
  };
}

const minute = 60_000;

test('quotes are sorted by cost and fee together, and their remaining time counts down', async () => {
  const { exit, asked } = await walk([
    ...toQuotes,
    ['Choose a quote', back],
    ['2 stops', after(6 * minute, 'Request')],
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Leave'],
  ]);
  expect(exit).toBe(3);
  const shown = asked
    .filter(({ message }) => message.startsWith('Choose a quote'))
    .map(({ choices }) => choices);
  const names = shown[0]?.slice(0, -2).map((name) => name.split(',')[0]);
  expect(names).toEqual(['poolride', 'metrobike', 'swiftly', 'haulvan']);
  const prices = shown[0]?.slice(0, -2).map((name) => Number(/\$([\d.]+)/.exec(name)?.[1]));
  expect(prices).toEqual(prices?.toSorted((left, right) => left - right));
  expect(shown[0]?.[0]).toMatch(/^poolride, \$6\.47 \(\$5\.99 \+ \$0\.48\), arrives at [\d:]+, 9:\d\d left$/);
  expect(shown[1]?.[0]).toMatch(/^poolride, .*, 3:\d\d left$/);
});

test('what is typed while the quotes are awaited is dropped, so that it does not break the line of the spinner', async () => {
  const keys: string[] = [];
  const spinner = async (text: string) => ({ text, stop: () => {}, said: keys.push(text.slice(0, 7)) });
  const onKeys = async () => {
    keys.push('raw');
    return () => void keys.push('restored');
  };
  const lines = { columns: 80, spinner, onKeys };
  expect((await walk([...toQuotes, ['Choose a quote', ctrlC]], lines)).exit).toBe(130);
  expect(keys.slice(keys.indexOf('raw'))).toEqual(['raw', 'Waiting', 'restored']);
  keys.length = 0;
  await walk([...toQuotes, ['Choose a quote', ctrlC]], { ...lines, env: { TERM: 'dumb' } });
  expect(keys).toEqual([]);
});

test('arrivals are said in the zone of the pickup where it is not that of the reader', async () => {
  const typed = typedOrder.map(([question, reply]): [string, Reply] => {
    if (question === 'Pickup address') return [question, '350 5th Ave, New York, NY 10118'];
    return [question, question === 'Dropoff address' ? '1 Wall St, New York, NY 10005' : reply];
  });
  const { asked } = await walk([...typed, ...toQuotes.slice(typed.length), ['Choose a quote', ctrlC]]);
  expect(asked.at(-1)?.choices[0]).toMatch(/, arrives at \d\d:\d\d E[SD]T, 9:\d\d left$/);
});

test('a quote that expires while it is shown is not used: new ones are requested', async () => {
  const sent = () => box.requests.filter(({ path }) => path.endsWith('/dispatch')).length;
  const before = sent();
  const { exit, stderr, left } = await walk([
    ...toQuotes,
    ['Choose a quote', 'poolride'],
    ['Dispatch with', after(11 * minute, 'Dispatch it')],
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Dispatch it'],
  ]);
  expect([exit, left]).toEqual([0, 0]);
  expect(stderr).toContain('The quote from poolride has expired. Requesting new ones.\n');
  expect(sent() - before).toBe(1);
  expect(stderr.match(/waybill routes quote rte/g)).toHaveLength(2);
});

test('after a refusal by the courier the wizard offers to try again, and the end names the retry', async () => {
  const refused = toQuotes.map(([question, reply]): [string, Reply] => [
    question,
    question === 'Dropoff phone' ? '+13125550118' : reply,
  ]);
  const again = [
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Dispatch it'],
  ] as const;
  const { exit, stderr, left } = await walk([
    ...refused,
    ...again,
    ['What now?', 'Try again'],
    ['2 stops', 'Request'],
    ...again,
    ['What now?', 'Stop here'],
  ]);
  expect([exit, left]).toEqual([9, 0]);
  const ids = stderr.match(/dlv_\w+(?= failed: )/g) ?? [];
  expect(new Set(ids).size).toBe(2);
  expect(stderr).toMatch(
    /Try it again: waybill deliveries create --like ord_\w+ --dropoff-phone-number PHONE /,
  );
});

test('an expired quote is marked, and when all are expired new ones are requested', async () => {
  const expired = (asked: Asked) => {
    box.advance(6 * minute);
    expect(asked.choices).toHaveLength(6);
    return 'metrobike';
  };
  const late = await walk([...toQuotes, ['Choose a quote', expired]]);
  expect([late.exit, late.stderr]).toEqual([1, expect.stringContaining('"metrobike" is expired')]);
  const prompts = person([
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Leave'],
  ]);
  box.advance(61 * minute);
  const options = { home: late.home, tty: true, prompts, ...box.passing };
  const { exit, stderr } = await box.run(['new', '--resume'], options);
  expect([exit, prompts.left()]).toEqual([3, 0]);
  expect(stderr).toContain('All quotes have expired. Requesting new ones.');
});

test('if the cheapest has expired new quotes are proposed, as the rest may be far more expensive', async () => {
  const { home } = await walk([...toQuotes, ['Choose a quote', ctrlC]]);
  box.advance(15 * minute);
  const prompts = person([['Choose a quote', 'Leave']]);
  await box.run(['new', '--resume'], { home, tty: true, prompts, ...box.passing });
  expect(prompts.asked).toMatchObject([{ initial: 'Request new quotes' }]);
  expect(prompts.left()).toBe(0);
});

test('no provider accepts: wait, change or stop', async () => {
  await box.json(['sandbox', 'scenario', 'set', 'no_quotes']);
  const { exit, stdout, stderr, left } = await walk([
    ...toQuotes,
    ['No quotes', 'Wait a minute'],
    ['No quotes', 'Request again'],
    ['No quotes', back],
    ['2 stops', 'Request'],
    ['No quotes', 'Change the orders'],
    [orders, 'Continue: create'],
    ['2 stops', 'Request'],
    ['No quotes', 'Stop'],
  ]);
  await box.json(['sandbox', 'scenario', 'set', 'happy_path']);
  const undone = 'Nothing was dispatched, and everything created here was undone.\n';
  expect([exit, left, stdout]).toEqual([0, 0, undone]);
  expect(stderr).toContain('No provider offers a quote for rte_');
  expect(stderr).toMatch(/Deleted route rte_\w+; its orders are open again\.\n/);
  const id = /ord_\w+/.exec(stderr)?.[0] ?? '';
  expect(await box.json(['orders', 'get', id])).toMatchObject({ status: 'canceled' });
});

test('a provider that is neither cheapest nor fastest is named in the script', async () => {
  const { exit, stderr } = await walk([
    ...toQuotes,
    ['Choose a quote', 'metrobike'],
    ['Dispatch with', 'Dispatch it'],
  ]);
  expect(exit).toBe(0);
  expect(stderr).toContain('waybill dispatch "$route" --provider metrobike\n');
});

const forMoney = 'Dispatch to poolride for $6.47, for real money';
const toPrice = [
  ['Choose a quote', 'poolride'],
  ['Dispatch with', 'Dispatch it'],
] as const;

test('in live mode the price is confirmed, and the command and the script have the maximum cost', async () => {
  const sent = () => box.requests.filter(({ path }) => path.endsWith('/dispatch')).length;
  const before = sent();
  const unsent: Reply = () => {
    expect(sent()).toBe(before);
    return 'yes';
  };
  const { exit, stderr, left } = await walk(
    [...toQuotes, ...toPrice, [forMoney, 'no'], ...toPrice, [forMoney, unsent]],
    liveService(box.transport),
  );
  expect([exit, left, sent(), stderr]).toEqual([
    ...[0, 0, before + 1],
    expect.stringContaining('Nothing was dispatched.\n'),
  ]);
  expect(stderr).toMatch(/\$ waybill dispatch rte_\w+ --quote rq_\w+ --yes --max-cost 6\.47\n/);
  expect(stderr).toContain('waybill dispatch "$route" --cheapest --yes --max-cost 6.47\n');
});

test.each([
  [61_000, '1:01 left'],
  [3_725_000, '1:02:05 left'],
  [400, '0:01 left'],
  [0, ''],
])('%i ms are shown as "%s"', (ms, text) => {
  expect(countdownText({ expires_at: new Date(1_000_000 + ms).toISOString() }, 1_000_000)).toBe(text);
  expect(countdownText({ expires_at: null }, 0)).toBe('no limit');
});

test('the wizard offers own drivers once one is on duty', async () => {
  const { link } = await box.json(['drivers', 'add', 'Sam Lee', '--phone', '+13125550133']);
  await tapping(box.transport, link)({ kind: 'duty', on: true });
  const prompts = person([
    ...typedOrder,
    ['What would you like to send?', 'Continue: create'],
    ['2 stops', 'Request'],
    ['Choose a quote', 'fleet, $0.00, '],
    ['Dispatch with fleet', 'Dispatch it'],
  ]);
  const wizard = await box.run(['new'], { home: freshHome(), tty: true, prompts, ...box.passing });
  expect([wizard.exit, prompts.left()], wizard.stderr).toEqual([0, 0]);
  expect(wizard.stderr).toContain('Dispatched to fleet for $0.00.');
});

const toDispatch = [
  ...typedOrder,
  ['What would you like to send?', 'Continue: create'],
  ['2 stops', 'Request'],
  ['Choose a quote', 'poolride'],
  ['Dispatch with poolride', 'Dispatch it'],
] as const;

const answer = (status: number, code: string) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ object: 'error', code, message: 'Not this time.', details: [] }),
});

/** Responds to dispatches with an error until it is fixed. */
function failing(status: number, code: string) {
  let isMended = false;
  const transport: Transport = async (request) =>
    isMended || !request.path.endsWith('/dispatch') ? box.transport(request) : answer(status, code);
  const mended: Reply = () => {
    isMended = true;
    return back;
  };
  return { transport, mended };
}

async function walkToDispatch(transport: Transport, replies: readonly (readonly [string, Reply])[]) {
  const prompts = person([...toDispatch, ...replies]);
  const options = { home: freshHome(), tty: true, prompts, ...box.passing, transport };
  return { ...(await box.run(['new'], options)), left: prompts.left() };
}

test('after a refused dispatch another quote can be chosen', async () => {
  const { transport, mended } = failing(409, 'order_not_open');
  const { exit, left, stderr } = await walkToDispatch(transport, [
    ['What now?', mended],
    ['Choose a quote', 'metrobike'],
    ['Dispatch with metrobike', 'Dispatch it'],
  ]);
  expect([exit, left]).toEqual([0, 0]);
  expect(stderr).toContain('Dispatched to metrobike');
});

test('the longest idempotency key that is taken is short enough for the dispatch with a tip', async () => {
  const prompts = person([
    ...toDispatch.slice(0, -1),
    ['Dispatch with', 'Add a tip'],
    ['Tip in dollars', '12.50'],
    ['Dispatch with', 'Dispatch it'],
  ]);
  const line = (length: number) => ['new', '--idempotency-key', 'k'.repeat(length)];
  const options = { home: freshHome(), tty: true, prompts, ...box.passing };
  expect((await box.run(line(131), options)).stderr).toContain('at most 130');
  const { exit, stderr } = await box.run(line(130), options);
  expect([exit, prompts.left(), stderr]).toEqual([0, 0, expect.stringContaining('Dispatched to poolride')]);
});

test('a dispatch with an unknown outcome is settled before another quote is chosen', async () => {
  const { transport, mended } = failing(500, 'internal_error');
  const { exit, left, stderr } = await walkToDispatch(transport, [['What now?', mended]]);
  expect([exit, left]).toEqual([0, 0]);
  expect(stderr).toContain('It is not known yet whether the route was dispatched.');
  expect(stderr).toContain('Dispatched to poolride');
});

test.each([
  ['declined', 'no', 3, [['Dispatch with', 'Leave']], 3, 'Continue with'],
  ['agreed to, and whose answer is lost,', 'yes', 1, [], 0, 'Dispatched to poolride'],
] as const)('a dispatch %s after another order with its reference is known when resumed', async (...row) => {
  const [, agrees, ends, then, endsThen, says] = row;
  const ref = `W-${agrees}`;
  const fields = [
    ...['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'Grill'],
    ...['--pickup-phone', '+13125550101', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
    ...['--dropoff-name', 'Joe Diner', '--dropoff-phone', '+13125550142', '--item', 'Soup', '--ref', ref],
  ];
  const sendAnother = async () => {
    await box.json(['deliveries', 'create', ...fields, '--initiate', '--allow-duplicate-ref']);
    return 'Dispatch it';
  };
  const losing: Transport = async (request) => {
    const answered = await box.transport(request);
    if (request.path.endsWith('/dispatch')) throw new Error('the process was killed here');
    return answered;
  };
  const replies = [
    ...typedOrder.slice(0, -1),
    ['Create this order?', 'Edit or add fields'],
    ['Which field?', 'External order ref'],
    ['External order ref', ref],
    ['Which field?', 'Done'],
    ['Create this order?', 'Create order'],
    ...toDispatch.slice(typedOrder.length, -1),
    ['Dispatch with', sendAnother],
    [`An order "${ref}"`, agrees],
  ] as const;
  const { exit, left, home } = await walk(replies, { transport: losing });
  expect([exit, left]).toEqual([ends, 0]);
  const prompts = person(then);
  const again = await box.run(['new', '--resume'], { home, tty: true, prompts, ...box.passing });
  expect([again.exit, prompts.left(), again.stderr]).toEqual([endsThen, 0, expect.stringContaining(says)]);
  expect(again.stderr).not.toContain('not known');
});

test('couriers that decline are named with their reason, and how the tracking link works', async () => {
  await box.json(['sandbox', 'provider', 'swiftly', '--down']);
  const { exit, stderr } = await walk([
    ...toQuotes,
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Dispatch it'],
  ]);
  await box.json(['sandbox', 'provider', 'swiftly', '--up']);
  expect([exit, stderr]).toEqual([0, expect.stringMatching(/^swiftly\b.+$/m)]);
  expect(stderr).toMatch(/^The tracking link works while waybill track dlv_\w+ runs\.$/m);
});
