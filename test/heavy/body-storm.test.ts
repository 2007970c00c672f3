import { expect, test } from 'vitest';
import { paces, senders, startScene, startStorm, type Writes, writeFor } from '../program/body-storm.ts';

const kinds = Object.entries(senders).flatMap(([name, bodyOf]) =>
  paces.map((pace) => [pace, name, bodyOf] as const),
);

/** Every write is answered, and every wrong key refused. How long it took is printed. */
function expectAnswered({ statuses, p95_ms, slowest_ms }: Writes): void {
  console.log(JSON.stringify(statuses), Math.round(p95_ms), Math.round(slowest_ms));
  expect(Object.values(statuses).map((seen) => Object.keys(seen))).toEqual([['200'], ['200'], ['401']]);
}

test.each(kinds)('200 sockets, %s, with %s stop no live write of an account', async (pace, _name, bodyOf) => {
  const scene = await startScene();
  await startStorm(scene, [bodyOf(scene)], pace, 200);
  expectAnswered(await writeFor(scene, 20_000));
});

test.each(paces)('200 sockets of each kind, %s, stop no live write of an account', async (pace) => {
  const scene = await startScene();
  const bodies = Object.values(senders).map((bodyOf) => bodyOf(scene));
  await startStorm(scene, bodies, pace, 190);
  expectAnswered(await writeFor(scene, 60_000));
});
