import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import type { DeliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import { renderPage } from '../../../src/service/tracking-page/page.ts';
import { type Changes, minute, rowIn, secrets, seenAt, shared, soonAfter, started_at } from './rows.ts';

type Seen = Parameters<typeof seenAt>[1];

const pageIn = (status: Parameters<typeof rowIn>[0], changes: Changes = {}, seen: Seen = {}) => {
  const row = rowIn(status, changes);
  return renderPage(row, seenAt(soonAfter(row), seen));
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
  ['arrived_at_dropoff', 'Your courier is here Maya has arrived at your address'],
  ['dropoff_complete', 'Dropped off'],
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
  ['failed', '60', '60'],
  ['customer_canceled', '60', '60'],
] as const)('%s: reloads after %s seconds with scripts, %s without', (status, scripted, plain) => {
  const page = pageIn(status);
  expect(page).toContain(`<main data-refresh="${scripted}"`);
  const refresh = /<noscript><meta http-equiv="refresh" content="(\d+)"><\/noscript>/.exec(page)?.[1] ?? null;
  expect(refresh).toBe(plain);
});

test.each<[Parameters<typeof rowIn>[0], string, object]>([
  ['delivered', 'its proof', { proof: [], signature: null }],
  ['failed', 'another try', {}],
  ['customer_canceled', 'another time', {}],
])('a delivery that was %s without %s is reloaded for an hour more', (status, _, record) => {
  const row = rowIn(status, { record });
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
  expect(read(page)).toMatch(/Updated at 6:07\sAM · Times are in Central Standard Time/);
});

const editable = ['request', 'scheduled', 'delivery_created', 'driver_assigned', 'arrived_at_pickup'];
const withPin = [
  ...['driver_assigned', 'enroute_pickup', 'arrived_at_pickup', 'pickup_complete', 'enroute_dropoff'],
  'arrived_at_dropoff',
];

test('the order is shown with its number and its items', () => {
  const items = [
    { name: 'Brisket <Classic>', quantity: 4, size: 'small' as const },
    { name: 'Lemonade', quantity: 1, size: 'small' as const },
  ];
  const page = pageIn('delivered', { record: { items } });
  expect(page).toContain('<p>Order number <b>ref-90210</b></p>');
  expect(page).toContain('<ul><li><b>4 ×</b> Brisket &lt;Classic&gt;</li><li>Lemonade</li></ul>');
});

test('an order without items shows its description, and one without anything no section', () => {
  const described = pageIn('delivered', { record: { items: [], items_description: 'Two boxes' } });
  expect(described).toContain('<ul><li>Two boxes</li></ul>');
  const record = { items: [], items_description: '' };
  expect(pageIn('delivered', { record, row: { external_order_ref: '' } })).not.toContain('id="order"');
});

test('the shop’s phone number and logo are shown, and the policy allows only the logo', () => {
  const shop = { phone: '13125550100', logo: 'https://cdn.example/logo.png?v=2', kind: 'shop' } as const;
  const page = pageIn('driver_assigned', {}, { shop });
  expect(page).toContain('<a href="tel:+13125550100">Call Pizza &amp; Friends</a>');
  expect(page).toContain('<img class="logo" src="https://cdn.example/logo.png?v=2" alt="">');
  expect(page).toContain('img-src data: https://cdn.example;');
  const inline = pageIn(
    'driver_assigned',
    {},
    {
      shop: { phone: '', logo: 'data:image/png;base64,AA==', kind: 'shop' },
    },
  );
  expect(inline).toContain('src="data:image/png;base64,AA=="');
  expect(inline).toContain('img-src data:;');
  expect(inline).not.toContain('tel:');
});

test.each(deliveryStatuses)(
  '%s: the courier can be called if the provider allows it and it helps',
  (status) => {
    const link = `href="tel:+${secrets.courierPhone}"`;
    expect(pageIn(status, {}, { may_call: false })).not.toContain(link);
    const isOnTheWay = withPin.includes(status) || status === 'dropoff_complete';
    expect(pageIn(status, {}, { may_call: true }).includes(link)).toBe(isOnTheWay);
  },
);

test.each(deliveryStatuses)('%s: the PIN is shown while a courier is on the way', (status) => {
  expect(pageIn(status).includes(`<b>${shared.pin}</b>`)).toBe(withPin.includes(status));
});

test.each(deliveryStatuses)('%s: notes can be changed, and are shown, only before the pickup', (status) => {
  const page = pageIn(status);
  const isEditable = editable.includes(status) || ['enroute_pickup', 'driver_not_assigned'].includes(status);
  expect(page.includes('<textarea')).toBe(isEditable);
  expect(page.includes('Ring twice')).toBe(isEditable);
});

test.each([
  ['swiftly', 'en', 'You can change them until the pickup.'],
  ['fleet', 'en', 'You can change them until the handover.'],
  ['swiftly', 'es', 'Puede cambiarlas hasta la recogida.'],
  ['fleet', 'es', 'Puede cambiarlas hasta la entrega.'],
] as const)('with %s, in %s: %s', (service, language, hint) => {
  const row = { ...rowIn('driver_assigned'), service };
  expect(read(renderPage(row, seenAt(soonAfter(row), { language })))).toContain(hint);
});

test('notes keep their lines and are escaped', () => {
  expect(pageIn('scheduled')).toContain('>\nRing twice &lt;b&gt;\nthen wait</textarea>');
});

test('a proof picture loads on request, and the policy allows only its origin', () => {
  const page = pageIn('delivered');
  expect(page).toContain('<details class="proof"><summary>Show the photo</summary>');
  expect(page).toContain(`<img src="${shared.picture}" alt="Photo of the delivery" loading="lazy">`);
  expect(page).toContain('img-src data: https://proof.example;');
});

test.each([
  'http://proof.example/9.jpg',
  'javascript:alert(1)',
  '',
  '9.jpg',
  'https://a:b@proof.example/9.jpg',
])('a proof at "%s" has no picture', (url) => {
  const page = pageIn('delivered', { record: { proof: [{ type: 'photo', url, at: 0 }] } });
  expect(page).toContain('Photo taken');
  expect(page).not.toContain('<img');
  expect(page).toContain('img-src data:;');
});

test('an origin cannot add anything to the policy', () => {
  const logo = "https://cdn.example;script-src 'unsafe-inline'/a.png";
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(
    pageIn('scheduled', {}, { shop: { phone: '', logo, kind: 'shop' } }),
  );
  expect(policy?.[1]).toContain('img-src data:;');
  expect(policy?.[1]).not.toContain('unsafe-inline');
});

/** A page on which every third-party text is this one. */
function pageOf(text: string): string {
  const usual: DeliveryRecord = JSON.parse(rowIn('enroute_dropoff').record);
  const vehicle = { type: text, make: text, model: text, color: text, license_plate: text };
  const driver = { name: text, image: text, phone: text, vehicle_type: text, vehicle };
  const record = { driver, pickup: { ...usual.pickup, name: text } };
  return pageIn('enroute_dropoff', { record });
}

/** The elements and attributes of a page, without values. */
function bones(page: string): string {
  return [...page.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""')).join('');
}

const usual = bones(pageOf('Maya'));

test.each(['<script>alert(1)</script>', '"onload="alert(1)', "'onload='alert(1)", '&lt;b&gt;'])(
  '%s is escaped like other text',
  (text) => {
    const page = pageOf(text);
    expect(bones(page)).toBe(usual);
    const escaped = text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;');
    expect(page).toContain(`<header><b>${escaped}</b>`);
  },
);

test('third-party text creates no element or attribute', () => {
  const signs = fc.constantFrom(...'<>"\'&`=/-aé', '\u0000', '\ud800', '👩‍🍳');
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

const withPhone = (kind: 'shop' | 'food' = 'shop') =>
  ({ shop: { phone: '13125550100', logo: '', kind } }) as const;
const firstCard = (page: string) => /<section class="card status[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';
const callShop = 'href="tel:+13125550100"';

test.each(deliveryStatuses)(
  '%s: the shop’s number is shown once, first where something is wrong',
  (status) => {
    const page = pageIn(status, {}, withPhone());
    const isWrong = /failed|canceled|return|disputed/.test(status);
    expect(firstCard(page).includes(callShop)).toBe(isWrong);
    expect(page.split(callShop)).toHaveLength(2);
  },
);

test.each([
  [33, false, ''],
  [36, true, ''],
  [36 + 58, true, 'More than an hour late There is no new time. Please ask Pizza & Friends where'],
  [36 + 150, true, 'More than 2 hours late'],
])('after %d minutes the number is in the first card: %s', (minutes, isFirst, words) => {
  const page = renderPage(
    rowIn('pickup_complete', { row: { promised_at: null } }),
    seenAt(started_at + minutes * minute, withPhone()),
  );
  expect(firstCard(page).includes(callShop)).toBe(isFirst);
  expect(read(page)).toContain(words);
  expect(/hours? late/.test(read(page))).toBe(words !== '');
});

test.each([
  ['enroute_to_return', 'shop', 'Going back to the shop'],
  ['enroute_to_return', 'food', 'Going back to the kitchen'],
  ['returned', 'shop', 'Returned to the shop'],
  ['returned', 'food', 'Back in the kitchen'],
] as const)('%s of a %s store: %s', (status, kind, words) => {
  expect(firstCard(pageIn(status, {}, withPhone(kind)))).toContain(`<h1>${words}</h1>`);
});

test.each(deliveryStatuses)('%s: the preview of a link names the shop and nothing else', (status) => {
  const shop = { phone: '', logo: 'https://cdn.example/logo.png', kind: 'shop' } as const;
  const told = [...pageIn(status, {}, { shop }).matchAll(/<meta property="(.*?)" content="(.*?)">/g)];
  expect(told.map(([, name, content]) => `${name} ${content}`)).toEqual([
    'og:type website',
    'og:site_name Pizza &amp; Friends',
    'og:title Your order from Pizza &amp; Friends',
    'og:description Where your order is, and when it arrives.',
    'og:image https://cdn.example/logo.png',
  ]);
  expect(pageIn(status)).not.toContain('og:image');
});

test('a new time does not hide that the promise is missed by hours', () => {
  const usual: DeliveryRecord = JSON.parse(rowIn('pickup_complete').record);
  const [promised_at, eta] = [started_at + 30 * minute, started_at + 220 * minute];
  const record = { dropoff: { ...usual.dropoff, eta } };
  const row = rowIn('pickup_complete', { record, row: { promised_at } });
  const at = (minutes: number) => read(renderPage(row, seenAt(started_at + minutes * minute, withPhone())));
  expect(at(160)).toMatch(/Estimated arrival 9:40\sAM in about 1 h .*More than 3 hours late Call Pizza/);
  expect(at(240)).toMatch(/Was expected 9:40\sAM More than 3 hours late There is no new time\./);
});
