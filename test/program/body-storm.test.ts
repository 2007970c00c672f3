import { expect, test } from 'vitest';
import { paces, senders, startScene, startStorm, writeFor } from './body-storm.ts';

const answered = [['200'], ['200'], ['401']];

test('eight stalled bodies of any kind stop no live write of an account', async () => {
  const scene = await startScene();
  const outcomes: Record<string, string[][]> = {};
  for (const [kind, bodyOf] of Object.entries(senders)) {
    const end = await startStorm(scene, [bodyOf(scene)], 'stalled', 8);
    const { statuses } = await writeFor(scene, 1_000);
    outcomes[kind] = Object.values(statuses).map((seen) => Object.keys(seen));
    end();
  }
  const expected = Object.keys(senders).map((kind) => [kind, answered]);
  expect(outcomes).toEqual(Object.fromEntries(expected));
}, 120_000);

test.each(paces)(
  'eight sockets of each kind, %s, stop no live write of an account',
  async (pace) => {
    const scene = await startScene();
    const bodies = Object.values(senders).map((bodyOf) => bodyOf(scene));
    await startStorm(scene, bodies, pace, 8);
    const { statuses } = await writeFor(scene, 2_000);
    expect(Object.values(statuses).map((seen) => Object.keys(seen))).toEqual(answered);
  },
  60_000,
);
