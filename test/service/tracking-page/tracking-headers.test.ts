import { expect, test } from 'vitest';
import { draftRoute, quotesOf, startFixture } from '../fixture.ts';

test('a tracking page is HTML with headers against caching, indexing and referrers; a refusal is JSON', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const route = await draftRoute(client);
  const [quote] = await quotesOf(fixture, route.id);
  await client.dispatches.create({ params: { route_id: route.id }, body: { quote_id: quote?.id ?? '' } });
  const [delivery] = (await client.deliveries.list()).data.data;
  const path = new URL(delivery?.tracking_url ?? '').pathname;
  const open = (at: string) => fixture.service.fetch({ method: 'GET', path: at, headers: {}, body: '' });
  const page = await open(path);
  expect(page).toMatchObject({
    status: 200,
    body: expect.stringMatching(/^<!doctype html>/i),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'x-request-id': expect.stringMatching(/^req_/),
      'x-service-time': expect.any(String),
    },
  });
  const none = await open(`${path.slice(0, -1)}-`);
  expect(none).toMatchObject({ status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } });
  expect(JSON.parse(none.body)).toMatchObject({ object: 'error', code: 'record_not_found' });
  const headers = { accept: 'text/html,application/xhtml+xml;q=0.9' };
  const shown = await fixture.service.fetch({ method: 'GET', path: `${path}x`, headers, body: '' });
  expect(shown).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(shown.body).toMatch(/tracking link isn/);
});
