import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CourierAdapter, CourierCheck } from '../../../src/providers/courier.ts';
import { connectableCouriers } from '../../../src/providers/directory.ts';
import { startFixture } from '../fixture.ts';

const modes = ['test', 'live'] as const;
type Mode = (typeof modes)[number];

/** What the check of a courier finds, and the calls that its connections got, each with the mode of the connection. */
interface Record {
  found: Mode | 'unknown';
  calls: { name: string; connection: string; test_mode: boolean }[];
}

/** An adapter whose connections are only recorded; its settings name the mode that they are for. */
function recorded(adapter: CourierAdapter, record: Record): CourierAdapter {
  return {
    ...adapter,
    connect: (settings, { test_mode }) => {
      const connection =
        settings[adapter.settings.find(({ choices }) => choices === undefined)?.name ?? ''] ?? '';
      const check = async (): Promise<CourierCheck> => {
        record.calls.push({ name: adapter.name, connection, test_mode });
        return { kind: 'connected', mode: record.found };
      };
      const refuse = async () => {
        throw new Error('only checks are made');
      };
      return { check, quote: refuse, create: refuse, cancelTerms: refuse, cancel: refuse, poll: refuse };
    },
  };
}

function settingsFor({ settings }: CourierAdapter, mode: Mode) {
  const values = settings
    .filter(({ is_optional }) => !is_optional)
    .map(({ name, choices }) => [name, choices?.[0] ?? mode]);
  return Object.fromEntries(values);
}

const calls = fc.array(
  fc.record({
    key: fc.constantFrom(...modes),
    verb: fc.constantFrom('connect', 'check', 'enable', 'disable', 'remove'),
    /** The mode that the settings are for, as the courier reports it. */
    found: fc.constantFrom(...modes),
  }),
  { maxLength: 12 },
);

test('over all couriers and keys, settings of one mode are never stored or called with a key of the other', async () => {
  for (const { name, load } of connectableCouriers) {
    const adapter = await load();
    await fc.assert(
      fc.asyncProperty(calls, async (list) => {
        const record: Record = { found: 'unknown', calls: [] };
        const connectable = [{ name, load: async () => recorded(adapter, record) }];
        const fixture = await startFixture({ parts: { connectable } });
        for (const { key, verb, found } of list) {
          const headers = { 'x-api-key': fixture.keys[key] };
          const path = `/v2/couriers/${name}`;
          if (verb === 'connect') {
            record.found = found;
            const body = { settings: settingsFor(adapter, found) };
            const answer = await fixture.send('PUT', path, { headers, body });
            const code = answer.status === 200 ? null : JSON.parse(answer.body).code;
            expect(code).toBe(found === key ? null : 'courier_mode_mismatch');
          } else if (verb === 'remove') await fixture.send('DELETE', path, { headers });
          else {
            record.found = key;
            await fixture.send('POST', `${path}/${verb}`, { headers, body: {} });
          }
        }
        const rows = await fixture.storage.run((db) => db.selectFrom('couriers').selectAll().execute());
        for (const { account_id, test_mode } of rows) {
          const scope = { account_id, test_mode: test_mode === 1 };
          const used = Object.values((await fixture.config.connections.settings(name, scope)) ?? {});
          expect(used).toContain(scope.test_mode ? 'test' : 'live');
          expect(used).not.toContain(scope.test_mode ? 'live' : 'test');
        }
        // Only the check that finds the mismatch is made with settings of the other mode.
        const stored = record.calls.filter(
          ({ connection, test_mode }) => (connection === 'test') === test_mode,
        );
        const refused = record.calls.length - stored.length;
        const mismatches = list.filter(({ verb, key, found }) => verb === 'connect' && key !== found).length;
        expect(refused).toBe(mismatches);
        await fixture.storage.close();
      }),
      { numRuns: 6 },
    );
  }
});
