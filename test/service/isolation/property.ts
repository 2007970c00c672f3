import fc from 'fast-check';
import { expect } from 'vitest';
import { arbitraryCall, partsOf } from './arbitrary-calls.ts';
import { type Parts, validParts } from './requests.ts';
import { call, type Mode, makeWorlds, pass, viewOf, type Worlds } from './world.ts';

/** The mode whose keys call, and the mode whose records must not change. */
export interface Sides {
  acting: Mode;
  seen: Mode;
}

export const bothSides: Sides[] = [
  { acting: 'test', seen: 'live' },
  { acting: 'live', seen: 'test' },
];

/** One call with a mode's own key. */
interface Made {
  key: string;
  id: string;
  parts: Parts;
  name: string;
}

const minute_ms = 60_000;
/** The maximum number of differences shown. */
const max_shown = 20;

/** What a mode makes of a later time: new records, due work, and everything it sees then. */
async function futureOf(worlds: Worlds, mode: Mode): Promise<unknown> {
  const { keys, ids } = worlds[mode];
  for (const id of ['CreateOrders', 'CreateDeliveryInformation', 'QuoteDelivery']) {
    const parts = { body: validParts[id]?.(ids).body };
    const { status } = await call(worlds, keys.admin, { id, parts, name: `later ${id}` });
    expect(status, id).toBeLessThan(300);
  }
  for (const minutes of [1, 45]) await pass(worlds.fixture, minutes * minute_ms);
  const view = JSON.stringify(await viewOf(worlds, mode));
  // Tokens are random secrets.
  return JSON.parse(view.replace(/\/track\/\w+/g, '/track/'));
}

/** The future of each mode without calls of the other. */
const undisturbed = new Map<Mode, unknown>();

/** Checks that calls change nothing that the keys of a mode see: neither now, nor later. */
export async function expectUnchanged(seen: Mode, callsOf: (worlds: Worlds) => Made[]): Promise<void> {
  if (!undisturbed.has(seen)) undisturbed.set(seen, await futureOf(await makeWorlds(), seen));
  const worlds = await makeWorlds();
  const before = await viewOf(worlds, seen);
  for (const { key, ...made } of callsOf(worlds)) await call(worlds, key, made);
  expect(differences(before, await viewOf(worlds, seen)).slice(0, max_shown)).toEqual([]);
  const future = await futureOf(worlds, seen);
  expect(differences(undisturbed.get(seen), future).slice(0, max_shown)).toEqual([]);
  // A simulated failure of a courier is reported as text.
  expect(worlds.fixture.faults.filter((fault) => typeof fault !== 'string')).toEqual([]);
  worlds.fixture.service.endStreams();
}

/** The same for random calls in random order. */
export async function expectUnchangedByRandomCalls({ acting, seen }: Sides): Promise<void> {
  const calls = fc.array(arbitraryCall(), { minLength: 20, maxLength: 40 });
  const property = fc.asyncProperty(calls, (all) =>
    expectUnchanged(seen, (worlds) =>
      all.map((made) => {
        const own = worlds[acting].ids;
        const named = made.isOwn ? own : worlds[seen].ids;
        const { id, permission, name } = made;
        return { key: worlds[acting].keys[permission], id, parts: partsOf(made, { own, named }), name };
      }),
    ),
  );
  await fc.assert(property, { numRuns: 25, endOnFailure: true });
}

/** Where two values of JSON differ, one line for each place: `path: one -> other`. */
function differences(one: unknown, other: unknown, path = ''): string[] {
  if (isBranch(one) && isBranch(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) => differences(one[name], other[name], `${path}/${name}`));
  }
  const [before, after] = [JSON.stringify(one), JSON.stringify(other)];
  return before === after ? [] : [`${path}: ${before} -> ${after}`];
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
