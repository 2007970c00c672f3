import { expect, test } from 'vitest';
import type { Provider, RecordEntry } from '../../../src/providers/port.ts';
import { createCourierRecords, simulatedOf } from '../../../src/service/runtime/courier-connections.ts';
import { createSealing, keysInMemory } from '../../../src/service/runtime/sealing.ts';
import { systemConfig } from '../../../src/service/runtime/system.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { createRequest } from '../../providers/simulated/requests.ts';
import { start } from '../fixture.ts';

const of = { provider: 'swiftly', reference: 'dsp_1', entered_at: start };
const written: RecordEntry[] = [
  { ...of, name: 'key', kind: 'fault', answer: null },
  { ...of, name: 'key', kind: 'created', answer: { kind: 'accepted', reference: 'dsp_1' } },
  { ...of, name: 'cancel', kind: 'canceled', answer: { kind: 'taken', fee: 501 } },
  { ...of, name: 'other', kind: 'refused', answer: { kind: 'refused', reason: 'no courier is free' } },
];

const sealing = createSealing(keysInMemory());

test('entries are read back unchanged by another instance on the same database', async () => {
  const storage = await openStorage(':memory:');
  for (const entry of written) await createCourierRecords(storage).enter(entry);
  const books = createCourierRecords(storage);
  expect(await books.about('swiftly', 'dsp_1')).toEqual(written);
  expect(await books.named('swiftly', 'key')).toEqual(written.slice(0, 2));
  expect(await books.named('haulvan', 'key')).toEqual([]);
});

async function count(storage: Storage): Promise<number> {
  return (await storage.run((db) => db.selectFrom('courier_entries').selectAll().execute())).length;
}

test('simulated couriers write into the given records, by default into the service’s database', async () => {
  const [own, theirs] = [await openStorage(':memory:'), await openStorage(':memory:')];
  const request = createRequest();
  const simulated = (config: { providers: readonly Provider[] }) => simulatedOf(config.providers);
  const providers = simulated(systemConfig(own, { sealing, records: createCourierRecords(theirs) }));
  for (const provider of providers) await provider.create(request);
  expect([await count(own), await count(theirs)]).toEqual([0, providers.length]);
  for (const provider of simulated(systemConfig(own, { sealing }))) await provider.create(request);
  expect([await count(own), await count(theirs)]).toEqual([providers.length, providers.length]);
});
