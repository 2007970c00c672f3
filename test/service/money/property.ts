import fc from 'fast-check';
import { expect } from 'vitest';
import { moneyFaults } from './money-faults.ts';
import { moneyStorms } from './storms.ts';
import { makeWorld, type Target, type TargetKind, targetKinds, type World } from './world.ts';

const day_ms = 24 * 60 * 60_000;

/** Sends requests at once, and checks the charges then and at the end of all deliveries. */
async function expectSound(world: World, requests: readonly (() => Promise<Answer>)[]): Promise<void> {
  const { fixture } = world.courier;
  const answers = await Promise.all(requests.map(sendUntilAdmitted));
  expect(answers.flatMap(({ status, body }) => (status >= 500 ? [body] : []))).toEqual([]);
  expect(await moneyFaults(fixture.storage)).toEqual([]);
}

interface Answer {
  status: number;
  body: string;
}

/** Sends a request again while the service has too many: on a busy machine it refuses some before it executes them. */
async function sendUntilAdmitted(request: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await request();
    if (answer.status !== 503 || JSON.parse(answer.body).code !== 'overloaded') return answer;
  }
}

/** Each operation that changes charges, many times at once, on an order in each state that it concerns. */
export async function expectSoundOneByOne(
  location: string,
  { at_once, max_kinds = Number.POSITIVE_INFINITY }: { at_once: number; max_kinds?: number },
): Promise<void> {
  const world = await makeWorld(location);
  for (const { name, on, send } of moneyStorms) {
    for (const kind of on.slice(0, max_kinds)) {
      const target = await world.newTarget(kind);
      const requests = Array.from({ length: at_once }, (_, number) => () => send(world, target, number));
      await expectSound(world, requests).catch((fault: unknown) => {
        throw new Error(`${name} on an order that is ${kind}`, { cause: fault });
      });
    }
  }
  await expectSoundEnd(world);
}

/** Random ones of them at once on orders in all states, and again a while later. */
export async function expectSoundMixed(
  location: string,
  { at_once, numRuns }: { at_once: number; numRuns: number },
): Promise<void> {
  const world = await makeWorld(location);
  const number = fc.nat(1_000);
  const round = fc.array(fc.record({ storm: number, target: number, number }), {
    ...{ minLength: at_once, maxLength: at_once },
  });
  const run = fc.asyncProperty(fc.array(round, { minLength: 2, maxLength: 4 }), async (rounds) => {
    const targets = new Map<TargetKind, Target>();
    for (const kind of targetKinds) targets.set(kind, await world.newTarget(kind));
    for (const choices of rounds) {
      const requests = choices.flatMap((choice) => {
        const storm = moneyStorms[choice.storm % moneyStorms.length];
        const target = targets.get(storm?.on[choice.target % storm.on.length] ?? 'quoted');
        return storm === undefined || target === undefined
          ? []
          : [() => storm.send(world, target, choice.number)];
      });
      await expectSound(world, requests);
      await world.courier.fixture.pass(3 * 60_000);
    }
    await expectSoundEnd(world);
  });
  await fc.assert(run, { numRuns, seed: 1, endOnFailure: true });
}

/** Lets all deliveries end. */
async function expectSoundEnd({ courier: { fixture } }: World): Promise<void> {
  await fixture.pass(2 * day_ms);
  expect(await moneyFaults(fixture.storage)).toEqual([]);
}
