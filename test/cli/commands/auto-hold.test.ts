import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { newOrder, orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();

interface Held {
  batch: string;
  order: string;
  route: string;
}

/** An order in auto dispatch, with the route of its first attempt. */
async function held(ref: string, ...flags: string[]): Promise<Held> {
  box.advance(1);
  const { stdout } = await box.run([...orderLine, '--ref', ref, '--auto', ...flags, '-o', 'id']);
  const batch = stdout.trim();
  box.advance(1);
  const [{ order_id: order }] = JSON.parse(
    (await box.run(['batches', 'get', batch, '--json'])).stdout,
  ).orders;
  const [{ route_id: route }] = JSON.parse((await box.run(['orders', 'attempts', order, '--json'])).stdout);
  return { batch, order, route };
}

test('an order in auto dispatch is refused with the command that shows it, at any position of the line', async () => {
  const { batch, order, route } = await held('hand');
  const free = await newOrder(box);
  for (const line of [
    ['routes', 'create', free, order],
    ['routes', 'quote', route],
    ['routes', 'delete', route],
    ['dispatch', route, '--cheapest'],
  ]) {
    const { exit, stderr } = await box.run([...line, '--json']);
    const { code, hint, next } = errorOf(stderr);
    expect({ line, exit, code, next }).toMatchObject({
      line,
      exit: 6,
      code: 'order_not_open',
      next: [{ command: `waybill batches get ${batch}`, when: expect.any(String) }],
    });
    expect(hint).not.toMatch(/ORDER|ROUTE|when deleted|routes quote/);
  }
});

test.each(['explain', 'wait'])(
  'deliveries %s of an order without a delivery prints its state',
  async (verb) => {
    const missing = async (text: string) => {
      const { exit, stderr } = await box.run(['deliveries', verb, text, '--json']);
      const { code, message, next } = errorOf(stderr);
      expect([exit, code]).toEqual([5, 'record_not_found']);
      return [message, JSON.stringify(next)].join(' ');
    };
    const { batch, order } = await held(`wait-${verb}`, '--simulate', 'no_quotes', '--retry-window', '0s');
    const steps = new RegExp(`orders attempts ${order}.*batches get ${batch}`);
    for (const text of [`wait-${verb}`, order]) {
      expect(await missing(text)).toMatch(
        `"${text}": auto dispatch of its order ${order} is under way in ${batch}`,
      );
      expect(await missing(text)).toMatch(steps);
    }
    box.advance(60_000);
    expect(await missing(`wait-${verb}`)).toContain(
      `${order} is unfulfilled, and auto dispatch in ${batch} ended`,
    );
    expect(await missing(`wait-${verb}`)).toMatch(steps);
    const open = await newOrder(box, '--ref', `open-${verb}`);
    expect(await missing(`open-${verb}`)).toContain(`waybill ship ${open} --cheapest`);
    expect(await missing('nobody knows')).toContain('No delivery matches "nobody knows". ');
  },
);
