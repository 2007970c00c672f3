import { expect, test } from 'vitest';
import { now } from '../../../src/cli/ports/clock.ts';
import { errorOf, jsonOf } from '../harness.ts';
import { newOrder, quotedRoute, sandbox } from '../sandbox.ts';

const box = await sandbox();

async function draft(...flags: string[]): Promise<string> {
  return String((await box.json(['routes', 'create', await newOrder(box, ...flags)])).id);
}

test('asking answers with the job', async () => {
  const job = await box.json(['routes', 'quote', await draft()]);
  expect(job).toEqual({ job_id: expect.stringMatching(/^job_/), object: 'job' });
});

test('while pending: exit 8, with the wrapper on stdout in JSON and what to do on stderr', async () => {
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

test('when complete: the wrapper unchanged in JSON, cheapest first for people', async () => {
  const route = await quotedRoute(box);
  const wrapper = await box.json(['quotes', 'list', route]);
  expect(wrapper).toMatchObject({ object: 'route_quotes', status: 'COMPLETE' });
  const { stdout } = await box.run(['quotes', 'list', route, '-o', 'csv']);
  const [head = '', ...rows] = stdout.trim().split(/\r?\n/);
  expect(head).toMatch(/^id,provider,cost_of_delivery,service_fee,total,dropoff_eta,time_left,/);
  expect(rows.map((row) => row.split(',').slice(1, 5).join(' '))).toEqual([
    ...['poolride 599 48 647', 'metrobike 659 50 709', 'swiftly 799 54 853', 'haulvan 2499 103 2602'],
  ]);
});

test("time left is counted from the service's clock", async () => {
  const route = await quotedRoute(box);
  const left = async (ms: number) => {
    box.advance(ms);
    const { stdout } = await box.run(['quotes', 'list', route, '-o', 'tsv']);
    return stdout
      .trim()
      .split('\n')
      .map((row) => row.split('\t')[6]);
  };
  expect(await left(0)).toEqual(['9 min', '4 min', '14 min', '59 min']);
  expect(await left(5 * 60_000)).toEqual(['4 min', 'expired', '9 min', '54 min']);
});

test('--wait goes on looking, 2 s after it asked, and answers with one document', async () => {
  const route = await draft();
  const before = box.requests.length;
  setTimeout(() => box.advance(10_000), 300);
  const wrapper = await box.json(['routes', 'quote', route, '--wait']);
  expect(wrapper).toMatchObject({ object: 'route_quotes', status: 'COMPLETE' });
  expect(box.requests.slice(before).map(({ method }) => method)).toEqual(['POST', 'GET']);
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

test('looks that bring nothing new are no line', async () => {
  const line = ['quotes', 'list', await draft(), '--watch', '--timeout', '30ms', '--json'];
  const before = box.requests.length;
  const { stdout, exit } = await box.run(line, { now });
  expect(exit).toBe(8);
  expect(box.requests.slice(before).length).toBeGreaterThan(1);
  expect(jsonOf(stdout)).toMatchObject({ type: 'route_quotes.pending' });
});

test.each(['--wait', '--watch'])('%s: when the time runs out it is exit 8', async (flag) => {
  const line = ['quotes', 'list', await draft(), flag, '--timeout', '0s', '--json'];
  const { exit, stderr } = await box.run(line);
  expect([exit, errorOf(stderr).code]).toEqual([8, 'quotes_not_ready']);
});

test('no provider takes it: the reasons on stderr, exit 9', async () => {
  const route = await draft('--dropoff-address', '350 5th Ave, New York, NY 10118');
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  const { stdout, stderr, exit } = await box.run(['quotes', 'list', route, '--json']);
  expect(exit).toBe(9);
  expect(jsonOf(stdout)).toMatchObject({ status: 'COMPLETE', data: [] });
  expect(errorOf(stderr)).toMatchObject({ code: 'no_quotes', category: 'outcome' });
  const people = await box.run(['quotes', 'list', route, '--watch']);
  expect(people).toMatchObject({ exit: 9, stdout: '' });
  expect(people.stderr).toMatch(/metrobike: .+/);
  const watched = await box.run(['quotes', 'list', route, '--watch', '--json']);
  expect(watched.exit).toBe(9);
  expect(jsonOf(watched.stdout)).toMatchObject({ type: 'route_quotes.completed', data: [] });
});
