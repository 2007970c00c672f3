import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { eventsOf, numbersTo } from '../service/webhooks/received-events.ts';
import { sendFromTwoWorkers } from '../service/webhooks/two-workers.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

test('two workers far from the database send everything, and each delivery in order', async () => {
  const load = { deliveries: 400, events_each: 10, writers: 6 };
  const { received, waiting } = await sendFromTwoWorkers(await postgres.newDatabase(), load);
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
