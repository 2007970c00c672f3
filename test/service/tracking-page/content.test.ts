import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { renderPage } from '../../../src/service/tracking-page/page.ts';
import { type Changes, rowIn, secrets, seenAt, shared, soonAfter } from './rows.ts';

type Seen = Parameters<typeof seenAt>[1];

const pageIn = (status: Parameters<typeof rowIn>[0], changes: Changes = {}, seen: Seen = {}) => {
  const row = rowIn(status, changes);
  return renderPage(row, seenAt(soonAfter(row), seen));
};

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
  const shop = { phone: '13125550100', logo: 'https://cdn.example/logo.png?v=2' };
  const page = pageIn('driver_assigned', {}, { shop });
  expect(page).toContain('<a href="tel:+13125550100">Call Pizza &amp; Friends</a>');
  expect(page).toContain('<img class="logo" src="https://cdn.example/logo.png?v=2" alt="">');
  expect(page).toContain('img-src data: https://cdn.example;');
  const inline = pageIn('driver_assigned', {}, { shop: { phone: '', logo: 'data:image/png;base64,AA==' } });
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
    pageIn('scheduled', {}, { shop: { phone: '', logo } }),
  );
  expect(policy?.[1]).toContain('img-src data:;');
  expect(policy?.[1]).not.toContain('unsafe-inline');
});
