import { expect, test } from 'vitest';
import { createSealing, type Sealing } from '../../../src/service/runtime/sealing.ts';
import { keysInMemory, readSecretKeys } from '../../../src/service/runtime/secret-keys.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { clientOf, everythingStored, type Fixture, startFixture } from '../fixture.ts';
import { newEndpoint, offline, receiving, refusalOf, startOffline } from './endpoint-fixture.ts';

const hour = 60 * 60_000;
const at = (ms: number) => new Date(ms).toISOString();

/** The stored secrets, decrypted, with the end of each previous one. */
async function kept({ storage, config }: Pick<Fixture, 'storage' | 'config'>) {
  const row = await storage.run((db) =>
    db.selectFrom('webhook_endpoints').select(['id', 'secret', 'previous_secrets']).executeTakeFirstOrThrow(),
  );
  const previous: { secret: string; until: number }[] = JSON.parse(row.previous_secrets);
  const open = (secret: string) => config.sealing.open(row.id, secret);
  const pairs = previous.map(async ({ secret, until }) => [await open(secret), until]);
  return [await open(row.secret), ...(await Promise.all(pairs)).flat()];
}

test('a rotation creates a new secret, and the old one signs for another 24 hours', async () => {
  const { fixture, client } = await startOffline();
  const { params, secret: first, ...before } = await newEndpoint(client);
  await fixture.pass(1000);
  const { data } = await client.webhooks.rotate({ params });
  const { secret: second, ...after } = data;
  const until = fixture.now() + 24 * hour;
  expect(second).not.toBe(first);
  expect(second).toMatch(/^whsec_/);
  const rotated = { previous_secret_until: at(until), updated_at: at(fixture.now()) };
  expect(after).toEqual({ ...before, ...rotated });
  expect(await kept(fixture)).toEqual([second, first, until]);
  const get = async () => (await client.webhooks.get({ params })).data.previous_secret_until;
  await fixture.pass(24 * hour - 1);
  expect(await get()).toBe(at(until));
  await fixture.pass(1);
  expect(await get()).toBeNull();
});

test('no secret ends early: with twenty active ones a rotation is refused until the first expires', async () => {
  const { fixture, client } = await startOffline();
  const { params, secret: first } = await newEndpoint(client);
  const until = fixture.now() + 24 * hour;
  for (let rotation = 0; rotation < 20; rotation += 1) {
    await client.webhooks.rotate({ params });
    await fixture.pass(1000);
  }
  const signing = await kept(fixture);
  expect(signing).toHaveLength(1 + 2 * 20);
  expect(signing.slice(-2)).toEqual([first, until]);
  const refused = client.webhooks.rotate({ params });
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`Rotate again after ${at(until)}`),
  });
  expect(await kept(fixture)).toEqual(signing);
  await fixture.pass(24 * hour - 20_000);
  const { data } = await client.webhooks.rotate({ params });
  expect(await kept(fixture)).toEqual([data.secret, signing[0], expect.any(Number), ...signing.slice(1, -2)]);
});

test('two concurrent rotations each return a secret that signs', async () => {
  const { fixture } = await startOffline();
  const { params } = await newEndpoint(fixture.client());
  const rotations = [1, 2].map(() => fixture.client().webhooks.rotate({ params }));
  const secrets = (await Promise.all(rotations)).map(({ data }) => data.secret);
  const [current, previous] = await kept(fixture);
  expect([current, previous].sort()).toEqual(secrets.sort());
});

/** A client that records its responses. */
function listening(fixture: Fixture) {
  const heard: string[] = [];
  const fetch: Fixture['service']['fetch'] = async (request) => {
    const answer = await fixture.service.fetch(request);
    heard.push(JSON.stringify(answer));
    return answer;
  };
  return { heard, client: clientOf({ fetch }, fixture.keys.test) };
}

test('a secret is only in the two responses that show it', async () => {
  const { fixture, receiver, client: showing } = await receiving(() => ({ status: 500, body: 'no' }));
  const made = await newEndpoint(showing, { url: receiver.url, events: ['*'] });
  const rotated = (await showing.webhooks.rotate({ params: made.params })).data;
  const secrets = [made.secret ?? '', rotated.secret ?? ''];
  const { params } = made;
  const { client, heard } = listening(fixture);
  const { id } = await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  await client.webhooks.test({ params });
  const [event] = (await client.events.list({ query: { delivery_id: id } })).data.data;
  await client.events.resend({ params: { event_id: event?.id ?? '' }, body: {} });
  await client.webhooks.list();
  await client.webhooks.get({ params });
  await client.webhooks.attempts({ params });
  await client.webhooks.update({ params, body: { description: 'till', status: 'disabled' } });
  await client.webhooks.test({ params }).catch(() => {});
  await client.webhooks.delete({ params: { webhook_endpoint_id: 'whe_none' } }).catch(() => {});
  const stored = await everythingStored(fixture);
  expect(stored).toContain('webhook_attempts');
  expect(receiver.received.length).toBeGreaterThan(1);
  const texts = [stored, ...heard, JSON.stringify(receiver.received), JSON.stringify(fixture.faults)];
  for (const text of texts) {
    expect(text).not.toContain('whsec_');
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_.{44}$/);
      expect(text).not.toContain(secret.slice('whsec_'.length));
      expect(text).not.toContain(atob(secret.slice('whsec_'.length)));
    }
  }
});

test('without a key no secret is made, and the same request succeeds once there is one', async () => {
  let sealing = createSealing(readSecretKeys('postgres://localhost/waybill'));
  const current: Sealing = {
    seal: (...secret) => sealing.seal(...secret),
    open: (...stored) => sealing.open(...stored),
    isAvailable: () => sealing.isAvailable(),
  };
  const fixture = await startFixture({ parts: { web: offline, sealing: current } });
  const create = () =>
    fixture.send('POST', '/v2/webhook_endpoints', {
      body: { url: 'https://shop.example/hooks' },
      headers: { 'idempotency-key': 'the same' },
    });
  const refused = await create();
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([409, { code: 'secret_key_missing' }]);
  expect((await fixture.client().webhooks.list()).data.data).toEqual([]);
  sealing = createSealing(keysInMemory());
  const made = JSON.parse((await create()).body);
  expect(made.secret).toMatch(/^whsec_/);

  const params = { webhook_endpoint_id: made.id };
  sealing = createSealing(readSecretKeys('postgres://localhost/waybill'));
  const rotation = fixture.client().webhooks.rotate({ params });
  expect(await refusalOf(rotation)).toEqual(['secret_key_missing']);
  const { data: attempt } = await fixture.client().webhooks.test({ params });
  expect(attempt).toMatchObject({ status: 'failed', reason: expect.stringContaining('does not have') });
  const { data } = await fixture.client().webhooks.update({ params, body: { status: 'disabled' } });
  expect([data.status, fixture.faults]).toEqual(['disabled', []]);
});
