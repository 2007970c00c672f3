import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { renderPage } from '../../../src/service/tracking-page/page.ts';
import { minute, rowIn, secrets, seenAt, shared, soonAfter, started_at } from './rows.ts';

const pageIn = (...given: Parameters<typeof rowIn>) => {
  const row = rowIn(...given);
  return renderPage(row, seenAt(soonAfter(row)));
};

/** The readable text of a page. */
const read = (page: string) =>
  page
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');

test.each([
  ['request', 'Order received'],
  ['delivery_created', 'Looking for a courier'],
  ['scheduled', 'Delivery scheduled'],
  ['driver_assigned', 'Maya will pick up your order from Pizza & Friends.'],
  ['enroute_pickup', 'Maya is on the way to Pizza & Friends'],
  ['arrived_at_pickup', 'Maya is at Pizza & Friends'],
  ['pickup_complete', 'Maya has your order.'],
  ['enroute_dropoff', 'Maya is bringing your order.'],
  ['arrived_at_dropoff', 'Your courier is here'],
  ['dropoff_complete', 'Handed over'],
  ['driver_not_assigned', 'Finding another courier'],
  ['delivered', 'Your order from Pizza & Friends has been delivered.'],
  ['disputed', 'A problem with it was reported and is being investigated.'],
  ['provider_canceled', 'The courier company canceled this delivery.'],
  ['customer_canceled', 'Pizza & Friends canceled this delivery.'],
  ['burq_canceled', 'The delivery service canceled this delivery.'],
  ['failed', 'Your order could not be delivered.'],
  ['enroute_to_return', 'is on its way back to Pizza & Friends.'],
  ['returned', 'is back at Pizza & Friends.'],
] as const)('%s is shown as: %s', (status, words) => {
  const page = pageIn(status);
  expect(read(page)).toContain(words);
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
});

test.each(deliveryStatuses)('%s: a small page without private data', (status) => {
  const page = pageIn(status);
  expect(Buffer.byteLength(page)).toBeLessThan(24_000);
  for (const [name, secret] of Object.entries(secrets)) expect(page, name).not.toContain(secret);
  expect(page).not.toMatch(/burq/i);
  // The picture of a proof is the only URL.
  expect(page.replaceAll(shared.picture, '').replace('https://proof.example;', ';')).not.toMatch(/https?:/);
});

test.each(deliveryStatuses)('%s: every element is closed', (status) => {
  const empty = ['meta', 'link', 'img'];
  const open: string[] = [];
  const text = pageIn(status).replace(/<(style|script)([^>]*)>[\s\S]*?<\/\1>/g, '<$1$2></$1>');
  for (const [, slash, name = '', self] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/g)) {
    if (slash === '/') expect(open.pop()).toBe(name);
    else if (self === '' && !empty.includes(name)) open.push(name);
  }
  expect(open).toEqual([]);
});

test('the policy has the hashes of the page’s style and script and allows nothing from elsewhere', () => {
  const page = pageIn('enroute_dropoff');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const hashOf = (element: RegExp) => {
    const text = element.exec(page)?.[1] ?? '';
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  };
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `style-src ${hashOf(/<style>([\s\S]*?)<\/style>/)}`,
    `script-src ${hashOf(/<script type="module">([\s\S]*?)<\/script>/)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(page).not.toMatch(/ style=| on[a-z]+=/);
});

test.each([
  ['delivery_created', '15', '30'],
  ['enroute_to_return', '15', '30'],
  ['delivered', '0', null],
  ['failed', '0', null],
  ['customer_canceled', '0', null],
] as const)('%s: reloads after %s seconds with scripts, %s without', (status, scripted, plain) => {
  const page = pageIn(status);
  expect(page).toContain(`<main data-refresh="${scripted}"`);
  const refresh = /<noscript><meta http-equiv="refresh" content="(\d+)"><\/noscript>/.exec(page)?.[1] ?? null;
  expect(refresh).toBe(plain);
});

test('a delivery without its proof is reloaded for an hour more', () => {
  const row = rowIn('delivered', { record: { proof: [], signature: null } });
  const at = (minutes: number) => renderPage(row, seenAt(row.updated_at + minutes * minute));
  expect(at(59)).toContain('data-refresh="60"');
  expect(at(60)).toContain('data-refresh="0"');
});

test('a delivery of a test key says so', () => {
  expect(read(pageIn('delivered'))).not.toContain('Test delivery');
  expect(read(pageIn('delivered', { row: { test_mode: 1 } }))).toContain('Test delivery');
});

test('the page uses service time', () => {
  const page = renderPage(rowIn('delivery_created'), seenAt(started_at + 7 * minute));
  expect(page).toContain('data-now="2026-03-02T12:07:00.000Z"');
  expect(read(page)).toMatch(/Updated at 6:07\sAM \. Times are in Central Standard Time/);
});
