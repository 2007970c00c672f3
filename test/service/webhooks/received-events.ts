import type { Event } from '../../../src/contract/events.ts';
import type { WebhookEndpointRow } from '../../../src/storage/database.ts';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import { type Fixture, start } from '../fixture.ts';
import type { Received } from './receiver.ts';

let count = 0;

/** A webhook endpoint in a fixture's database, in test mode by default; the secrets of changes are encrypted, too. */
export async function insertEndpoint(
  fixture: Pick<Fixture, 'storage' | 'config'>,
  url: string,
  changes: Partial<WebhookEndpointRow> = {},
): Promise<WebhookEndpointRow> {
  const account = await fixture.storage.run((db) =>
    db.selectFrom('accounts').select('id').executeTakeFirstOrThrow(),
  );
  count += 1;
  const id = changes.id ?? `whe_${String(count).padStart(26, '0')}`;
  const { sealing } = fixture.config;
  const previous: { secret: string; until: number }[] = JSON.parse(changes.previous_secrets ?? '[]');
  const sealed = previous.map(async ({ secret, until }) => ({
    secret: await sealing.seal(id, secret),
    until,
  }));
  const row: WebhookEndpointRow = {
    id,
    account_id: account.id,
    test_mode: 1,
    url,
    events: '["*"]',
    description: '',
    status: 'enabled',
    disabled_reason: '',
    disabled_at: null,
    held_until: null,
    created_at: start,
    updated_at: start,
    ...changes,
    secret: await sealing.seal(id, changes.secret ?? `whsec_${btoa(`secret number ${count} of the tests`)}`),
    previous_secrets: JSON.stringify(await Promise.all(sealed)),
  };
  await fixture.storage.run((db) => insertWebhookEndpoint(db, row));
  return row;
}

/** The received events. */
export function eventsOf(received: readonly Received[]): Event[] {
  return received.map(({ body }): Event => JSON.parse(body));
}

/** The id of an event's record. */
function idOf(data: object): string {
  return 'id' in data ? String(data.id) : '';
}

/** The sequences of each delivery, in order of arrival. */
export function sequencesOf(events: readonly Event[]): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (const { sequence, data } of events) {
    if (sequence === null) continue;
    const id = idOf(data);
    all.set(id, [...(all.get(id) ?? []), sequence]);
  }
  return all;
}

/** 1, 2, 3 … */
export function numbersTo(length: number): number[] {
  return Array.from({ length }, (_, index) => index + 1);
}

/** The events of an account, in order. */
export async function publishedEvents(
  fixture: Pick<Fixture, 'storage'>,
): Promise<{ id: string; type: string }[]> {
  return fixture.storage.run((db) =>
    db.selectFrom('events').select(['id', 'type']).orderBy('position').execute(),
  );
}
