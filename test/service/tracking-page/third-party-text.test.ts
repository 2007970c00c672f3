import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import { renderPage } from '../../../src/service/tracking-page/page.ts';
import { rowIn, seenAt, soonAfter } from './rows.ts';

/** A page on which every third-party text is this one. */
function pageOf(text: string): string {
  const usual: DeliveryRecord = JSON.parse(rowIn('enroute_dropoff').record);
  const vehicle = { type: text, make: text, model: text, color: text, license_plate: text };
  const driver = { name: text, image: text, phone: text, vehicle_type: text, vehicle };
  const record = { driver, pickup: { ...usual.pickup, name: text } };
  const row = rowIn('enroute_dropoff', { record });
  return renderPage(row, seenAt(soonAfter(row)));
}

/** The elements and attributes of a page, without values. */
function bones(page: string): string {
  return [...page.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""')).join('');
}

const usual = bones(pageOf('Maya'));

test.each([
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '</title><img/src=x/onerror=alert(1)>',
  '"onload="alert(1)',
  "'onload='alert(1)",
  '</style><b>',
  '&lt;b&gt;',
  '<!--',
  ']]>',
])('%s is escaped like other text', (text) => {
  const page = pageOf(text);
  expect(bones(page)).toBe(usual);
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
  expect(page).toContain(`<header><b>${escaped}</b>`);
});

test('third-party text creates no element or attribute', () => {
  const signs = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '&',
    '`',
    '=',
    '/',
    '-',
    'a',
    'é',
    '\u0000',
    '\ud800',
    '👩‍🍳',
  );
  const texts = fc.array(signs, { minLength: 1 }).map((parts) => `x${parts.join('')}`);
  fc.assert(fc.property(texts, (text) => void expect(bones(pageOf(text))).toBe(usual)));
});

test('invisible characters are removed: controls, direction marks, lone surrogates', () => {
  const page = pageOf('Ma\u0000y\u0007a\u202e \u2066O\u001b[2J\ud800');
  expect(page).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  expect(page.isWellFormed()).toBe(true);
});

test('only the courier’s first name is shown, shortened if it is long', () => {
  expect(pageOf('Maya Okafor Smith')).toContain('>Maya is bringing your order.<');
  expect(pageOf('y'.repeat(300))).toContain(`>${'y'.repeat(29)}… is bringing your order.<`);
});

test.each(['', '   ', '\u0000'])('an empty name (%j) is not shown', (text) => {
  const page = pageOf(text);
  expect(page).toContain('<header><b>the sender</b>');
  expect(page).toContain('Your courier is bringing your order.');
  expect(page).toContain('Name not given');
});
