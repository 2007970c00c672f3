import { expect, test } from 'vitest';
import type { Switches } from '../../fakes/seed-service/switches.ts';
import { errorOf } from '../harness.ts';
import { orderLine } from '../sandbox.ts';
import { otherService } from './runs.ts';

/** A service with 23 deliveries, `R1` to `R23`, newest first. */
async function filledService(switches: Partial<Switches>) {
  const other = await otherService(switches);
  for (let number = 1; number <= 23; number += 1) {
    const fields = { external_order_ref: `R${number}`, dropoff_name: 'Joe' };
    const made = { id: number, fields, begun_at: null, quote_id: 'q', created_at: Date.now() };
    other.service.store.deliveries.unshift(made);
  }
  const ids = async (...flags: string[]) => {
    const { stdout, stderr, exit } = await other.run(['deliveries', 'list', '-o', 'id', ...flags]);
    expect(exit, stderr).toBe(0);
    return { ids: stdout.trim().split('\n').map(Number), stderr };
  };
  return { ...other, ids };
}

const newest = (count: number, from = 23) => Array.from({ length: count }, (_, index) => from - index);

test.each([{ pages: 'cursor' }, { pages: 'right', list: 'array' }] as const)(
  'a list is complete, and a limit is kept, with %o',
  async (switches) => {
    const { run, ids, requests } = await filledService(switches);
    expect(await ids('--all')).toEqual({ ids: newest(23), stderr: '' });
    expect((await ids()).ids).toEqual(newest(20));
    requests();
    const first = await ids('--limit', '1');
    expect([first.ids, requests()]).toEqual([[23], ['GET /v1/deliveries']]);
    // The command that continues leaves nothing out and repeats nothing.
    let at = first;
    const read = [...first.ids];
    while (at.stderr !== '') {
      const cursor = /--cursor '?([^'\s]+)/.exec(at.stderr)?.[1] ?? '';
      at = await ids('--limit', '7', '--cursor', cursor);
      read.push(...at.ids);
    }
    expect(read).toEqual(newest(23));
    for (const word of ['R3', '3']) {
      const { exit, stdout } = await run(['deliveries', 'get', word, '--json']);
      expect([exit, JSON.parse(stdout)]).toMatchObject([0, { id: '3' }]);
    }
    const miss = await run(['deliveries', 'get', 'R99', '--json']);
    expect([miss.exit, errorOf(miss.stderr)]).toMatchObject([5, { code: 'record_not_found' }]);
  },
);

test.each(['more', 'silent'] as const)('a list that cannot be read to its end says so: %s', async (pages) => {
  const { run, ids } = await filledService({ pages, list: 'data' });
  for (const flags of [[], ['--all']]) {
    const listed = await ids(...flags);
    expect(listed).toEqual({
      ids: newest(10),
      stderr: expect.stringContaining('no way to read more than these 10 records'),
    });
  }
  expect((await ids('--ref', 'R20')).stderr).toContain('only the latest 10 records were filtered here');
  const miss = await run(['deliveries', 'get', 'R3', '--json']);
  const error = errorOf(miss.stderr);
  expect([miss.exit, error]).toMatchObject([
    6,
    {
      code: 'search_incomplete',
      message: expect.stringMatching(/^No delivery matches "R3" among the latest 10/),
    },
  ]);
});

test('a reference is looked for on every page before an order is created', async () => {
  const { run, service } = await filledService({ pages: 'cursor' });
  const ship = ['ship', ...orderLine.slice(2), '--ref', 'R3', '--cheapest', '--json'];
  const { exit, stderr } = await run(ship);
  expect([exit, errorOf(stderr)]).toMatchObject([6, { code: 'duplicate_ref' }]);
  Object.assign(service.switches, { pages: 'silent' });
  const unsure = await run(ship);
  expect([unsure.exit, errorOf(unsure.stderr)]).toMatchObject([
    6,
    { code: 'search_incomplete', message: expect.stringContaining('among the latest 10 records only') },
  ]);
  expect((await run([...ship, '--allow-duplicate-ref'])).exit).toBe(0);
});

test('a search reads at most 20 pages, and is then not certain', async () => {
  const { run, requests } = await filledService({ pages: 'cursor', page_size: 1 });
  requests();
  const { exit, stderr } = await run(['deliveries', 'get', 'R3', '--json']);
  expect([exit, errorOf(stderr)]).toMatchObject([
    6,
    { code: 'search_incomplete', message: expect.stringContaining('among the latest 20') },
  ]);
  expect(requests().length).toBeLessThan(50);
});
