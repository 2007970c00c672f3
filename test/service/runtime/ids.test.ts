import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { exactPart, newId, takeRandomPart } from '../../../src/service/runtime/ids.ts';
import { seededChance } from '../../../src/service/runtime/random.ts';
import {
  attemptRow,
  type CompletedAttempt,
} from '../../../src/service/webhooks/delivery/message-outcomes.ts';
import type { Connection, Database } from '../../../src/storage/database.ts';
import { newBatch } from '../auto-dispatch/batches.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';
import { insertEndpoint } from '../webhooks/received-events.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const named = 'delivery.location_updated';

/** Every table whose rows have an id of their own. */
const tables = [
  ...(['api_keys', 'orders', 'routes', 'jobs', 'quotes', 'dispatches', 'deliveries', 'charges'] as const),
  ...(['events', 'stores', 'batches', 'tries', 'webhook_endpoints', 'webhook_attempts', 'tasks'] as const),
] satisfies readonly (keyof Database)[];

async function idsIn(db: Connection): Promise<string[]> {
  const ids: string[] = [];
  for (const table of tables) {
    const rows = await db.selectFrom(table).select('id').execute();
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

type Act = (fixture: Fixture) => Promise<unknown>;

const advance =
  (by: number): Act =>
  (fixture) =>
    fixture.client().clock.advance({ body: { by } });

const create =
  (scenario: Scenario): Act =>
  (fixture) =>
    startedDelivery(fixture.client(), scenario);

const dispatch: Act = async (fixture) => {
  const params = await askedRoute(fixture.client(), [orderRequest(), orderRequest()]);
  await advance(5)(fixture);
  const [quote] = (await fixture.client().quotes.list({ params })).data.data ?? [];
  if (quote === undefined) return;
  await fixture.client().dispatches.create({ params, body: { quote_id: quote.id } });
};

const batch: Act = (fixture) => newBatch(fixture.client(), [{}, {}]);

/** Merchants' actions on existing endpoints. */
const setEndpoints =
  (status: 'enabled' | 'disabled'): Act =>
  async (fixture) => {
    const { webhooks } = fixture.client();
    const [first] = (await webhooks.list({ query: {} })).data.data;
    if (first !== undefined)
      await webhooks.update({ params: { webhook_endpoint_id: first.id }, body: { status } });
  };

const resend: Act = async (fixture) => {
  const { data } = (await fixture.client().events.list({ query: { limit: 3 } })).data;
  for (const { id } of data) {
    await fixture.client().events.resend({ params: { event_id: id }, body: {} });
  }
};

const cancelAndRetry: Act = async (fixture) => {
  const [delivery] = (await fixture.client().deliveries.list({ query: { limit: 1 } })).data.data;
  if (delivery === undefined) return;
  const params = { deliveryid: delivery.id };
  // An ended delivery rejects one, an active delivery the other.
  await fixture
    .client()
    .deliveries.cancel({ params, body: { reason: 'no longer wanted' } })
    .catch(refused);
  await fixture.client().deliveries.retry({ params, body: {} }).catch(refused);
};

function refused(fault: unknown): void {
  expect(fault).toMatchObject({ status: expect.any(Number) });
  expect(fault).not.toMatchObject({ status: 500 });
}

/** The events missed by a disabled endpoint are sent to it in one millisecond. */
const missed: [string, Act][] = [
  ['disable', setEndpoints('disabled')],
  ['advance half an hour', advance(1_800)],
  ['enable', setEndpoints('enabled')],
  ['advance a minute', advance(60)],
];

const acts: [string, Act][] = [
  ['create', create('happy_path')],
  ['create shuffled', create('shuffled_feed')],
  ['create unlucky', create('no_driver')],
  ['dispatch', dispatch],
  ['batch', batch],
  ...missed,
  ['resend', resend],
  ['cancel and retry', cancelAndRetry],
];

test('under a manual clock no two records have the same id', async () => {
  const receiver = await startReceiver();
  try {
    const plan = fc.array(fc.constantFrom(...acts), { minLength: 4, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(plan, async (chosen) => {
        const fixture = await startFixture();
        const events = JSON.stringify(['*', named]);
        await insertEndpoint(fixture, `${receiver.url}/one`, { events });
        await insertEndpoint(fixture, `${receiver.url}/other`, { events: JSON.stringify([named]) });
        await fixture.client().clock.set({ body: { mode: 'manual' } });
        await create('happy_path')(fixture);
        for (const [, act] of chosen) await act(fixture);
        await fixture.service.tick();
        await fixture.service.send();
        const ids = await fixture.storage.run(idsIn);
        expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
        expect(fixture.faults).toEqual([]);
        await fixture.service.stop();
      }),
      { numRuns: 5, seed: 1, examples: [[missed]] },
    );
  } finally {
    await receiver.close();
  }
});

test('the position events of a delivery differ in the random part of their ids', async () => {
  const fixture = await startFixture();
  await insertEndpoint(fixture, 'http://127.0.0.1:9/', { events: JSON.stringify([named]) });
  await startedDelivery(fixture.client(), 'happy_path');
  await advance(3_600)(fixture);
  const { data } = (await fixture.client().events.list({ query: { type: named, limit: 100 } })).data;
  expect(data.length).toBeGreaterThan(5);
  expect(new Set(data.map(({ id }) => takeRandomPart(id))).size).toBe(data.length);
});

const chance = seededChance('ids');
const ulid = fc.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/);
const idLike = fc.tuple(fc.constantFrom('evt', 'ord'), ulid).map(([prefix, text]) => `${prefix}_${text}`);
const text = fc.oneof(
  idLike,
  fc.string(),
  fc.string().map((plain) => `=${plain}`),
);

/** Ids of different times with the same random part. */
const twins = ['ord_0000000000AAAAAAAAAAAAAAAA', 'ord_0000000001AAAAAAAAAAAAAAAA'];

test('two outer parts of an id stay separate, even if they look like ids', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 2, maxLength: 2 }), ([one = '', other = '']) => {
      expect(takeRandomPart(exactPart(one))).not.toBe(takeRandomPart(exactPart(other)));
    }),
  );
  expect(new Set(twins.map((each) => newId(chance, 'ord', 0, exactPart(each)))).size).toBe(2);
});

/** An attempt at a fixed time. */
function attemptOf(event_id: string, endpoint_id: string, sends: number, claim: number): string {
  const scope = { account_id: 'acct_1', test_mode: 1 as const };
  const sent: CompletedAttempt = {
    endpoint: {
      ...{ ...scope, id: endpoint_id, url: '', events: '[]', description: '', status: 'enabled' },
      ...{ disabled_reason: '', disabled_at: null, held_until: null, secret: '', previous_secrets: '[]' },
      ...{ created_at: 0, updated_at: 0 },
    },
    message: {
      ...{ ...scope, sequence: 1, endpoint_id, event_id, queue: '', status: 'pending', attempts: 0 },
      ...{ sends, due_at: 0, claim, claimed_until: null, created_at: 0 },
    },
    result: { status_code: 200, reason: '', response: '', retry_after_ms: undefined, duration_ms: 0 },
    began_at: 0,
    ended_at: 0,
  };
  return attemptRow(sent, { kind: 'arrived' }, chance).id;
}

test('attempts of one millisecond have distinct ids, also for events with the same random part', () => {
  const event = fc.tuple(fc.constantFrom('0000000000', '0000000001'), fc.constantFrom('A', 'B'));
  const identity = fc.tuple(event, fc.constantFrom('one', 'other'), fc.nat(3), fc.nat(3));
  const attempts = fc.uniqueArray(identity, { selector: String, minLength: 2, maxLength: 30 });
  fc.assert(
    fc.property(attempts, (all) => {
      const ids = all.map(([[time, letter], endpoint, sends, claim]) =>
        attemptOf(`evt_${time}${letter.repeat(16)}`, `whe_${endpoint}`, sends, claim),
      );
      expect(new Set(ids).size).toBe(all.length);
    }),
    { numRuns: 50 },
  );
});

test('the quotes of a round have ids by provider', async () => {
  const fixture = await startFixture();
  const { id } = await draftRoute(fixture.client());
  const quotes = await quotesOf(fixture, id);
  expect(new Set(quotes.map((quote) => takeRandomPart(quote.id))).size).toBe(quotes.length);
});
