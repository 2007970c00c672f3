import { expect, test } from 'vitest';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import type { CrashPoint } from '../../../src/service/runtime/crash-points.ts';
import { createService } from '../../../src/service/service.ts';
import { oneOf } from '../../in-part.ts';
import { clientOf, type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { mortal } from '../mortal-service.ts';
import { auto, batchNow, farAway, withScenario } from './batches.ts';
import { expectNothingLostOrTwice } from './invariants.ts';

const fates: Scenario[] = [
  'happy_path',
  'unknown_outcome_accepted',
  'unknown_outcome_lost',
  'payment_declined_once',
  'no_capacity',
];

const sent = { idempotencyKey: 'the-batch' };
const orders = [...fates.map((scenario) => orderRequest(withScenario(scenario))), orderRequest(farAway)];
const plan = { retry_window: 120, retry_interval: 40 };

/** Runs one service after another until the batch is complete; the first dies at the crash point. */
async function livedThrough(
  fixture: Fixture,
  { point, passage, providers }: { point: CrashPoint; passage: number; providers: string[] },
): Promise<boolean> {
  const body = { orders, settings: auto({ ...plan, providers }) };
  const first = mortal(fixture.config, point, passage);
  const heir = createService(fixture.config);
  const serving = () => (first.isDead() ? heir : first.service);
  const send = async () => clientOf(serving(), fixture.keys.test).orders.create({ body, ...sent });
  const made = await send().catch(() => {
    fixture.passWall(31_000);
    return send();
  });
  if (made.data.object !== 'batch') throw new Error('no batch was made');
  for (let second = 0; second < 240; second += 2) {
    await fixture.pass(2000, serving().tick);
    if (first.isDead() && second % 20 === 0) fixture.passWall(11_000);
  }
  const batch = await batchNow(clientOf(serving(), fixture.keys.test), made.data.batch_id);
  expect(batch).toMatchObject({ status: 'complete', order_count: 6 });
  expect(batch.counts).toEqual({ pending: 0, dispatched: 4, unfulfilled: 1, failed: 1, canceled: 0 });
  return first.isDead();
}

const idempotent = ['swiftly', 'poolride', 'metrobike'];
/** Couriers that accept a parcel as often as they are asked. */
const forgetful = ['flaky_co'];

const points = [
  'batch.before_commit',
  'batch.after_commit',
  'charge.before_commit',
  'intent.after_write',
  'provider.before_send',
  'provider.after_accept',
  'delivery.before_commit',
] as const;

const first = [{ passage: 1, providers: idempotent }];
const later = [
  { passage: 2, providers: forgetful },
  { passage: 4, providers: idempotent },
];

// test/heavy/service-kills.test.ts kills at each point many times.
test.each(points.map((point, place) => ({ point, place })))(
  'killed at $point, at one of its first passages: nothing is lost or doubled',
  async ({ point, place }) => {
    const isOnce = point.startsWith('batch');
    for (const { passage, providers } of isOnce ? first : [...first, ...later.filter(oneOf(2, place % 2))]) {
      const fixture = await startFixture();
      expect(await livedThrough(fixture, { point, passage, providers })).toBe(true);
      await expectNothingLostOrTwice(fixture.storage);
      await fixture.storage.close();
    }
  },
);
