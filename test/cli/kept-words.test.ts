import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { person } from './commands/new/person.ts';
import { freshHome } from './harness.ts';
import { toolResult } from './mcp-session.ts';
import { orderFields, sandbox } from './sandbox.ts';

// Whatever way an order comes in, no letter and no digit of it is lost without a word.

const orders: [what: string, fields: Record<string, string>][] = [
  ['a county', { dropoff_address: '44 E Ohio St, Chicago, Cook County, IL 60611' }],
  ['words behind the ZIP code', { dropoff_address: '44 E Ohio St, Chicago IL 60611 blue gate' }],
  ['a name in front', { dropoff_address: 'Hyatt Lobby, 44 E Ohio St Apt 4, Chicago, IL 60611' }],
  ['ZIP+4', { dropoff_address: '44 E Ohio St, Chicago, IL 60611-2718' }],
  ['a misspelled city', { dropoff_address: '44 E Ohio St, Chicgo, IL 60611' }],
  ['markup', { dropoff_address: '44 E Ohio St<br>Floor 3<br>Chicago, IL 60611' }],
  ['an extension', { dropoff_phone_number: '312-555-0142 ext. 7' }],
  ['two numbers', { dropoff_phone_number: '312-555-0142 or 312-555-0143', dropoff_notes: 'Ring twice' }],
  ['words beside a number', { dropoff_phone_number: '(312) 555-0142 ask for Bob' }],
  ['a unit', { dropoff_unit: 'Apt 3/4, rear', dropoff_notes: 'Gate code #4411*' }],
  ['a reference', { external_order_ref: ' PO 000-123/A ' }],
  ['a name', { dropoff_name: "Zoë O'Brien-Müller (Bldg 7)" }],
];

const box = await sandbox();
const { key } = await box.json(['keys', 'create', '--permission', 'write']);
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const listed = async () =>
  JSON.parse((await box.run(['orders', 'list', '--limit', '1', '--json'])).stdout)[0];
const flagOf = (field: string) => `--${field.replaceAll('_', '-')}`;
const allow = '--allow-duplicate-ref';

/** Brings an order in; returns what was said. */
type Way = (fields: Record<string, string>) => Promise<string>;

const ways: Record<string, Way> = {
  flags: async (fields) => {
    const words = Object.entries(fields).flatMap(([field, text]) => [flagOf(field), text]);
    return (await box.run(['orders', 'create', ...words, '--item', 'Soup:2', allow])).stderr;
  },
  'a JSON file': async (fields) => {
    const home = freshHome();
    writeFileSync(join(home, 'order.json'), JSON.stringify({ ...fields, items: orderFields.items }));
    return (await box.run(['orders', 'create', '--file', join(home, 'order.json'), allow])).stderr;
  },
  'a CSV file': async (fields) => {
    const file = join(freshHome(), 'orders.csv');
    const cells = Object.values(fields).map((text) => `"${text.replaceAll('"', '""')}"`);
    writeFileSync(file, `${Object.keys(fields).join(',')},items_description\n${cells.join(',')},Soup\n`);
    const { stderr, stdout } = await box.run(['orders', 'import', file, '--yes', allow]);
    return `${stderr}${stdout}`;
  },
  MCP: async (fields) => {
    const order = { ...fields, items: orderFields.items, max_cost: 9_000, allow_duplicate_ref: true };
    return JSON.stringify(await toolResult(box.run, 'ship_delivery', order, box.passing));
  },
  HTTP: async (fields) => {
    const body = JSON.stringify({ orders: [{ ...fields, items: orderFields.items }] });
    const headers = { 'x-api-key': String(key), 'content-type': 'application/json' };
    const request = { method: 'POST', path: '/v2/orders/create', headers, body };
    const answer = await box.transport(request);
    return `${answer.body}${JSON.parse(answer.headers['x-remarks'] ?? '[]').join(' ')}`;
  },
  'the wizard': async (fields) => {
    const more = Object.entries(fields).filter(([field]) => /unit|notes|_ref/.test(field));
    const prompts = person([
      ['What would you like to send?', 'Create a new order'],
      ['Pickup address', fields.pickup_address ?? ''],
      ['Pickup name', fields.pickup_name ?? ''],
      ['Pickup phone', fields.pickup_phone_number ?? ''],
      ['Dropoff address', fields.dropoff_address ?? ''],
      ['Dropoff name', fields.dropoff_name ?? ''],
      ['Dropoff phone', fields.dropoff_phone_number ?? ''],
      ['What is it?', 'Soup:2'],
      ['Another item?', ''],
      ['Create this order?', 'Edit or add fields'],
      ...more.flatMap(([field, text]): [string, string][] => {
        const label = field.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
        return [
          ['Which field?', label],
          [label, text],
        ];
      }),
      ['Which field?', 'Done'],
      ['Create this order?', 'Create order'],
      ['What would you like to send?', 'Leave'],
    ]);
    const { stderr } = await box.run(['new'], { tty: true, prompts, home: freshHome(), ...box.passing });
    expect([prompts.left(), stderr]).toEqual([0, expect.stringMatching(/Read: \d+ as given/)]);
    return stderr.replaceAll(/^ {2}\S.*$/gm, '').replaceAll(/^Read: .*$/gm, '');
  },
};

const { items: _, ...common } = orderFields;
const all = Object.keys(ways).flatMap((way) => orders.map(([what, fields]) => ({ way, what, fields })));

test.each(all)('by $way nothing of $what is lost', async ({ way, fields }) => {
  box.advance(1_000);
  const before = await listed();
  // The wizard does not take a reference that is in use.
  const ref =
    fields.external_order_ref === undefined
      ? {}
      : { external_order_ref: `${fields.external_order_ref}${way}` };
  const said = await ways[way]?.({ ...common, ...fields, ...ref });
  const stored = await listed();
  expect(stored?.id, said).not.toBe(before?.id);
  const kept = wordsOf(`${Object.values(stored).join(' ')} ${said}`).join(' ');
  const digits = kept.replace(/\D/g, '');
  const given = wordsOf(Object.values(fields).join(' ').replaceAll('<br>', ' '));
  expect(given.filter((word) => !kept.includes(word) && !digits.includes(word))).toEqual([]);
});
