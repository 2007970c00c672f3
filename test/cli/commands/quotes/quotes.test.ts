import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import { now } from '../../../../src/cli/kit/system/streams.ts';
import { errorOf, jsonOf } from '../../harness.ts';
import { newOrder, quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();

async function draft(...flags: string[]): Promise<string> {
  return String((await box.json(['routes', 'create', await newOrder(box, ...flags)])).id);
}

test('a request responds with the job', async () => {
  const job = await box.json(['routes', 'quote', await draft()]);
  expect(job).toEqual({ job_id: expect.stringMatching(/^job_/), object: 'job' });
});

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
  expect(head).toMatch(/^id,provider,cost_of_delivery,service_fee,total,dropoff_eta,expires_at,/);
  expect(rows.map((row) => row.split(',').slice(1, 5).join(' '))).toEqual([
    ...['poolride 599 48 647', 'metrobike 659 50 709', 'swiftly 799 54 853', 'haulvan 2499 103 2602'],
  ]);
});

test('remaining time counts from the service’s clock', async () => {
  const route = await quotedRoute(box);
  const left = async (ms: number) => {
    box.advance(ms);
    const options = { tty: true, columns: 200, env: { NO_COLOR: '1' } };
    const { stdout } = await box.run(['quotes', 'list', route], options);
    const [table = ''] = stdout.split('\n\n');
    const rows = table.trim().split('\n').slice(1);
    return rows.map((row) => row.split(/ {2,}/).at(-1));
  };
  expect(await left(0)).toEqual(['9 min', '4 min', '14 min', '59 min']);
  expect(await left(5 * 60_000)).toEqual(['4 min', 'expired', '9 min', '54 min']);
});

test('programs get the expiry as an instant, and no text', async () => {
  const { stdout } = await box.run(['quotes', 'list', await quotedRoute(box), '-o', 'tsv']);
  for (const row of stdout.trim().split('\n')) {
    expect(row.split('\t').slice(5)).toEqual(Array(2).fill(expect.stringMatching(/^\d{4}-.*Z$/)));
  }
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
  expect(await next()).toContain(`Next: waybill dispatch ${route} --cheapest`);
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

test('people see the job when they request quotes', async () => {
  const { stdout } = await box.run(['routes', 'quote', await draft()]);
  expect(stdout).toMatch(/^job_id\tjob_\w+\n$/);
});

test('--wait polls again after 2 s, and prints one document', async () => {
  const route = await draft();
  const before = box.requests.length;
  setTimeout(() => box.advance(10_000), 300);
  const wrapper = await box.json(['routes', 'quote', route, '--wait']);
  expect(wrapper).toMatchObject({ object: 'route_quotes', status: 'COMPLETE' });
  expect(box.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
    ...[`POST /v2/routes/${route}/quotes`, 'GET /v2/sandbox/clock'],
    `GET /v2/routes/${route}/quotes`,
  ]);
});

test('--watch --json is a line for each change, each with its type', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  setTimeout(() => box.advance(10_000), 300);
  const { stdout, exit } = await box.run(['quotes', 'list', route, '--watch', '--json']);
  expect(exit).toBe(0);
  const lines = stdout.trim().split('\n').map(jsonOf);
  expect(lines).toMatchObject([
    { type: 'route_quotes.pending', object: 'route_quotes', status: 'PENDING', data: null },
    { type: 'route_quotes.completed', object: 'route_quotes', status: 'COMPLETE' },
  ]);
});

test('polls without changes print nothing', async () => {
  const line = ['quotes', 'list', await draft(), '--watch', '--timeout', '30ms', '--json'];
  const before = box.requests.length;
  const { stdout, exit } = await box.run(line, { now });
  expect(exit).toBe(8);
  expect(box.requests.slice(before).length).toBeGreaterThan(1);
  expect(jsonOf(stdout)).toMatchObject({ type: 'route_quotes.pending' });
});

test.each(['--wait', '--watch'])('%s: exit 8 after the time-out', async (flag) => {
  const line = ['quotes', 'list', await draft(), flag, '--timeout', '0s', '--json'];
  const { exit, stderr } = await box.run(line);
  expect([exit, errorOf(stderr).code]).toEqual([8, 'quotes_not_ready']);
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
  expect(people).toMatchObject({ exit: 9, stdout: 'COMPLETE\t0\n' });
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

test('--watch in a pipe is a line for each change: pending, then complete with a line for each quote', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  setTimeout(() => box.advance(10_000), 300);
  const { stdout, exit } = await box.run(['quotes', 'list', route, '--watch']);
  expect(exit).toBe(0);
  const [first, second, ...quotes] = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect([first, second]).toEqual([['PENDING'], ['COMPLETE', '4']]);
  expect(quotes.map(([, provider, total]) => [provider, total])).toEqual([
    ...[
      ['poolride', '$6.47'],
      ['metrobike', '$7.09'],
      ['swiftly', '$8.53'],
      ['haulvan', '$26.02'],
    ],
  ]);
  const ids = await box.run(['quotes', 'list', route, '--watch', '-o', 'id']);
  expect(ids.stdout.trim().split('\n')).toEqual(quotes.map(([id]) => id));
});

test('--watch in a terminal redraws the table with the elapsed time and the time left, until q', async () => {
  const route = await draft();
  await box.json(['routes', 'quote', route]);
  const started = now();
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
  const keys = async (pressed: (key: string) => void) => {
    press = pressed;
    return () => {};
  };
  const sleep = async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    box.advance(ms);
    if (texts.filter((text) => text.includes('TIME LEFT')).length === 90) press('q');
  };
  const options = { tty: true, columns: 200, env: { NO_COLOR: '1' }, spinner, keys, sleep };
  const { stdout, exit } = await box.run(['quotes', 'list', route, '--watch'], options);
  expect(exit).toBe(0);
  const tables = texts.filter((text) => text.includes('TIME LEFT'));
  expect(tables).toHaveLength(90);
  expect(tables[0]).toMatch(/^Quotes after \d+ s\. Press q to end\.\nID +PROVIDER/);
  const left = (text: string) => /metrobike.* (\S+ (?:min|s))\s*$/m.exec(text)?.[1];
  expect(left(tables.at(-1) ?? '')).not.toBe(left(tables[0] ?? ''));
  expect(stdout).toContain('poolride');
  expect(now() - started).toBeLessThan(15_000);
});
