import { expect, test } from 'vitest';
import { preferredQuote, quoteChoices } from '../../src/cli/flow/agreed-quote.ts';
import { comparable } from '../../src/cli/nouns/quote-columns.ts';
import type { RouteQuote } from '../../src/contract/routes.ts';
import { errorOf } from './harness.ts';
import { toolResult } from './mcp-session.ts';
import { orderFields, orderLine, sandbox, startedAt } from './sandbox.ts';

// Agreed times that couriers cannot keep, in every way in which a quote is chosen.

const box = await sandbox();
const minute_ms = 60_000;

type Quote = RouteQuote;
const timing = { now: startedAt, times: 'local', zone: null } as const;

async function routeFor(...flags: string[]): Promise<string> {
  const { id } = await box.json([...orderLine, '--item', 'Soup', ...flags]);
  const route = await box.json(['routes', 'create', String(id)]);
  await box.run(['routes', 'quote', String(route.id), '--watch'], box.passing);
  return String(route.id);
}

async function quotesOf(route: string): Promise<Quote[]> {
  const { stdout } = await box.run(['quotes', 'list', route, '--json']);
  return JSON.parse(stdout).data;
}

const minutesFrom = (at: string, minutes: number) =>
  new Date(Date.parse(at) + minutes * minute_ms).toISOString();

/** A time that the fastest quote keeps and the cheapest one does not, and one that none keeps, as it is now. */
async function agreedTimes(): Promise<{ by_some: string; by_none: string; cheapest: string }> {
  const [first, ...others] = await quotesOf(await routeFor());
  if (first === undefined) throw new Error('no quotes');
  const etas = [first, ...others].map(({ dropoff_eta }) => Date.parse(dropoff_eta));
  const [earliest, own] = [Math.min(...etas), Date.parse(first.dropoff_eta)];
  expect(own - earliest).toBeGreaterThan(2 * minute_ms);
  // The clock moves on by seconds with each wait for quotes.
  const by_some = new Date((earliest + own) / 2).toISOString();
  const by_none = new Date(earliest - 5 * minute_ms).toISOString();
  return { by_some, by_none, cheapest: first.provider };
}

test('quotes say that they are too late, over HTTP, in lists and in version 1', async () => {
  const soon = new Date(startedAt + 5 * minute_ms).toISOString();
  const route = await routeFor('--dropoff-at', soon);
  const quotes = await quotesOf(route);
  expect(quotes.length).toBeGreaterThan(1);
  for (const quote of quotes) expect(quote.too_late).toBe(true);
  expect((await box.run(['quotes', 'list', route], { tty: true })).stdout).toContain('too late');
  const easy = await quotesOf(await routeFor());
  for (const quote of easy) expect(quote).not.toHaveProperty('too_late');
  const { pickup_address, dropoff_address } = orderFields;
  const body = JSON.stringify({ pickup_address, dropoff_address, dropoff_at: minutesFrom(soon, 5) });
  const answer = await box.run(['api', 'POST', '/v1/quote', '--file', '-'], { stdin: body });
  for (const quote of JSON.parse(answer.stdout)) expect(quote.too_late).toBe(true);
});

test.each([['--cheapest'], ['--fastest'], ['--provider', 'poolride']])(
  'dispatch %s refuses if none keeps the time, and takes it with --late-ok, which promises the ETA',
  async (...flags) => {
    const { by_none } = await agreedTimes();
    const route = await routeFor('--dropoff-at', by_none);
    const refused = await box.run(['dispatch', route, ...flags, '--json']);
    expect([refused.exit, errorOf(refused.stderr).code]).toEqual([6, 'too_late']);
    expect(JSON.stringify(errorOf(refused.stderr).next)).toMatch(/dispatch rte_\w+ --quote \w+/);
    const done = await box.json(['dispatch', route, ...flags, '--late-ok']);
    const [delivery] = JSON.parse(JSON.stringify(done.deliveries));
    const { details } = await box.json(['deliveries', 'get', delivery.id]);
    expect(details).toMatchObject({ promised_at: delivery.dropoffs[0].dropoff_eta });
  },
);

test('a quote that is named is taken', async () => {
  const { by_none } = await agreedTimes();
  const route = await routeFor('--dropoff-at', by_none);
  const [quote] = await quotesOf(route);
  expect((await box.run(['dispatch', route, '--quote', quote?.id ?? ''])).exit).toBe(0);
});

test.each([
  ['dispatch', async (at: string) => ['dispatch', await routeFor('--dropoff-at', at), '--cheapest']],
  [
    'ship',
    async (at: string) => ['ship', ...orderLine.slice(2), '--item', 'Soup', '--dropoff-at', at, '--cheapest'],
  ],
])('%s passes over the cheapest quote, which is too late, for one that keeps the time', async (_, lineAt) => {
  const { by_some, cheapest } = await agreedTimes();
  const done = await box.json(await lineAt(by_some), box.passing);
  const [delivery] = JSON.parse(JSON.stringify(done.deliveries));
  expect(delivery.service).not.toBe(cheapest);
  expect(Date.parse(delivery.dropoffs[0].dropoff_eta)).toBeLessThanOrEqual(Date.parse(by_some));
});

test('ship refuses, and says how to dispatch nevertheless', async () => {
  const { by_none } = await agreedTimes();
  const line = ['ship', ...orderLine.slice(2), '--item', 'Soup', '--dropoff-at', by_none];
  const refused = await box.run([...line, '--cheapest', '--json'], box.passing);
  const [any, limit] = [expect.any(String), ['--max-cost', 'DOLLARS']];
  const next = expect.objectContaining({ args: ['dispatch', any, '--quote', any, ...limit] });
  const expected = { code: 'too_late', next: expect.arrayContaining([next]) };
  expect([refused.exit, errorOf(refused.stderr)]).toMatchObject([6, expected]);
  expect((await box.run([...line, '--cheapest', '--late-ok'], box.passing)).exit).toBe(0);
});

test.each([
  ['deliveries create --initiate', (line: string[]) => [...line, '--initiate']],
  [
    'deliveries initiate',
    async (line: string[]) => ['deliveries', 'initiate', String((await box.json(line)).id)],
  ],
])('%s refuses if none keeps the time, names a way on and takes it with --late-ok', async (_, lineOf) => {
  const { by_none } = await agreedTimes();
  const create = ['deliveries', 'create', ...orderLine.slice(2), '--item', 'Soup', '--dropoff-at', by_none];
  const line = await lineOf(create);
  const charges = async () => (await box.run(['charges', 'list', '--csv'])).stdout;
  const before = await charges();
  const refused = await box.run([...line, '--json']);
  expect([refused.exit, errorOf(refused.stderr).code]).toEqual([6, 'too_late']);
  expect(errorOf(refused.stderr).hint).toContain('--late-ok');
  expect(await charges()).toBe(before);
  expect(await box.json([...line, '--late-ok'])).toMatchObject({ status: 'scheduled' });
});

test('auto dispatch passes over it, and takes the earliest if none keeps the time', async () => {
  const { by_some, by_none, cheapest } = await agreedTimes();
  const attempt = async (time: string) => {
    const answer = await box.json([...orderLine, '--item', 'Soup', '--dropoff-at', time, '--auto']);
    const done = await box.run(['batches', 'get', String(answer.batch_id), '--wait', '--json'], box.passing);
    const [order] = JSON.parse(done.stdout).orders;
    const tries = JSON.parse((await box.run(['orders', 'attempts', order.order_id, '--json'])).stdout);
    return tries[0] ?? tries.data[0];
  };
  const kept = await attempt(by_some);
  expect(kept.provider).not.toBe(cheapest);
  expect(kept.left_out).toContainEqual(expect.objectContaining({ provider: cheapest, code: 'too_late' }));
  const late = await attempt(by_none);
  expect(late.left_out.every(({ code }: { code: string }) => code !== 'too_late')).toBe(true);
});

test('an assistant is refused, and may ship late if the user agrees', async () => {
  const { by_none } = await agreedTimes();
  const shipment = { ...orderFields, items: [{ name: 'Soup' }], max_cost: 5000, dropoff_at: by_none };
  const ship = async (more: object) => {
    const { content } = await toolResult(box.run, 'ship_delivery', { ...shipment, ...more }, box.passing);
    return JSON.parse(content[0].text);
  };
  expect((await ship({})).error).toMatchObject({ code: 'too_late' });
  expect(await ship({ late_ok: true })).toMatchObject({ dispatched: true });
});

test('the wizard proposes a quote that keeps the time', async () => {
  const { by_some, cheapest } = await agreedTimes();
  const quotes = await quotesOf(await routeFor('--dropoff-at', by_some));
  const choices = quoteChoices({ object: 'route_quotes', status: 'COMPLETE', data: quotes }, timing);
  expect(choices.find(({ value }) => value.provider === cheapest)?.name).toContain('after the agreed time');
  expect(preferredQuote(quotes.map(comparable), 'cheapest')?.provider).not.toBe(cheapest);
});
