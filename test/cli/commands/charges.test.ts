import { expect, test } from 'vitest';
import { jsonOf, objectsIn, rowsIn } from '../harness.ts';
import { newDelivery, newStore, orderLine, sandbox, startedAt } from '../sandbox.ts';

const box = await sandbox();

async function sent(...flags: string[]): Promise<string> {
  box.advance(1000);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', ...flags];
  return String((await box.json(line)).id);
}

const first = await sent('--tip', '3', '--ref', 'first');
const second = await sent();
await box.run(['deliveries', 'cancel', first, '--yes']);

test('charges of one delivery, by its id or its reference', async () => {
  for (const word of [first, 'first']) {
    const { stdout } = await box.run(['charges', 'list', '--delivery', word]);
    const rows = rowsIn(stdout).map((cells) => cells.slice(0, 3).join(' '));
    expect(rows.sort()).toEqual([`delivery 647 ${first}`, `refund -947 ${first}`, `tip 300 ${first}`]);
  }
  expect((await box.run(['charges', 'list', '--delivery', 'nobody'])).exit).toBe(5);
});

test('charges of one kind and of a period', async () => {
  const kinds = async (...flags: string[]) => {
    const { stdout } = await box.run(['charges', 'list', '-o', 'ndjson', ...flags]);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : String(jsonOf(line).kind)));
  };
  expect(await kinds('--kind', 'tip')).toEqual(['tip']);
  expect(await kinds('--kind', 'tip', '--delivery', second)).toEqual([]);
  expect(await kinds('--since', '1h')).toHaveLength(4);
  expect(await kinds('--until', '1h')).toEqual([]);
  expect(await kinds('--since', '2026-03-01', '--until', '2026-03-02')).toEqual([]);
  const unknown = await box.run(['charges', 'list', '--kind', 'gift']);
  expect([unknown.exit, unknown.stderr]).toEqual([2, expect.stringContaining('cancellation')]);
});

test('people see the total of each page', async () => {
  const notesOf = async (...flags: string[]) => (await box.run(['charges', 'list', ...flags])).stderr;
  expect(await notesOf()).toContain('Total of these 4: $6.47 ($15.94 charged, $9.47 refunded).\n');
  expect(await notesOf()).toContain(
    'By kind: delivery $12.94 ($0.96 of it service fees), tip $3.00, refund -$9.47.\n',
  );
  expect(await notesOf('--kind', 'delivery')).toContain('Total of these 2: $12.94.\n');
  expect(await notesOf('--kind', 'delivery', '--delivery', second)).toBe(
    'By kind: delivery $6.47 ($0.48 of it service fees).\nRefunds are a kind of their own: this is before them.\n',
  );
  expect(await notesOf('--delivery', second)).not.toContain('come to');
  expect(await notesOf('--limit', '2')).toMatch(
    /^Total of these 2: .*\nBy kind: .*\nThere is more: waybill charges list --limit 2 --cursor /,
  );
  expect(await notesOf('--limit', '2', '--filter', 'amount != 0')).toMatch(
    /^Total of all 4: \$6\.47 \(.*\nBy kind: .* refund -\$9\.47\.\n2 of 4 are shown\. All: /,
  );
  expect(await notesOf('--json')).toBe('');
});

test('what an order cost over all its attempts', async () => {
  const id = await sent('--ref', 'twice', '--simulate', 'happy_path; provider=swiftly');
  box.advance(7 * 60_000);
  expect(await box.run(['deliveries', 'cancel', id, '--yes'])).toMatchObject({ exit: 0 });
  box.advance(1000);
  const retried = await box.json(['deliveries', 'retry', id]);
  const listed = await box.run(['charges', 'list', '--order', String(retried.order_id), '-o', 'ndjson']);
  const charges = objectsIn(listed.stdout);
  const total = charges.reduce((sum, { amount }) => sum + Number(amount), 0);
  expect(new Set(charges.map(({ delivery_id }) => delivery_id))).toEqual(new Set([id, retried.id]));
  const explained = await box.json(['deliveries', 'explain', String(retried.id)]);
  expect(explained.order_cost).toEqual({
    paid: total,
    attempts: [
      { delivery_id: id, paid: total - Number(explained.paid), refunded: expect.any(Number) },
      { delivery_id: retried.id, paid: explained.paid, refunded: 0 },
    ],
  });
  const text = `The order cost $${(total / 100).toFixed(2)} in all: ${id} `;
  const page = await box.run(['deliveries', 'explain', id], { tty: true, columns: 200 });
  expect(page.stdout).toContain(text);
  const list = await box.run(['charges', 'list', '--order', String(retried.order_id)]);
  expect(list.stderr).toContain(text);
  expect(list.stderr).toMatch(/in all: dlv_\w+ \$2\.99 \(\$6\.47 of \$9\.46 refunded\), dlv_/);
  const once = await box.json(['deliveries', 'explain', second]);
  expect(once.order_cost).toBeNull();
});

test('each charge names the reference and the store of its delivery', async () => {
  const shop = await sandbox();
  const store = await newStore(shop, 'Grill');
  await newDelivery(shop, '--ref', 'C-7', '--initiate');
  const line = ['deliveries', 'create', '--store', store, ...orderLine.slice(8), '--initiate'];
  await shop.json(line);
  const { stdout } = await shop.run(['charges', 'list', '-o', 'csv', '--no-raw']);
  const [head = '', ...rows] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/Ref,Store/);
  expect(rows.sort()).toEqual([expect.stringContaining(',C-7,'), expect.stringContaining(',,Grill,')]);
  const file = await shop.run(['charges', 'list', '-o', 'csv']);
  expect(file.stdout).toContain(`,${store},Grill,`);
  expect(file.stdout).toMatch(/^kind,amount_cents,.*,service_fee_cents,/);
});

test.each(['charges list', 'deliveries list', 'orders list', 'report'])(
  '%s: the last millisecond of a day is not in the next one, too',
  async (command) => {
    const late = await sandbox();
    // The clock goes on by a millisecond for each.
    late.advance(Date.parse('2026-03-03T05:59:59.998Z') - startedAt);
    await newDelivery(late, '--initiate');
    late.advance(3_600_000);
    const found = async (period: string) => {
      const { stdout } = await late.run([...command.split(' '), '--period', period, '-o', 'ndjson']);
      return objectsIn(stdout).filter(({ deliveries }) => deliveries !== 0).length;
    };
    expect([await found('yesterday'), await found('today')]).toEqual([1, 0]);
  },
);
