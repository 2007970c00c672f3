import { expect, test } from 'vitest';
import { newDelivery, newOrder, sandbox } from './sandbox.ts';

const box = await sandbox();
const flags = [
  '--dropoff-name',
  'Ann Roe',
  '--dropoff-phone-number',
  '(617) 555-0143',
  '--dropoff-email',
  'ann@roe.example',
];
const ours = await newDelivery(box, ...flags, '--ref', '4711');
await newDelivery(box, '--ref', '9999');
const { tracking_url } = await box.json(['deliveries', 'get', ours]);
const other = await newOrder(box, '--ref', 'PO-12');

test.each([
  'tel: 617-555-0143',
  'tel:+16175550143',
  'Phone (617) 555-0143.',
  '+1 617 555 0143 (cell)',
  'mailto:ann@roe.example',
  '<ann@roe.example>',
  'mailto:ann@roe.example?subject=Where%20is%20it',
  '#4711',
  '# 4711',
  'Order 4711',
  'order #4711:',
  'Order no. 4711',
  '"4711",',
  '4711.',
  'Ref: 4711',
  ' 4711 ',
  '(4711)',
  tracking_url,
  `${tracking_url}.`,
  `<${tracking_url}>`,
  String(tracking_url).slice(-6),
  String(tracking_url).slice(-12).toUpperCase(),
  String(tracking_url).split('/').at(-1)?.slice(0, 8),
  `Delivery ${ours}`,
  `https://desk.example/deliveries/${ours}?tab=1`,
  `${ours},`,
])('deliveries get finds what is pasted as %j', async (text) => {
  const { stdout, exit, stderr } = await box.run(['deliveries', 'get', String(text), '--json']);
  expect(exit, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: ours });
});

test.each([`Order ${other}`, `${other}.`, 'order PO-12', 'Ref. PO-12', '"PO-12"', 'PO-12,'])(
  'orders get finds what is pasted as %j',
  async (text) => {
    const { stdout, exit, stderr } = await box.run(['orders', 'get', text, '--json']);
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: other });
  },
);

test('a reference is looked for as it is typed before its words are left out', async () => {
  const whole = await newOrder(box, '--ref', 'Order 4712');
  await newOrder(box, '--ref', '4712');
  expect(await box.json(['orders', 'get', 'Order 4712'])).toMatchObject({ id: whole });
});

test('no phone number is sent in a path', async () => {
  box.requests.length = 0;
  await box.run(['deliveries', 'get', 'tel: 617-555-0199', '--json']);
  expect(
    box.requests.map(({ path }) => path.replace(/\?.*/, '')).filter((path) => path.includes('0199')),
  ).toEqual([]);
});
