import { expect, test } from 'vitest';
import { timelinePlot } from '../../../../src/cli/commands/deliveries/explain.ts';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import type { Ink } from '../../../../src/cli/kit/result/result.ts';
import { timelineOf } from '../../../../src/cli/nouns/explanation.ts';
import { delivery, type Entered, instant } from './records.ts';

const plain = (text: string) => text;

function drawn(entered: readonly Entered[], until: number, { room = 60, ink = 'blocks' as Ink } = {}) {
  const timeline = timelineOf(delivery(entered), instant(until));
  return timelinePlot(timeline, { room, ink, dim: plain, strong: plain });
}

const ended: readonly Entered[] = [
  ...([
    ['delivery_created', 0],
    ['driver_assigned', 6],
    ['enroute_pickup', 7],
  ] as const),
  ...([
    ['pickup_complete', 16],
    ['enroute_dropoff', 17],
    ['delivered', 30],
  ] as const),
];

test('each status has a mark, skipped ones a dot, and the parts are in proportion', () => {
  const plot = drawn(ended, 99);
  expect(plot?.line).toBe('  1━━━━━━━━━━2━━3━━━━━━━━━━━━━━━·4━5━━━━━━━━━━━━━━━━━━━━━··6');
  expect(plot?.marks).toEqual(['1', '2', '3', '', '4', '5', '', '', '6']);
  expect(drawn(ended, 99, { ink: 'ascii', room: 40 })?.line).toBe('  1------2-3---------.4-5------------..6');
});

test('a delivery under way ends at the current time', () => {
  expect(drawn(ended.slice(0, 3), 20)?.line).toBe(
    '  1━━━━━━━━━━━━━━━2━━━3━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━▶ now',
  );
  expect(drawn(ended.slice(0, 3), 20, { ink: 'ascii' })?.line).toBe(
    '  1---------------2---3--------------------------------> now',
  );
});

test('no plot without parts, or without room', () => {
  expect(drawn([['failed', 0]], 20)).toBeNull();
  expect(drawn(ended, 99, { room: 20 })).toBeNull();
});

test('no line is wider than the terminal, at any width', () => {
  for (let room = 10; room <= 200; room += 1)
    for (const until of [20, 99])
      for (const entered of [ended, ended.slice(0, 4)])
        expect(displayWidth(drawn(entered, until, { room })?.line ?? '')).toBeLessThanOrEqual(room);
});
