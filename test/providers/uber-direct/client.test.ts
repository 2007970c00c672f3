import { describe, expect, it } from 'vitest';
import type { CourierHttpRequest, CourierHttpResponse } from '../../../src/providers/courier.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import { createClient, readSettings } from '../../../src/providers/uber-direct/client.ts';

const settings = readSettings({ client_id: 'client_1', client_secret: 's&cret', customer_id: 'cus/1' });

/** A client whose requests are answered in turn; the last answer is repeated. */
function scripted(tokens: CourierHttpResponse[], answers: CourierHttpResponse[] = [ok]) {
  const clock = { now: 0 };
  const sent: CourierHttpRequest[] = [];
  const turns = { token: 0, answer: 0 };
  const turn = (kind: 'token' | 'answer') => {
    const list = kind === 'token' ? tokens : answers;
    const answer = list[Math.min(turns[kind]++, list.length - 1)];
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };
  const client = createClient(settings, {
    now: () => clock.now,
    test_mode: true,
    http: async (request) => {
      sent.push(request);
      return turn(request.url.endsWith('/token') ? 'token' : 'answer');
    },
  });
  return { client, clock, sent, tokens: () => turns.token };
}

const ok: CourierHttpResponse = { status: 200, headers: {}, body: '{}' };
const unauthorized: CourierHttpResponse = { status: 401, headers: {}, body: '{"code":"unauthorized"}' };
const token = (text: string): CourierHttpResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ access_token: text, expires_in: 2_592_000, token_type: 'Bearer' }),
});

describe('the token of a connection', () => {
  it('is requested as a form and sent as a bearer token', async () => {
    const { client, sent } = scripted([token('t1')]);
    await client.call('POST', '/deliveries', { a: 1 });
    expect(sent).toEqual([
      {
        method: 'POST',
        url: 'https://auth.uber.com/oauth/v2/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: 'client_id=client_1&client_secret=s%26cret&grant_type=client_credentials&scope=eats.deliveries',
      },
      {
        method: 'POST',
        url: 'https://api.uber.com/v1/customers/cus%2F1/deliveries',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: 'Bearer t1',
        },
        body: '{"a":1}',
        isAnswer: expect.any(Function),
      },
    ]);
  });

  it('is kept for 30 days, and shared by concurrent calls', async () => {
    const { client, clock, tokens } = scripted([token('t1'), token('t2')]);
    await Promise.all([client.call('GET', '/deliveries'), client.call('GET', '/deliveries')]);
    clock.now = 29 * 86_400_000;
    await client.call('GET', '/deliveries');
    expect(tokens()).toBe(1);
    clock.now = 30 * 86_400_000 - 60_000;
    await Promise.all([client.call('GET', '/deliveries'), client.call('GET', '/deliveries')]);
    expect(tokens()).toBe(2);
  });

  it('is renewed once where a kept one is refused', async () => {
    const { client, sent, tokens } = scripted([token('t1'), token('t2')], [ok, unauthorized, ok]);
    await client.call('GET', '/deliveries');
    expect(await client.call('GET', '/deliveries')).toEqual(ok);
    expect(tokens()).toBe(2);
    expect(sent.at(-1)?.headers.authorization).toBe('Bearer t2');
  });

  it('is not renewed again and again', async () => {
    const { client, tokens } = scripted([token('t1')], [unauthorized]);
    expect(await client.call('GET', '/deliveries')).toEqual(unauthorized);
    expect(tokens()).toBe(1);
    expect(await client.call('GET', '/deliveries')).toEqual(unauthorized);
    expect(tokens()).toBe(2);
  });

  it('is requested without a scope where naming it is refused', async () => {
    const refused = { status: 400, headers: {}, body: '{"error":"invalid_scope"}' };
    const { client, sent } = scripted([refused, token('t1')]);
    expect(await client.call('GET', '/deliveries')).toEqual(ok);
    expect(sent[1]?.body).toBe('client_id=client_1&client_secret=s%26cret&grant_type=client_credentials');
  });

  it('is asked for again after it was refused or the server failed', async () => {
    const refused = { status: 401, headers: {}, body: '{"error":"invalid_client"}' };
    const failed = { status: 503, headers: {}, body: '' };
    const { client, sent } = scripted([refused, failed, token('t1')]);
    expect(await client.call('GET', '/deliveries')).toMatchObject({ status: 401 });
    expect(sent).toHaveLength(1);
    await expect(client.call('GET', '/deliveries')).rejects.toBeInstanceOf(ProviderFault);
    expect(await client.call('GET', '/deliveries')).toEqual(ok);
  });

  it('is a fault where the response has none', async () => {
    const { client } = scripted([{ status: 200, headers: {}, body: '<html>' }]);
    await expect(client.call('GET', '/deliveries')).rejects.toBeInstanceOf(ProviderFault);
  });

  it('is used even if it expires at once', async () => {
    const short = { ...token('t1'), body: '{"access_token":"t1","expires_in":0}' };
    const { client, tokens } = scripted([short]);
    expect(await client.call('GET', '/deliveries')).toEqual(ok);
    expect(await client.call('GET', '/deliveries')).toEqual(ok);
    expect(tokens()).toBeLessThanOrEqual(3);
  });
});
