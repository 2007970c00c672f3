import { expect, test } from 'vitest';
import { senders, startScene, startStorm, writeFor } from './body-storm.ts';

/** The heavy test does this with 200 sockets, at each pace and with each kind alone. */
test('eight stalled sockets of each kind of body stop no live write of an account', async () => {
  const scene = await startScene();
  const bodies = Object.values(senders).map((bodyOf) => bodyOf(scene));
  await startStorm(scene, bodies, 'stalled', 8);
  const { statuses } = await writeFor(scene, 2_000);
  expect(Object.values(statuses).map((seen) => Object.keys(seen))).toEqual([['200'], ['200'], ['401']]);
});
