import { expect, test } from 'vitest';
import { orderRequest, startFixture } from './fixture.ts';

/** The whole flow with fixed idempotency keys; returns all responses. */
async function story(seed: string): Promise<string[]> {
  // Keys and tracking tokens are secrets and differ; everything else repeats.
  const fixture = await startFixture({ parts: { seed } });
  const texts: string[] = [];
  const post = async (path: string, key: string, body?: unknown) => {
    const answer = await fixture.send('POST', path, { body, headers: { 'idempotency-key': key } });
    texts.push(answer.body.replaceAll(/\/track\/\w+/g, '/track/TOKEN'));
    return JSON.parse(answer.body);
  };
  const order: { id: string } = await post('/v2/orders/create', 'a', { orders: [orderRequest()] });
  const route: { id: string } = await post('/v2/routes', 'b', { order_ids: [order.id] });
  await post(`/v2/routes/${route.id}/quotes`, 'c');
  await fixture.pass(5_000);
  const quotes = await fixture.send('GET', `/v2/routes/${route.id}/quotes`);
  texts.push(quotes.body);
  const { data }: { data: { id: string }[] } = JSON.parse(quotes.body);
  await post(`/v2/routes/${route.id}/dispatch`, 'd', { quote_id: data[0]?.id });
  return texts;
}

test('the same seed, input and clock give identical records; another seed gives others', async () => {
  const [first, again, other] = [await story('7'), await story('7'), await story('8')];
  expect(again).toEqual(first);
  expect(other[0]).not.toBe(first[0]);
});
