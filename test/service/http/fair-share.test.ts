import { expect, test } from 'vitest';
import { createFairShare } from '../../../src/service/http/admission.ts';

const all = 64 * 1024;

/** Takes as much as a holder may have, one at a time; returns how much. */
function fill(share: ReturnType<typeof createFairShare>, ...holder: string[]): number {
  let taken = 0;
  while (share.take(holder, 1)) taken += 1;
  return taken;
}

test('a holder has at most a quarter of what the others leave', () => {
  const share = createFairShare(all);
  const taken = Array.from({ length: 8 }, (_, index) => fill(share, `holder ${index}`));
  expect(taken.slice(0, 3)).toEqual([all / 4, (all * 3) / 16, (all * 9) / 64]);
  // A new one finds room beside many that have taken all they can.
  expect(taken[7]).toBeGreaterThan(all / 32);
});

test('what is released can be taken again, by others too', () => {
  const share = createFairShare(all);
  const taken = fill(share, 'one');
  share.release(['one'], taken);
  expect(fill(share, 'other')).toBe(taken);
  expect(share.take(['other'], 1)).toBe(false);
  expect(share.take(['one'], 1)).toBe(true);
});

test('the members of a group divide its part in the same way', () => {
  const share = createFairShare(all);
  expect(fill(share, 'group', 'one')).toBe(all / 16);
  expect(fill(share, 'group', 'two')).toBe((all * 3) / 64);
  expect(fill(share, 'other')).toBe((all - all / 16 - (all * 3) / 64) / 4);
  let members = 0;
  while (members < 1_000) members += Math.sign(fill(share, 'group', `member ${members}`)) || 1_000;
  expect(fill(share, 'third')).toBeGreaterThan(all / 8);
});
