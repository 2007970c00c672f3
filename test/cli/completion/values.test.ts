import { expect, test } from 'vitest';
import { completionIndexText } from '../../../src/build/help-texts.ts';
import { completionOf, type RecordQuery, readIndex } from '../../../src/cli/completion/candidates.ts';
import { flagLabel } from '../../../src/cli/kit/args/command-input.ts';
import { globalsFor } from '../../../src/cli/kit/args/global-flags.ts';
import { commands } from '../commands-of-tree.ts';

const index = readIndex(Buffer.from(await completionIndexText()));

/** One record of each kind, all with one reference. */
const reference = '#7: "a"';
const ask = async ({ kinds, statuses }: RecordQuery) =>
  kinds.map((kind) => ({
    ...{ kind, id: kind === 'profile' ? 'shop' : `${kind}_1` },
    ...{ status: statuses[0] ?? `of ${kind}`, reference },
  }));

const about = async (...line: string[]) => (await completionOf(line, index, ask)).candidates;
const words = async (...line: string[]) => (await about(...line)).map(({ value }) => value);

const flags = commands.flatMap(({ path, command }) =>
  Object.entries({ ...globalsFor(command), ...command.flags }).map(([name, flag]) => ({ path, name, flag })),
);
const closed = flags.filter(({ flag }) => flag.choices.length > 0);

test('each flag with fixed values completes them, by each of its names, after a space and after =', async () => {
  expect(closed.length).toBeGreaterThan(80);
  for (const { path, name, flag } of closed) {
    const labels = [flagLabel(name), ...flag.aliases.map((alias) => `--${alias}`)];
    for (const label of labels) {
      expect(await words(...path, label, ''), `${path.join(' ')} ${label}`).toEqual(flag.choices);
      expect(await words(...path, `${label}=`)).toEqual(flag.choices.map((value) => `${label}=${value}`));
    }
    if (flag.short !== null) expect(await words(...path, `-${flag.short}`, '')).toEqual(flag.choices);
  }
});

/** Candidates for a value with a fixed list, or of a record. */
const kinds: Readonly<Record<string, string>> = {
  ...{ BATCH: 'batch_1', DELIVERY: 'delivery_1', ENDPOINT: 'webhook_endpoint_1', EVENT: 'event_1' },
  ...{ NAMES: 'swiftly', ORDER: 'order_1', PROFILE: 'shop', PROVIDER: 'swiftly', SCENARIO: 'happy_path' },
  COURIER: 'doordash-drive',
  ...{ REF: reference, STORE: 'store_1', 'DELIVERY:STATUS': 'delivery_1:' },
};

test('each flag for a kind of record completes ids of the service', async () => {
  const found = flags.filter(
    ({ flag }) => flag.choices.length === 0 && kinds[flag.placeholder] !== undefined,
  );
  expect(found.length).toBeGreaterThan(80);
  for (const { path, name, flag } of found)
    expect(await words(...path, flagLabel(name), ''), `${path.join(' ')} ${name}`).toContain(
      kinds[flag.placeholder],
    );
});

test('each id argument is completed, in the middle of a line, after -- and for aliases of its command', async () => {
  let count = 0;
  for (const { path, command } of commands) {
    const [place] = Object.values(command.positionals);
    if (place === undefined || path[0] === 'help' || ['text', 'file', 'profile'].includes(place.kind))
      continue;
    const value = kinds[place.kind.toUpperCase()] ?? `${place.kind}_1`;
    const names = [path.at(-1) ?? '', ...command.aliases].map((name) => [...path.slice(0, -1), name]);
    for (const name of names) {
      expect(await words(...name, ''), name.join(' ')).toContain(value);
      expect(await words('-q', ...name, '--', value.slice(0, 4))).toContain(value);
    }
    count += 1;
  }
  expect(count).toBeGreaterThan(30);
});

test('commands that dispatch, quote or delete a route complete drafts; a new route completes open orders', async () => {
  const askAll = async ({ kinds }: RecordQuery) =>
    kinds.flatMap((kind) =>
      ['draft', 'open', 'failed', 'dispatched', 'completed'].map((status) => {
        return { kind, id: `${kind}_${status}`, status, reference: '' };
      }),
    );
  const offered = async (...line: string[]) =>
    (await completionOf([...line, ''], index, askAll)).candidates.map(({ value }) => value);
  for (const line of [['dispatch'], ['routes', 'quote'], ['routes', 'delete']])
    expect(await offered(...line)).toEqual(['route_draft']);
  expect(await offered('routes', 'get')).toContain('route_dispatched');
  expect(await offered('routes', 'create')).toEqual(['order_open', 'order_failed']);
  expect(await offered('deliveries', 'retry')).toEqual(['delivery_failed']);
});
