import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTable } from '../cases/read-table.ts';
import { oneOf } from '../in-part.ts';
import { freshHome } from './harness.ts';
import { orderFields, orderLine, sandbox } from './sandbox.ts';

// A reference is one reference, by whatever way it comes: as a flag, in a file, over HTTP, or in a look-up.

const cases = readTable('references.tsv', (cell) => ({
  kind: cell('kind'),
  text: cell('text'),
  read: cell('read'),
}));

const box = await sandbox();
const { key } = await box.json(['keys', 'create', '--permission', 'write']);
const allow = '--allow-duplicate-ref';

/** Brings an order in with a reference; its ID, or an empty text if that is refused. */
const ways: Record<string, (ref: string) => Promise<unknown>> = {
  'a flag': async (ref) => {
    const { stdout, exit, stderr } = await box.run([...orderLine, `--ref=${ref}`, allow, '-o', 'id']);
    expect([0, 2], stderr).toContain(exit);
    return stdout.trim();
  },
  'a file': async (ref) => {
    const file = join(freshHome(), 'orders.csv');
    const { items: _, ...fields } = orderFields;
    const cells = [...Object.values(fields), 'Soup', ref].map((text) => `"${text.replaceAll('"', '""')}"`);
    const head = [...Object.keys(fields), 'items_description', 'external_order_ref'];
    writeFileSync(file, `${head.join(',')}\n${cells.join(',')}\n`);
    const { exit, stderr } = await box.run(['orders', 'import', file, '--yes', allow]);
    expect([0, 2, 10], stderr).toContain(exit);
    const [{ id }] = JSON.parse((await box.run(['orders', 'list', '--limit', '1', '--json'])).stdout);
    return exit === 0 ? id : '';
  },
  HTTP: async (external_order_ref) => {
    const body = JSON.stringify({ orders: [{ ...orderFields, external_order_ref }] });
    const headers = { 'x-api-key': String(key), 'content-type': 'application/json' };
    const answer = await box.transport({ method: 'POST', path: '/v2/orders/create', headers, body });
    expect([200, 400]).toContain(answer.status);
    return JSON.parse(answer.body).id ?? '';
  },
};

/** By the first way each case, and by the others each third. */
const brought = Object.keys(ways).flatMap((way, nth) =>
  cases.filter(oneOf(nth === 0 ? 1 : 3)).map((each) => ({ way, ...each })),
);

test.each(brought)('by $way, $kind: $text', async ({ way, text, read }) => {
  box.advance(1_000);
  const id = await ways[way]?.(text);
  if (read === '') {
    expect(id).toBe('');
    return;
  }
  expect(await box.json(['orders', 'get', String(id)])).toMatchObject({ external_order_ref: read });
  const found = JSON.parse((await box.run(['orders', 'list', `--ref=${text}`, '--json'])).stdout);
  expect(found.map((each: { id: string }) => each.id)).toContain(id);
});

const read = cases.filter(({ read }) => read !== '');

test.each(read.filter(oneOf(2)))('a look-up finds $kind: $text', async ({ text, read }) => {
  const home = await sandbox();
  const id = (await home.run([...orderLine, `--ref=${read}`, '-o', 'id'])).stdout.trim();
  for (const form of new Set([text, read]))
    expect([
      form,
      await home.run(['orders', 'get', '--json', '--', form]).then(({ stdout }) => JSON.parse(stdout)),
    ]).toEqual([form, expect.objectContaining({ id })]);
});

test.each(['1.001E+03', '1,001E+05', '1.12E+18'])(
  'in a file, %s is no reference: a spreadsheet has shortened it',
  async (ref) => {
    const file = join(freshHome(), 'orders.csv');
    const { items: _, ...fields } = orderFields;
    const cells = [...Object.values(fields), 'Soup', ref].map((text) => `"${text}"`);
    const head = [...Object.keys(fields), 'items_description', 'external_order_ref'];
    writeFileSync(file, `${head.join(',')}\n${cells.join(',')}\n`);
    const { exit, stdout, stderr } = await box.run(['orders', 'import', file, '--yes']);
    expect([exit, `${stdout}${stderr}`]).toEqual([
      2,
      expect.stringContaining('Excel has shortened the number'),
    ]);
  },
);
