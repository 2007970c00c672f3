import { expect, onTestFinished, test } from 'vitest';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import type { Provider } from '../../../src/providers/port.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import { oneOf } from '../../in-part.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { auto, withScenario } from '../auto-dispatch/batches.ts';
import { expectNothingLostOrTwice } from '../auto-dispatch/invariants.ts';
import { clientOf, orderRequest, startFixture } from '../fixture.ts';
import { mortal } from '../mortal-service.ts';

/** Every deterministic scenario. */
const orders = scenarioNames.filter(isScenario).map(withScenario).map(orderRequest);

/** Scenarios of orders that no courier or customer cancels. */
const lasting = ['happy_path', 'unknown_outcome_accepted', 'unknown_outcome_lost', 'no_capacity'] as const;

interface Answering {
  /** Whether the couriers count as those that answer at once; the calls of others are made one by one. */
  at_once: boolean;
  /** The turns of the event loop that a courier takes for its n-th answer. */
  turnsOf: (call: number) => number;
}

/** The events of a batch that an advance delivers, and the maximum number of calls that ran side by side. */
async function advanced({ at_once, turnsOf }: Answering) {
  let [calls, running, most] = [0, 0, 0];
  const providers = simulatedProviders(memoryRecords()).map(
    (provider): Provider => ({
      ...provider,
      quotes_at_once: at_once,
      create: async (request) => {
        running += 1;
        most = Math.max(most, running);
        for (let left = turnsOf(calls++); left > 0; left -= 1) await realTimers.turn();
        running -= 1;
        return provider.create(request);
      },
    }),
  );
  const fixture = await startFixture({ parts: { providers } });
  onTestFinished(() => fixture.storage.close());
  const body = { orders, settings: auto() };
  // Ids depend on the key of the request.
  await fixture.client().orders.create({ body, idempotencyKey: 'the-batch' });
  const { data } = await fixture.client().clock.advance({ body: { drain: true } });
  return { events: data.events, steps: data.steps, most };
}

test('dispatches that an advance makes side by side cause the same events as one by one', async () => {
  const alone = await advanced({ at_once: false, turnsOf: () => 0 });
  // The first is answered last.
  const turnsOf = (call: number) => Math.max(0, 40 - call);
  const together = await advanced({ at_once: true, turnsOf });
  expect([alone.most, together.most > 20]).toEqual([1, true]);
  expect(together.steps).toBe(alone.steps);
  expect(together.events).toEqual(alone.events);
});

const points = ['provider.before_send', 'provider.after_accept', 'delivery.before_commit'] as const;

test.each(points.filter(oneOf(2, 1)))(
  'an advance that ends at %s of several dispatches is continued: nothing is lost or doubled',
  async (point) => {
    const orders = Array.from({ length: 3 }, () => lasting.map(withScenario))
      .flat()
      .map(orderRequest);
    const fixture = await startFixture();
    const first = mortal(fixture.config, point, 7);
    await clientOf(first.service, fixture.keys.test).orders.create({ body: { orders, settings: auto() } });
    const drain = ({ fetch }: Pick<Service, 'fetch'>) =>
      clientOf({ fetch }, fixture.keys.test).clock.advance({ body: { drain: true } });
    await expect(drain(first.service)).rejects.toThrow();
    expect(first.isDead()).toBe(true);
    fixture.passWall(60_000);
    await drain(createService(fixture.config));
    await expectNothingLostOrTwice(fixture.storage);
    await fixture.storage.close();
  },
);
