import { expect, test } from 'vitest';
import { quoteChoices } from '../../../../src/cli/flow/agreed-quote.ts';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import type { PlotCharset } from '../../../../src/cli/kit/result/result.ts';
import { now } from '../../../../src/cli/kit/system/streams.ts';
import { separateNotes } from '../../../../src/cli/nouns/quote.ts';
import { quotePlot } from '../../../../src/cli/nouns/quote-plot.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import type { RouteQuote, RouteQuotes } from '../../../../src/contract/routes.ts';
import { errorOf, jsonOf, linesIn, objectsIn, type RunOptions, rowsIn } from '../../harness.ts';
import { newOrder, orderLine, quotedRoute, sandbox } from '../../sandbox.ts';
import { hosted } from '../../waiting/hosted.ts';

const box = await sandbox();

async function draft(...flags: string[]): Promise<string> {
  return String((await box.json(['routes', 'create', await newOrder(box, ...flags)])).id);
}

test('while pending: exit 8, with the response on stdout in JSON and the next command on stderr', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  const { stdout, stderr, exit } = await box.run(['quotes', 'list', route, '--json']);
  expect(exit).toBe(8);
  expect(jsonOf(stdout)).toEqual({ object: 'route_quotes', status: 'PENDING', data: null });
  expect(errorOf(stderr)).toMatchObject({ code: 'quotes_not_ready', category: 'pending' });
  const people = await box.run(['quotes', 'list', route]);
  expect(people).toMatchObject({ exit: 8, stdout: '' });
  expect(people.stderr).toContain(`waybill quotes list ${route} --watch`);
});

test('when complete: the response in JSON, cheapest first for people', async () => {
  const route = await quotedRoute(box);
  const wrapper = await box.json(['quotes', 'list', route]);
  expect(wrapper).toMatchObject({ object: 'route_quotes', status: 'COMPLETE' });
  const { stdout } = await box.run(['quotes', 'list', route, '-o', 'csv']);
  const [head = '', ...rows] = stdout.trim().split(/\r?\n/);
  expect(head).toMatch(
    /^id,provider,cost_of_delivery_cents,service_fee_cents,total_cents,dropoff_eta,expires_at,/,
  );
  expect(rows.map((row) => row.split(',').slice(1, 5).join(' '))).toEqual([
    ...['poolride 599 48 647', 'metrobike 659 50 709', 'swiftly 799 54 853', 'haulvan 2499 103 2602'],
  ]);
});

test.each([
  [
    ['--sort', 'fastest'],
    ['swiftly', 'poolride'],
  ],
  [
    ['--sort', 'pickup_eta:asc'],
    ['swiftly', 'poolride'],
  ],
  [
    ['--sort', 'price:desc'],
    ['haulvan', 'swiftly'],
  ],
  [['--filter', 'total < 7'], ['poolride']],
])('%j shows these quotes, also when they are requested and watched', async (flags, providers) => {
  const route = await quotedRoute(box);
  const of = (stdout: string) =>
    rowsIn(stdout)
      .map(([, provider]) => provider)
      .slice(0, 2);
  const named = async (...line: string[]) =>
    of((await box.run([...line, route, ...flags], box.passing)).stdout);
  expect(await named('quotes', 'list')).toEqual(providers);
  expect(await named('routes', 'quote')).toEqual(providers);
  expect(await box.json(['quotes', 'list', route, ...flags])).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ provider: providers[0] })]),
  });
  expect(await named('quotes', 'list', '--watch')).toEqual(providers);
  const { stdout } = await box.run(['quotes', 'list', route, ...flags], { tty: true, columns: 140 });
  expect(stdout).toMatch(/Pickup ETA/i);
});

test('remaining time counts from the service’s clock', async () => {
  const route = await quotedRoute(box);
  const left = async (ms: number) => {
    box.advance(ms);
    const options = { tty: true, columns: 200, env: { NO_COLOR: '1' } };
    const { stdout } = await box.run(['quotes', 'list', route], options);
    const [table = ''] = stdout.split('\n\n');
    const rows = linesIn(table).slice(1);
    return rows.map((row) => row.split(/ {2,}/).at(-1));
  };
  expect(await left(0)).toEqual(['9 min', '4 min', '14 min', '59 min']);
  expect(await left(5 * 60_000)).toEqual(['4 min', 'expired', '9 min', '54 min']);
});

test('a quote without an expiry is shown, kept and dispatched as one', async () => {
  const route = await draft('--ref', 'Q-9', '--dropoff-at', '30h');
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  const expiry = (line: readonly string[]) => box.run([...line, '-o', 'csv']).then(({ stdout }) => stdout);
  for (const line of [
    ['quotes', 'list', route],
    ['quotes', 'list', route, '--watch'],
  ])
    expect(await expiry(line)).toMatch(/^[^,]+,nightowl,\d+,\d+,\d+,[^,]+,,false,/m);
  const { data } = Object(await box.json(['quotes', 'list', route]));
  expect(data).toContainEqual(expect.objectContaining({ provider: 'nightowl', expires_at: null }));
  box.advance(10 * 3_600_000);
  const options = { tty: true, columns: 200, env: { NO_COLOR: '1' } };
  const { stdout } = await box.run(['quotes', 'list', route], options);
  expect(stdout).toMatch(/nightowl.*no limit/);
  expect(stdout).toMatch(/poolride.*expired/);
  const [{ id }] = data.filter(({ provider }: RouteQuote) => provider === 'nightowl');
  await box.json(['dispatch', route, '--quote', id]);
  expect(await box.json(['deliveries', 'explain', 'Q-9'])).toMatchObject({
    delivery: { service: 'nightowl' },
  });
});

test('in 80 columns prices are aligned; left-out columns are named once, to people', async () => {
  const route = await quotedRoute(box);
  const options = { tty: true, columns: 80, env: { NO_COLOR: '1' } };
  const { stdout, stderr } = await box.run(['quotes', 'list', route], options);
  expect(stdout).toMatch(/^ID +PROVIDER +TOTAL +DROPOFF ETA +TIME LEFT\n/);
  expect(stdout).toContain('rq_');
  expect(stderr.match(/-o wide shows all columns\./g)).toHaveLength(1);
  expect((await box.run(['quotes', 'list', route, '-q'], options)).stderr).toBe('');
  const wide = await box.run(['quotes', 'list', route], { ...options, columns: 200 });
  expect(wide.stdout).toContain('COST');
  expect(wide.stderr).not.toContain('-o wide');
});

test('the next command fits: dispatch, request again, or show the route', async () => {
  const route = await quotedRoute(box);
  const next = async () => (await box.run(['quotes', 'list', route])).stderr;
  expect(await next()).toMatch(
    new RegExp(`^Next: waybill dispatch ${route} --quote rq_\\w+ --max-cost DOLLARS, or another --quote`),
  );
  const late = await quotedRoute(box);
  await box.run(['dispatch', route, '--cheapest']);
  expect(await next()).toBe(`The route is dispatched. See it: waybill routes get ${route}\n`);
  box.advance(2 * 3_600_000);
  const expired = await box.run(['quotes', 'list', late]);
  expect(expired.stderr).toBe(`All of them have expired. Next: waybill routes quote ${late} --watch\n`);
});

test('a timeout after a new request says so, and does not suggest to request again', async () => {
  const line = ['routes', 'quote', await draft(), '--wait', '--timeout', '20ms', '--json'];
  const { exit, stderr } = await box.run(line, { now });
  const error = errorOf(stderr);
  expect([exit, error.message]).toEqual([8, expect.stringContaining('Time ran out after 20ms')]);
  expect(error.next).toMatchObject([{ when: 'wait for them' }]);
  const look = await box.run(['quotes', 'list', await draft()]);
  expect(look.stderr).toContain('if no quotes were requested yet');
});

test('--watch --json is a line for each change, each with its type', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  setTimeout(() => box.advance(10_000), 300);
  const { stdout, exit } = await box.run(['quotes', 'list', route, '--watch', '--json']);
  expect(exit).toBe(0);
  const lines = objectsIn(stdout);
  expect(lines).toMatchObject([
    { type: 'route_quotes.pending', object: 'route_quotes', status: 'PENDING', data: null },
    { type: 'route_quotes.completed', object: 'route_quotes', status: 'COMPLETE' },
  ]);
});

test('no provider accepts: reasons on stderr, exit 9', async () => {
  const route = await draft('--dropoff-address', '350 5th Ave, New York, NY 10118');
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  const { stdout, stderr, exit } = await box.run(['quotes', 'list', route, '--json']);
  expect(exit).toBe(9);
  expect(jsonOf(stdout)).toMatchObject({ status: 'COMPLETE', data: [] });
  expect(errorOf(stderr)).toMatchObject({ code: 'no_quotes', category: 'outcome' });
  const people = await box.run(['quotes', 'list', route, '--watch']);
  expect(people).toMatchObject({ exit: 9, stdout: '' });
  expect(people.stderr).toMatch(/^ {2}metrobike: distance [\d.]+ mi exceeds its 3 mi limit$/m);
  expect(people.stderr.match(/metrobike/g)).toHaveLength(1);
  const reasons = expect.arrayContaining([
    expect.objectContaining({ provider: 'metrobike', code: 'too_far' }),
  ]);
  const dispatch = await box.run(['dispatch', route, '--cheapest', '--json']);
  expect(errorOf(dispatch.stderr).reasons).toEqual(reasons);
  const watched = await box.run(['quotes', 'list', route, '--watch', '--json']);
  expect(watched.exit).toBe(9);
  expect(jsonOf(watched.stdout)).toMatchObject({ type: 'route_quotes.completed', data: [] });
});

test.each([40, 60, 80, 200])('in %d columns bars are below the quotes, and fit', async (columns) => {
  const line = ['quotes', 'list', await quotedRoute(box)];
  const options = { tty: true, columns, env: { NO_COLOR: '1', LANG: 'C.UTF-8' } };
  const { stdout } = await box.run(line, options);
  const [plot = ''] = stdout.split('\n\n').slice(-1);
  expect(plot).toMatch(/^ +PRICE[\s\S]*^poolride +\$6\.47 █/m);
  expect(plot.includes('TO PICKUP AND DROPOFF')).toBe(columns > 40);
  for (const row of plot.split('\n')) expect(displayWidth(row)).toBeLessThanOrEqual(columns);
  const accessible = await box.run([...line, '--accessible'], options);
  expect(accessible.stdout).not.toContain('PRICE');
  expect((await box.run([...line, '-o', 'table'])).stdout).not.toContain('PRICE');
});

test('--watch in a pipe has the rows of quotes list once they are complete', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  setTimeout(() => box.advance(10_000), 300);
  const { stdout, exit } = await box.run(['quotes', 'list', route, '--watch']);
  expect(exit).toBe(0);
  const quotes = rowsIn(stdout);
  expect(quotes.map(([, provider, , , total]) => [provider, total])).toEqual([
    ...[
      ['poolride', '647'],
      ['metrobike', '709'],
      ['swiftly', '853'],
      ['haulvan', '2602'],
    ],
  ]);
  const ids = await box.run(['quotes', 'list', route, '--watch', '-o', 'id']);
  expect(linesIn(ids.stdout)).toEqual(quotes.map(([id]) => id));
});

test('--watch in a terminal redraws the table with the elapsed time and the time left, until q', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  const texts: string[] = [];
  let press = (_key: string) => {};
  const spinner = async (text: string) => ({
    get text() {
      return text;
    },
    set text(next: string) {
      text = next;
      texts.push(next);
    },
    stop: () => {},
  });
  const onKeys = async (pressed: (key: string) => void) => {
    press = pressed;
    return () => {};
  };
  const sleep = async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    box.advance(ms);
    if (texts.filter((text) => text.includes('TIME LEFT')).length === 90) press('q');
  };
  const options = { tty: true, columns: 200, env: { NO_COLOR: '1' }, spinner, onKeys, sleep };
  const { stdout, exit } = await box.run(['quotes', 'list', route, '--watch'], options);
  expect(exit).toBe(0);
  const tables = texts.filter((text) => text.includes('TIME LEFT'));
  expect(tables).toHaveLength(90);
  expect(tables[0]).toMatch(/^Quotes after \d+ s\. Press q to end\.\nID +PROVIDER/);
  const left = (text: string) => /metrobike.* (\S+ (?:min|s))\s*$/m.exec(text)?.[1];
  expect(left(tables.at(-1) ?? '')).not.toBe(left(tables[0] ?? ''));
  expect(stdout).toContain('poolride');
});

const noon = Date.parse('2026-03-02T12:00:00.000Z');
const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

function quote(
  provider: string,
  cents: number,
  [pickup, dropoff]: [number, number],
  expires = 10,
): RouteQuote {
  return {
    ...{ id: `rq_${provider}`, object: 'route_quote', provider, account_id: 'acct_1', route_id: 'rte_1' },
    ...{ cost_of_delivery: cents - 50, service_fee: 50, currency: 'USD', created_at: at(0) },
    ...{ pickup_eta: at(pickup), dropoff_eta: at(dropoff), expires_at: at(expires) },
  };
}

const plotted = [
  quote('poolride', 647, [12, 31]),
  quote('metrobike', 709, [6, 19], -1),
  quote('haulvan', 2602, [25, 50]),
];

function drawn(room: number, plotCharset: PlotCharset, of = plotted): string[] {
  return quotePlot(of, { plotCharset, room, now: noon, dim: (text) => text })?.split('\n') ?? [];
}

test('a quote without a known price has no bar, and the bars of the others are as before', () => {
  const unknown = { ...quote('slowco', 0, [12, 31]), service_fee: Number.NaN };
  const [, poolride = '', slowco = ''] = drawn(80, 'ascii', [quote('poolride', 647, [12, 31]), unknown]);
  expect(poolride).toContain('$6.47 ###');
  expect(slowco).not.toContain('#   ');
});

test('price from zero to the most expensive, time from now to pickup and dropoff', () => {
  expect(drawn(80, 'ascii')).toEqual([
    '            PRICE                   TO PICKUP AND DROPOFF',
    'poolride    $6.47 ####              12 min .......############            31 min',
    'metrobike   $7.09 expired',
    'haulvan    $26.02 ###############   25 min ...............############### 50 min',
  ]);
  expect(drawn(60, 'blocks')).toEqual([
    '            PRICE            TO PICKUP AND DROPOFF',
    'poolride    $6.47 ██         12 min ░░░░███████       31 min',
    'metrobike   $7.09 expired',
    'haulvan    $26.02 ████████   25 min ░░░░░░░░░████████ 50 min',
  ]);
});

test('with less room the times go first, then all of it; one quote has no comparison', () => {
  expect(drawn(40, 'blocks')).toEqual([
    '            PRICE',
    'poolride    $6.47 █████▌',
    'metrobike   $7.09 expired',
    'haulvan    $26.02 ██████████████████████',
  ]);
  expect(drawn(24, 'ascii')).toEqual([]);
  expect(drawn(80, 'ascii', plotted.slice(0, 1))).toEqual([]);
});

test('no line is wider than the terminal, at any width', () => {
  for (let room = 10; room <= 200; room += 1)
    for (const plotCharset of ['ascii', 'blocks'] as const)
      for (const line of drawn(room, plotCharset)) expect(displayWidth(line)).toBeLessThanOrEqual(room);
});

const noonText = '2026-01-01T12:00:00.000Z';
const one: RouteQuote = {
  ...{ id: 'rq_1', object: 'route_quote', provider: 'swiftly', account_id: 'acct_1', route_id: 'rte_1' },
  ...{ cost_of_delivery: 700, service_fee: 0, currency: 'USD' },
  ...{ pickup_eta: noonText, dropoff_eta: noonText, created_at: noonText, expires_at: null },
};
const two: RouteQuote = {
  ...{ ...one, id: 'rq_2', provider: 'uber-direct' },
  ...{ cost_of_delivery: 1400, separate_deliveries: 2 },
};

test('a courier that makes separate deliveries of a route is named below the quotes', () => {
  expect(separateNotes([one, two])).toEqual([
    'uber-direct makes 2 separate deliveries of the route, possibly by 2 drivers, and its price is their sum.',
  ]);
});

test('and in the choice of a quote', () => {
  const quotes: RouteQuotes = { object: 'route_quotes', status: 'COMPLETE', data: [two, one] };
  const choices = quoteChoices(quotes, { now: Date.parse(noonText), times: null, zone: 'UTC' });
  expect(choices.map(({ name }) => name)).toEqual([
    expect.stringContaining('swiftly, $7.00, arrives'),
    expect.stringContaining('uber-direct, $14.00 for 2 separate deliveries, arrives'),
  ]);
});

const still = await sandbox();
await still.json(['sandbox', 'clock', 'manual']);

const hint_text = 'The clock of this sandbox is stopped. In another terminal: waybill sandbox advance --next';
const advance = {
  command: 'waybill sandbox advance --next',
  args: ['sandbox', 'advance', '--next'],
  when: 'move its clock',
};

async function stillDraft(): Promise<string> {
  return String((await still.json(['routes', 'create', await newOrder(still)])).id);
}

/** Options for a command whose waits pass, while the service's clock is stopped. */
function waiting(): RunOptions {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return { sleep, now: () => now };
}

test.each([
  ['routes quote', '--wait'],
  ['quotes list', '--watch'],
  ['quotes wait', '--interval=2s'],
])('on a stopped clock %s %s says so once', async (command, flag) => {
  const route = await stillDraft();
  const line = [...command.split(' '), route, flag, '--timeout', '1m'];
  if (command !== 'routes quote') {
    const { exit, stderr } = await still.run([...line, '--json'], waiting());
    expect([exit, errorOf(stderr)]).toMatchObject([
      8,
      {
        message: `No quotes of ${route} were requested yet.`,
        next: [{ command: expect.stringContaining('routes quote') }],
      },
    ]);
    await still.json(['routes', 'quote', route]);
  }
  const people = await still.run(line, waiting());
  expect([people.exit, people.stderr.split(hint_text).length]).toEqual([8, 2]);
  const { stderr } = await still.run([...line, '--json'], waiting());
  const { hint, next } = errorOf(stderr);
  expect([hint, next, stderr.split(hint_text).length]).toEqual([
    undefined,
    expect.arrayContaining([advance]),
    2,
  ]);
});

test.each(['routes quote ROUTE --wait', 'routes quote ROUTE --watch --json', 'ship'])(
  'over HTTP quotes are polled at most every 2 s, unless an event announces them: %s',
  async (line) => {
    const { box, run } = await hosted();
    const route = String((await box.json(['routes', 'create', await newOrder(box)])).id);
    const polled: number[] = [];
    let requested = 0;
    const around: Transport = async (request) => {
      const answer = await box.transport(request);
      const at = Date.parse(answer.headers['x-service-time'] ?? '');
      if (!request.path.endsWith('/quotes')) return answer;
      if (request.method === 'POST') requested = at;
      else if (!answer.body.includes('"COMPLETE"')) polled.push(at - requested);
      return answer;
    };
    const words =
      line === 'ship'
        ? ['ship', ...orderLine.slice(2), '--cheapest']
        : line.replace('ROUTE', route).split(' ');
    const { exit, stderr } = await run(words, { around });
    expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
    // A poll that finds quotes may come sooner, after an event.
    expect(polled.filter((ms) => ms < 2000)).toEqual([]);
  },
);

test.each(['600', '60', '3600'])('ship dispatches on a clock that runs %s times as fast', async (rate) => {
  const box = await sandbox();
  await box.json(['sandbox', 'clock', 'scaled', '--rate', rate]);
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    box.advance(ms);
  };
  const line = ['ship', ...orderLine.slice(2), '--cheapest', '--json'];
  const { exit, stderr } = await box.run(line, { sleep });
  expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
  expect(Math.max(...slept)).toBeLessThan(2000);
});

test('a route is found by the reference of an order in it, if that is one route', async () => {
  const other = await sandbox();
  const route = await quotedRoute(other, '--ref', '#77');
  const quotes = await other.json(['quotes', 'list', route]);
  expect(await other.json(['quotes', 'list', '77'])).toEqual(quotes);
  const routed = (await other.run(['orders', 'list', '-o', 'id'])).stdout.trim();
  expect(await other.json(['quotes', 'wait', routed])).toEqual(quotes);
  const { deliveries } = await other.json(['dispatch', '#77', '--cheapest']);
  expect(deliveries).toMatchObject([{ external_order_ref: '#77' }]);
  const order = await newOrder(other, '--ref', 'B');
  const none = await other.run(['quotes', 'list', 'B']);
  expect([none.exit, none.stderr]).toEqual([
    5,
    expect.stringContaining(`The order "B" (${order}) is in no route.`),
  ]);
  expect(none.stderr).toContain(`waybill routes create ${order}`);
  expect((await other.run(['dispatch', order, '--cheapest'])).stderr).toContain(
    `The order ${order} is in no`,
  );
  await other.json(['orders', 'cancel', order, '--yes']);
  const ended = await other.run(['quotes', 'list', order]);
  expect(ended.stderr).toContain(`waybill orders get ${order}`);
  expect(ended.stderr).not.toContain('routes create');
  const more = await quotedRoute(other, '--ref', '#77');
  const several = await other.run(['dispatch', '#77', '--cheapest', '--json']);
  expect(several.exit).toBe(2);
  expect(errorOf(several.stderr)).toMatchObject({ choices: expect.arrayContaining([route, more]) });
});
