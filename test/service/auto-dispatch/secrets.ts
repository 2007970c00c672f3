import { expect } from 'vitest';
import { eventRows } from '../event-rows.ts';
import type { Fixture } from '../fixture.ts';
import type { Received } from '../webhooks/receiver.ts';

/**
 * No event in the database or sent to an endpoint contains a secret: no key, signing secret or idempotency key.
 * Tracking links are only added when an event is returned, and only of its own delivery.
 */
export async function expectNoSecrets(fixture: Fixture, received: readonly Received[]): Promise<void> {
  const rows = await fixture.storage.run(eventRows);
  const secrets = await secretsIn(fixture);
  const tokens = await tokensIn(fixture);
  expect(secrets.length).toBeGreaterThan(20);
  expect(tokens.length).toBeGreaterThan(20);
  const log = JSON.stringify(rows);
  expect([...secrets, ...tokens].filter((secret) => log.includes(secret))).toEqual([]);
  expect(received).toHaveLength(rows.length);
  const sent = JSON.stringify(received.map(({ path, headers, body }) => [path, headers, body]));
  expect(secrets.filter((secret) => sent.includes(secret))).toEqual([]);
  const unlinked = sent.replaceAll(/"tracking_url\\":\\"https:\/\/shop\.example\/track\/\w+\\"/g, '');
  expect(tokens.every((token) => sent.includes(token))).toBe(true);
  expect(tokens.filter((token) => unlinked.includes(token))).toEqual([]);
}

async function secretsIn({ storage, keys, config: { sealing } }: Fixture): Promise<string[]> {
  const [hashes, endpoints, dispatches, requests] = await storage.run(async (db) => [
    await db.selectFrom('api_keys').select('hash').execute(),
    await db.selectFrom('webhook_endpoints').select(['id', 'secret', 'previous_secrets']).execute(),
    await db.selectFrom('dispatches').select('request_key').execute(),
    await db.selectFrom('idempotency_keys').select('key').execute(),
  ]);
  const sealed = endpoints.flatMap(({ id, secret, previous_secrets }) => {
    const before: { secret: string }[] = JSON.parse(previous_secrets);
    return [secret, ...before.map((each) => each.secret)].map((each) => sealing.open(id, each));
  });
  const signing = await Promise.all(sealed);
  const encoded = signing.map((secret) => secret.replace('whsec_', ''));
  const secrets = [
    ...[keys.test, keys.live, ...hashes.map(({ hash }) => hash)],
    ...[...signing, ...encoded, ...encoded.map(atob)],
    ...[...dispatches.map(({ request_key }) => request_key ?? ''), ...requests.map(({ key }) => key)],
  ];
  return [...new Set(secrets)].filter((secret) => secret !== '');
}

async function tokensIn({ storage }: Fixture): Promise<string[]> {
  const rows = await storage.run((db) => db.selectFrom('deliveries').select('tracking_token').execute());
  return rows.map(({ tracking_token }) => tracking_token);
}
