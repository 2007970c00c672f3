import { expect, test } from 'vitest';
import { startFixture } from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';

test('a live round completes at once, with a reason for each courier that quotes unasked', async () => {
  const fixture = await startFixture();
  const client = fixture.client(fixture.keys.live);
  const params = await askedRoute(client);
  const { data: quotes } = await client.quotes.list({ params });
  expect(quotes).toMatchObject({ status: 'COMPLETE', data: [] });
  const named = quotes.reasons?.map(({ provider }) => provider);
  expect(named).toContain('poolride');
  expect(named).not.toContain('flaky_co');
});
