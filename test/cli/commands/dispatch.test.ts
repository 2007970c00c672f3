import { expect, test } from 'vitest';
import { chooseQuote, type Preference } from '../../../src/cli/flow/agreed-quote.ts';
import type { Transport } from '../../../src/contract/operation.ts';
import { tapping } from '../driver-taps.ts';
import { account } from '../fake-service.ts';
import { errorOf, failureOf, jsonOf, linesIn, objectsIn, waybill } from '../harness.ts';
import { liveService, quotedRoute, sandbox } from '../sandbox.ts';
import { person } from './new/person.ts';

const box = await sandbox();

function dispatches(): number {
  return box.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/dispatch')).length;
}

test('a named quote with a tip; what happened is printed on stderr', async () => {
  const route = await quotedRoute(box);
  const { stdout: quotes } = await box.run(['quotes', 'list', route, '-o', 'id']);
  const quote = quotes.split('\n')[1] ?? '';
  const line = ['dispatch', route, '--quote', quote, '--tip', '2.50', '-o', 'ndjson'];
  const { stdout, stderr, exit } = await box.run(line);
  expect(exit).toBe(0);
  expect(jsonOf(stdout)).toMatchObject({
    ...{ service: 'metrobike', cost: 709, tip: 250, total_cost: 959 },
    deliveries: [{ service: 'metrobike', quote_id: quote, tip: 250 }],
  });
  expect(stderr).toContain(
    'Dispatched to metrobike for $7.09 ($6.59 and a fee of $0.50), and a tip of $2.50: $9.59 in all.\n',
  );
  expect(stderr).toMatch(/Next: waybill deliveries watch dlv_\w+/);
});

test('the cheapest quote of a provider; without one nothing is written', async () => {
  const route = await quotedRoute(box);
  const before = dispatches();
  const none = await box.run(['dispatch', route, '--provider', 'nobody', '--json']);
  expect(none.exit).toBe(5);
  expect(errorOf(none.stderr)).toMatchObject({
    code: 'quote_not_found',
    choices: expect.arrayContaining(['metrobike']),
  });
  expect(dispatches()).toBe(before);
  const near = await box.run(['dispatch', route, '--provider', 'metrobik']);
  expect([near.exit, near.stderr]).toEqual([5, expect.stringContaining('Did you mean metrobike?')]);
  const line = ['dispatch', route, '--quote', 'Metrobike', '--tip', '1', '--max-cost', '12'];
  const { deliveries } = await box.json(line);
  expect(deliveries).toMatchObject([{ service: 'metrobike' }]);
  const { stdout } = await box.run(['deliveries', 'list', '--limit', '1', '-o', 'id']);
  const kept = await box.json(['deliveries', 'explain', stdout.trim()]);
  expect(kept).toMatchObject({ delivery: { service: 'metrobike', details: { max_cost: 1100 } } });
});

test('a quote of own drivers who have no room anymore is passed over, unless it is named', async () => {
  const own = await sandbox();
  const { link } = await own.json(['drivers', 'add', 'Sam', '--phone', '+13125550133']);
  const duty = (on: boolean) => tapping(own.transport, link)({ kind: 'duty', on });
  const quoted = async () => {
    await duty(true);
    const route = await quotedRoute(own);
    await duty(false);
    return route;
  };
  const preferred = await own.run(['dispatch', await quoted(), '--cheapest', '-o', 'ndjson']);
  expect(preferred.stderr).toContain('fleet can no longer be used: no driver on duty can take it');
  expect(jsonOf(preferred.stdout)).toMatchObject({ deliveries: [{ service: 'poolride' }] });
  const listed = await own.run(['deliveries', 'list', '-o', 'ndjson']);
  expect(objectsIn(listed.stdout)).toMatchObject([{ service: 'poolride' }]);
  const route = await quoted();
  const { stdout } = await own.run(['quotes', 'list', route, '-o', 'ndjson']);
  const id = String(objectsIn(stdout).find(({ provider }) => provider === 'fleet')?.id);
  expect((await own.run(['dispatch', route, '--quote', id])).exit).toBe(9);
});

test('exactly one way to choose a quote is required', async () => {
  for (const flags of [[], ['--cheapest', '--fastest'], ['--cheapest', '--quote', 'rq_1']]) {
    expect(await failureOf(box.run(['dispatch', 'rte_1', ...flags, '--json']))).toMatchObject({
      exit: 2,
      choices: ['--quote', '--cheapest', '--fastest', '--provider', '--driver'],
    });
  }
});

test('above --max-cost: exit 6 with the price, and nothing is written', async () => {
  const route = await quotedRoute(box);
  const before = dispatches();
  const dear = await box.run(['dispatch', route, '--cheapest', '--max-cost', '6.46', '--json']);
  expect(dear).toMatchObject({ exit: 6, stdout: '' });
  expect(errorOf(dear.stderr)).toMatchObject({
    code: 'above_max_cost',
    message: expect.stringContaining('$6.47'),
  });
  expect(dispatches()).toBe(before);
  expect(await box.json(['routes', 'get', route])).toMatchObject({ status: 'draft' });
  expect((await box.run(['dispatch', route, '--cheapest', '--max-cost', '6.47'])).exit).toBe(0);
});

test('an expired quote is not used, nor a worse one in its place', async () => {
  const route = await quotedRoute(box);
  box.advance(11 * 60_000);
  const rows = await box.run(['quotes', 'list', route, '-o', 'tsv', '--columns', 'id,provider,expired']);
  const [[poolride = ''] = []] = linesIn(rows.stdout).map((row) => row.split('\t'));
  expect(linesIn(rows.stdout).map((row) => row.split('\t').slice(1))).toEqual([
    ...[
      ['poolride', 'true'],
      ['metrobike', 'true'],
      ['swiftly', 'false'],
      ['haulvan', 'false'],
    ],
  ]);
  expect(rows.stderr).toContain('The cheapest has expired. Next: waybill routes quote');
  const ofOne = ['--provider', 'poolride'];
  for (const flags of [['--quote', poolride], ['--cheapest'], ofOne, [...ofOne, '--cheapest']]) {
    const { exit, stderr } = await box.run(['dispatch', route, ...flags, '--json']);
    expect([exit, errorOf(stderr)]).toMatchObject([
      6,
      { code: 'quote_expired', next: [{ args: ['routes', 'quote', route, '--watch'] }] },
    ]);
  }
  const { stderr } = await box.run(['dispatch', route, '--cheapest']);
  expect(stderr).toContain("has expired: poolride's $6.47. The next one is swiftly's $8.53.");
  expect(await box.json(['dispatch', route, '--quote', 'fastest'])).toMatchObject({
    deliveries: [{ service: 'swiftly' }],
  });
  const again = await box.run(['dispatch', route, '--cheapest', '--json']);
  expect([again.exit, errorOf(again.stderr)]).toMatchObject([6, { code: 'route_not_draft' }]);
});

test('in a terminal Enter takes no dearer quote than the one that has expired', async () => {
  const route = await quotedRoute(box);
  box.advance(11 * 60_000);
  const prompts = person([['Choose a quote', 'None of them']]);
  expect((await box.run(['dispatch', route], { tty: true, prompts })).exit).toBe(3);
  expect(prompts.asked[0]?.initial).toBe('None of them');
});

/** Quotes of 5, 7, 9 dollars that arrive after 30, 20, 10 minutes; the first two are of one provider. */
const offers = [
  { provider: 'a', cost_of_delivery: 500, minutes: 30 },
  { provider: 'a', cost_of_delivery: 700, minutes: 20 },
  { provider: 'b', cost_of_delivery: 900, minutes: 10 },
];

test.each<[Preference, number[], number | 'quote_expired']>([
  ['cheapest', [], 500],
  ['cheapest', [500], 'quote_expired'],
  ['cheapest', [500, 700], 'quote_expired'],
  ['cheapest', [700, 900], 500],
  ['fastest', [], 900],
  ['fastest', [900], 'quote_expired'],
  ['fastest', [500, 700], 900],
  [{ provider: 'a' }, [], 500],
  [{ provider: 'a' }, [500], 'quote_expired'],
  [{ provider: 'a' }, [700, 900], 500],
  [{ provider: 'b' }, [500, 700], 900],
  ['cheapest', [500, 700, 900], 'quote_expired'],
])('%j with the quotes %j expired: %s', (preference, expired, expected) => {
  const now = Date.parse(at);
  const data = offers.map(({ minutes, ...offer }) => ({
    ...{
      ...quote,
      object: 'route_quote' as const,
      currency: 'USD' as const,
      id: `rq_${offer.cost_of_delivery}`,
      service_fee: 0,
      ...offer,
    },
    dropoff_eta: new Date(now + minutes * 60_000).toISOString(),
    expires_at: new Date(now + (expired.includes(offer.cost_of_delivery) ? 0 : 60_000)).toISOString(),
  }));
  const choose = () =>
    chooseQuote(
      'rte_1',
      { object: 'route_quotes', status: 'COMPLETE', data },
      { preference, lateOk: false },
      now,
    ).cost_of_delivery;
  if (expected !== 'quote_expired') return expect(choose()).toBe(expected);
  expect(choose).toThrow(expect.objectContaining({ code: 'quote_expired', exit: 6 }));
});

const at = '2026-03-02T10:00:00.000Z';
const quote = {
  ...{ id: 'rq_1', object: 'route_quote', cost_of_delivery: 659, service_fee: 50, provider: 'metrobike' },
  ...{ account_id: 'acct_1', route_id: 'rte_1', expires_at: null, currency: 'USD' },
  ...{ pickup_eta: at, dropoff_eta: at, created_at: at },
};
const delivery = {
  ...{ id: 'dlv_1', status: 'failed', failure_reason: 'provider_refused', failure_message: 'no capacity' },
  ...{ dropoffs: [], items: [], proof_of_delivery: [] },
};

/** A service with a key of the given mode, whose provider refuses. */
function refusing(test_mode: boolean): { transport: Transport; posted: string[] } {
  const posted: string[] = [];
  const route = {
    ...{ id: 'rte_1', object: 'route', status: 'dispatched', order_ids: ['ord_1'], stops: [] },
    distance_miles: 1,
    ...{ test_mode, created_at: at, updated_at: at, deliveries: [{ ...delivery, test_mode }] },
  };
  const transport: Transport = async ({ method, path }) => {
    if (method === 'POST') posted.push(path);
    const quotes = { object: 'route_quotes', status: 'COMPLETE', data: [quote] };
    const looked = path.endsWith('/rte_1') ? { ...route, order_ids: [] } : quotes;
    const body =
      path === '/v2/account'
        ? { ...account, test_mode, sandbox: test_mode }
        : method === 'POST'
          ? route
          : looked;
    return { status: 200, headers: { 'x-service-time': at }, body: JSON.stringify(body) };
  };
  return { transport, posted };
}

test('a delivery that fails at once is exit 9, shown with its reason', async () => {
  const { transport } = refusing(true);
  const { stdout, stderr, exit } = await waybill(['dispatch', 'rte_1', '--cheapest', '--json'], {
    transport,
  });
  expect(exit).toBe(9);
  expect(jsonOf(stdout)).toMatchObject({ deliveries: [{ id: 'dlv_1', status: 'failed' }] });
  const people = await waybill(['dispatch', 'rte_1', '--cheapest'], { transport });
  expect(people.exit).toBe(9);
  expect(people.stderr).toContain('dlv_1 failed: no capacity. Nothing is charged for it.');
  expect(people.stderr).not.toContain('Dispatched to');
  expect(stderr).not.toContain('internal');
});

test('in live mode a person confirms the price, or --yes with --max-cost does', async () => {
  const { transport, posted } = refusing(false);
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_live_madeup' };
  const live = { transport, env };
  const line = ['dispatch', 'rte_1', '--cheapest'];
  const alone = await waybill([...line, '--yes', '--json'], live);
  expect([alone.exit, errorOf(alone.stderr).missing]).toEqual([2, ['--yes', '--max-cost']]);
  const unconfirmed = await waybill([...line, '--max-cost', '9', '--json'], live);
  expect([unconfirmed.exit, errorOf(unconfirmed.stderr).missing]).toEqual([2, ['--yes']]);
  expect((await waybill(line, { ...live, tty: true, answers: [false] })).exit).toBe(3);
  expect((await waybill([...line, '--yes'], { ...live, tty: true, answers: [false] })).exit).toBe(3);
  expect(posted).toEqual([]);
  expect((await waybill([...line, '--yes', '--max-cost', '9'], live)).exit).toBe(9);
  expect((await waybill(line, { ...live, tty: true, answers: [true] })).exit).toBe(9);
  expect(posted).toHaveLength(2);
});

test('the confirmed price includes the tip, also those of the orders', async () => {
  const route = await quotedRoute(box, '--tip', '1.50');
  for (const [flags, price] of [
    [[], '$7.97 (includes $1.50 tip)'],
    [['--tip', '2'], '$8.47 (includes $2.00 tip)'],
    [['--tip', '0'], '$6.47'],
  ] as const) {
    const prompts = person([[`Dispatch to poolride for ${price}, for real money`, 'no']]);
    const line = ['dispatch', route, '--cheapest', ...flags];
    const { exit } = await box.run(line, { ...liveService(box.transport), tty: true, prompts });
    expect([exit, prompts.left()]).toEqual([3, 0]);
  }
});

test('in a terminal without a quote it asks for the route, shows the quotes and asks for one', async () => {
  const route = await quotedRoute(box);
  const nobody = person([['Choose a quote', 'None of them']]);
  const none = await box.run(['dispatch', route], { tty: true, prompts: nobody });
  expect([none.exit, none.stderr]).toEqual([3, expect.stringContaining('Nothing was dispatched')]);
  const prompts = person([
    ['', route],
    ['Choose a quote', 'metrobike, $7.09'],
  ]);
  const { exit, stdout } = await box.run(['dispatch'], { tty: true, prompts });
  expect([exit, stdout]).toEqual([0, expect.stringContaining('metrobike')]);
  expect(prompts.asked[1]?.choices[0]).toMatch(
    /^poolride, \$6\.47 \(\$5\.99 \+ \$0\.48\), arrives .*, \d+:\d\d left$/,
  );
  expect(prompts.asked[1]?.choices.at(-1)).toBe('None of them');
});
