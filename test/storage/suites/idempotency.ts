import { expect, test } from 'vitest';
import type { Connection } from '../../../src/storage/database.ts';
import {
  claimKey as beginCall,
  deleteOldKeys,
  type KeyLease,
  type KeyUse,
  releaseKey,
  replaceResponse,
  storeResponse,
} from '../../../src/storage/idempotency.ts';
import { noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

/** `leased` if the call may run; otherwise the state of the key. */
async function begin(db: Connection, use: KeyUse) {
  const { lease, earlier } = await beginCall(db, use);
  return lease === null ? earlier : 'leased';
}

const day = 24 * 60 * 60 * 1000;
const answer = { status: 200, body: '{"object":"order"}' };

function use(change: Partial<KeyUse> & { wall_now?: number } = {}): KeyUse & KeyLease {
  const wall_now = change.wall_now ?? noon;
  const call = { key: 'k', operation: 'CreateOrders', body_hash: 'h', runner: '', forgets: true };
  return { ...scope, ...call, wall_now, lease_ms: 10_000, ...change, leased_until: wall_now + 10_000 };
}

export function idempotencySuite(fresh: FreshStorage): void {
  test('a key begins once, is seen running, then with its answer', async () => {
    const { db } = await fresh();
    expect(await begin(db, use())).toBe('leased');
    const running = await begin(db, use({ wall_now: noon + 9_999 }));
    expect(running).toMatchObject({ state: 'running', body_hash: 'h', status: null, created_at: noon });
    expect(await storeResponse(db, use(), answer)).toBe(true);
    expect(await storeResponse(db, use(), answer)).toBe(false);
    const done = await begin(db, use({ wall_now: noon + 60_000, body_hash: 'other' }));
    expect(done).toMatchObject({ state: 'done', ...answer, body_hash: 'h' });
  });

  test('a key is claimed with its answer, unless it was used before', async () => {
    const { db } = await fresh();
    expect(await beginCall(db, use(), answer)).toMatchObject({ lease: { leased_until: noon + 10_000 } });
    const later = { status: 404, body: '{}' };
    expect(await beginCall(db, use({ wall_now: noon + 60_000 }), later)).toMatchObject({
      lease: null,
      earlier: { state: 'done', ...answer },
    });
    await replaceResponse(db, use(), later);
    expect(await begin(db, use())).toMatchObject({ state: 'done', ...later });
    expect(await beginCall(db, use({ wall_now: noon + day }), answer)).toMatchObject({ earlier: null });
  });

  test('the same key of another account or mode is another key', async () => {
    const { db } = await fresh();
    for (const owner of [scope, otherMode, otherAccount]) {
      expect(await begin(db, use(owner))).toBe('leased');
    }
    expect(await storeResponse(db, use(otherMode), answer)).toBe(true);
    expect(await begin(db, use())).toMatchObject({ state: 'running' });
  });

  test('a key left running is taken over by the same call alone, and the first runner is shut out', async () => {
    const { db } = await fresh();
    await begin(db, use());
    const wall_now = noon + 10_000;
    expect(await begin(db, use({ wall_now, body_hash: 'other' }))).toMatchObject({ body_hash: 'h' });
    expect(await begin(db, use({ wall_now, operation: 'CreateRoute' }))).toMatchObject({ state: 'running' });
    expect(await begin(db, use({ wall_now }))).toBe('leased');
    expect(await begin(db, use({ wall_now }))).toMatchObject({ state: 'running' });
    expect(await storeResponse(db, use(), answer)).toBe(false);
    expect(await releaseKey(db, use())).toBe(false);
    expect(await storeResponse(db, use({ wall_now }), answer)).toBe(true);
  });

  test('what a process left running that is gone is taken over at once, by the same call alone', async () => {
    const { db } = await fresh();
    const [first, second] = [use({ runner: 'one' }), use({ runner: 'two' })];
    await begin(db, first);
    expect(await begin(db, second)).toMatchObject({ state: 'running', runner: 'one' });
    expect(await begin(db, { ...second, gone: 'other' })).toMatchObject({ runner: 'one' });
    expect(await begin(db, { ...second, gone: 'one', body_hash: 'other' })).toMatchObject({ runner: 'one' });
    expect(await begin(db, { ...second, gone: 'one' })).toBe('leased');
    // Both leases end at the same time, and only one of them counts.
    expect(await storeResponse(db, first, answer)).toBe(false);
    expect(await releaseKey(db, first)).toBe(false);
    expect(await begin(db, { ...use({ runner: 'three' }), gone: 'one' })).toMatchObject({ runner: 'two' });
    expect(await storeResponse(db, second, answer)).toBe(true);
    await replaceResponse(db, first, { status: 200, body: '{}' });
    expect(await begin(db, { ...first, gone: 'two' })).toMatchObject({ state: 'done', ...answer });
  });

  test('a released key is free; an answered one is not released', async () => {
    const { db } = await fresh();
    await begin(db, use());
    expect(await releaseKey(db, use())).toBe(true);
    expect(await begin(db, use({ body_hash: 'other' }))).toBe('leased');
    await storeResponse(db, use(), answer);
    expect(await releaseKey(db, use())).toBe(false);
  });

  test('a key lives for 24 hours', async () => {
    const { db } = await fresh();
    await begin(db, use());
    await storeResponse(db, use(), answer);
    expect(await begin(db, use({ wall_now: noon + day - 1 }))).toMatchObject({ state: 'done' });
    const before = (before: number) => ({ before, limit: 5 });
    expect(await deleteOldKeys(db, before(noon - 1))).toBe(0);
    // A clock that may be wrong forgets nothing.
    expect(await begin(db, use({ wall_now: noon + 9 * day, forgets: false }))).toMatchObject({
      state: 'done',
    });
    const later = use({ wall_now: noon + day, body_hash: 'other' });
    expect(await begin(db, later)).toBe('leased');
    expect(await begin(db, later)).toMatchObject({ state: 'running', body: null, created_at: noon + day });
    expect(await deleteOldKeys(db, before(noon + day))).toBe(1);
    expect(await deleteOldKeys(db, before(noon + day))).toBe(0);
  });
}
