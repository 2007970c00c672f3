import { expect, test } from 'vitest';
import { eventsOf, numbersTo } from '../service/webhooks/received-events.ts';
import { sendFromTwoWorkers } from '../service/webhooks/two-workers.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();

test('two workers far from the database send everything, and each delivery in order', async () => {
  const load = { deliveries: 400, events_each: 10, writers: 6 };
  const { received, waiting } = await sendFromTwoWorkers(await postgres().newDatabase(), load);
  expect(waiting).toEqual([]);
  const firsts = eventsOf(received).filter(
    ({ id }, index, all) => all.findIndex((each) => each.id === id) === index,
  );
  const sequences = new Map<string, number[]>();
  for (const { id, sequence } of firsts) {
    const delivery_id = id.replace(/_\d+$/, '');
    sequences.set(delivery_id, [...(sequences.get(delivery_id) ?? []), sequence ?? 0]);
  }
  expect(sequences.size).toBe(load.deliveries);
  for (const sequence of sequences.values()) expect(sequence).toEqual(numbersTo(load.events_each));
}, 900_000);
