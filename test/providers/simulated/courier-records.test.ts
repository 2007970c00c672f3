import { expect, test } from 'vitest';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import {
  type CreateAnswer,
  type Provider,
  ProviderBusy,
  type RecordEntry,
} from '../../../src/providers/port.ts';
import { memoryRecords } from './memory-records.ts';
import { cancelRequest, createRequest, names, now, tomorrow } from './requests.ts';

const takesOnce = ['swiftly', 'metrobike', 'poolride', 'nightowl'];
const takesAgain = ['haulvan', 'flaky_co'];

/** A courier with these records: a new instance each time, as after a restart. */
function courierOn(entries: RecordEntry[], name: string): Provider {
  const found = simulatedProviders(memoryRecords(entries)).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
}

/** The response to a create, or its error. */
async function outcome(courier: Provider, scenario: Scenario): Promise<CreateAnswer['kind'] | Error> {
  return courier.create(createRequest({ scenario })).then(
    ({ kind }) => kind,
    (fault: Error) => fault,
  );
}

const kindsOf = (entries: readonly RecordEntry[]) => entries.map(({ kind }) => kind);

test.each(takesOnce)(
  '%s called twice with one key books once and repeats its first response',
  async (name) => {
    const entries: RecordEntry[] = [];
    const first = await courierOn(entries, name).create(createRequest());
    expect(await courierOn(entries, name).create(createRequest({ now: tomorrow }))).toEqual(first);
    expect(await courierOn(entries, name).create(createRequest({ scenario: 'no_capacity' }))).toEqual(first);
    expect(entries).toEqual([
      { provider: name, reference: 'dsp_1', name: 'k', kind: 'created', answer: first, entered_at: now },
    ]);
    await courierOn(entries, name).create(createRequest({ key: 'other', reference: 'dsp_2' }));
    expect(kindsOf(entries)).toEqual(['created', 'created']);
  },
);

test.each(takesAgain)('%s called twice books twice, and its records show it', async (name) => {
  const entries: RecordEntry[] = [];
  for (const at of [now, tomorrow]) await courierOn(entries, name).create(createRequest({ now: at }));
  expect(entries.map(({ kind, entered_at }) => [kind, entered_at])).toEqual([
    ['created', now],
    ['created', tomorrow],
  ]);
});

test.each(names)('%s still has what it accepted, refused and canceled after a restart', async (name) => {
  const entries: RecordEntry[] = [];
  const taken = await courierOn(entries, name).create(createRequest());
  const refusal = createRequest({ key: 'r', reference: 'dsp_2', scenario: 'no_capacity' });
  const refused = await courierOn(entries, name).create(refusal);
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_1' }))).toEqual(taken);
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_2' }))).toEqual(refused);
  expect(taken).toEqual({ kind: 'accepted', reference: 'dsp_1' });
  expect(refused).toEqual({ kind: 'refused', reason: `${name} has no courier available` });
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_3' }))).toBeNull();
  const canceled = await courierOn(entries, name).cancel(cancelRequest());
  expect(canceled).toEqual(await courierOn(entries, name).cancelTerms(cancelRequest()));
  const late = cancelRequest({ now: tomorrow, status: 'customer_canceled' });
  expect(await courierOn(entries, name).cancel(late)).toEqual(canceled);
  // The same order on another route is a different delivery.
  const other = await courierOn(entries, name).cancel({ ...late, reference: 'dsp_9' });
  expect(other.kind).toBe('refused');
  expect(kindsOf(entries)).toEqual(['created', 'refused', 'canceled']);
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_1' }))).toEqual(taken);
});

test('the records of a courier are not visible to others', async () => {
  const entries: RecordEntry[] = [];
  await courierOn(entries, 'swiftly').create(createRequest());
  expect(await courierOn(entries, 'poolride').find(createRequest({ reference: 'dsp_1' }))).toBeNull();
  await courierOn(entries, 'poolride').create(createRequest());
  expect(kindsOf(entries)).toEqual(['created', 'created']);
});

/** The results of four creates, each by a restarted courier, and the records of one that is idempotent. */
const faults: [Scenario, outcomes: string[], books: RecordEntry['kind'][]][] = [
  ['provider_error', ['503', '503', 'accepted', 'accepted'], ['fault', 'fault', 'created']],
  ['unknown_outcome_accepted', ['lost', 'accepted', 'accepted', 'accepted'], ['created', 'fault']],
  ['unknown_outcome_lost', ['lost', 'accepted', 'accepted', 'accepted'], ['fault', 'created']],
  ['rate_limited', ['429', '429', '429', 'accepted'], ['fault', 'fault', 'fault', 'created']],
];

/** The records of one that accepts repeatedly. */
const repeated: Partial<Record<Scenario, RecordEntry['kind'][]>> = {
  provider_error: ['fault', 'fault', 'created', 'created'],
  unknown_outcome_accepted: ['created', 'fault', 'created', 'created', 'created'],
  unknown_outcome_lost: ['fault', 'created', 'created', 'created'],
};

test.each(faults)('%s: four creates are %j', async (scenario, outcomes, books) => {
  for (const name of names) {
    const entries: RecordEntry[] = [];
    const told: string[] = [];
    for (const _ of outcomes) told.push(String(await outcome(courierOn(entries, name), scenario)));
    expect(told).toEqual(outcomes.map((word) => expect.stringContaining(word)));
    const often = takesAgain.includes(name) ? repeated[scenario] : undefined;
    expect(kindsOf(entries), name).toEqual(often ?? books);
  }
});

test('each dispatch fails on its own, independent of others', async () => {
  const entries: RecordEntry[] = [];
  const courier = courierOn(entries, 'swiftly');
  await outcome(courier, 'unknown_outcome_lost');
  const other = createRequest({ key: 'b', reference: 'dsp_2', scenario: 'unknown_outcome_lost' });
  await expect(courier.create(other)).rejects.toThrow('lost');
  expect((await courier.create(other)).kind).toBe('accepted');
});

test('a busy courier says for how long', async () => {
  const busy = await outcome(courierOn([], 'swiftly'), 'rate_limited');
  expect(busy instanceof ProviderBusy && busy.retry_after_seconds).toBe(2);
});

test('a booking is found even if the courier stopped before it recorded the lost response', async () => {
  const entries: RecordEntry[] = [];
  await outcome(courierOn(entries, 'haulvan'), 'unknown_outcome_accepted');
  expect(
    await courierOn(entries.slice(0, 1), 'haulvan').find(createRequest({ reference: 'dsp_1' })),
  ).toMatchObject({ kind: 'accepted' });
});
