import { expect, test } from 'vitest';
import { choiceLines } from '../../../../src/cli/commands/deliveries/explain.ts';
import type { Show } from '../../../../src/cli/kit/result/result.ts';
import { narrow, tooWide } from '../../narrow.ts';
import { attempt, orderId } from '../batches/records.ts';
import { delivery } from './records.ts';

const plain = (text: string) => text;
const show: Show = {
  inZone: () => show,
  money: (cents) => `${cents} cents`,
  ...{
    time: plain,
    clock: () => '10:00',
    at: () => 'at 10:00',
    status: plain,
    dim: plain,
    strong: plain,
    warning: plain,
    phone: plain,
    email: String,
    ink: null,
  },
  ...{ room: null, now: 0 },
};

test('of many attempts the most recent are listed, with the command for the others', () => {
  const last = { ...attempt, number: 13, left_out: [] };
  const earlier = [12, 11, 10].map((number) => ({
    ...{
      ...attempt,
      number,
      status: 'no_quotes' as const,
      provider: null,
      reason: 'no provider offered a quote',
    },
  }));
  const lines = choiceLines({ batch_id: attempt.batch_id, try: last, earlier }, delivery([]), show);
  expect(lines.slice(1)).toEqual([
    '  Try 12  10:00  no_quotes  no provider offered a quote',
    '  Try 11  10:00  no_quotes  no provider offered a quote',
    '  Try 10  10:00  no_quotes  no provider offered a quote',
    `  9 more before: waybill orders tries ${orderId(1)}`,
  ]);
  expect(lines[0]).toMatch(
    /^ {2}Chosen by auto dispatch at try 13: speedycab, \d+ cents, the cheapest of 2 quotes\.$/,
  );
});

test('with little room that command is on its own line', () => {
  const choice = { batch_id: attempt.batch_id, try: { ...attempt, number: 3 }, earlier: [] };
  const lines = choiceLines(choice, delivery([]), { ...show, room: narrow });
  expect(lines.slice(-2)).toEqual(['  2 more before:', `    waybill orders tries ${orderId(1)}`]);
  expect(tooWide(lines.join('\n'))).toEqual([]);
});

test('texts of couriers start no line and have no color, and wrap with little room', () => {
  const hostile = {
    ...attempt,
    number: 1,
    left_out: [{ provider: 'x', code: 'y', reason: 'one\n\u001b[31mtwo' }],
  };
  const lines = choiceLines({ batch_id: attempt.batch_id, try: hostile, earlier: [] }, delivery([]), {
    ...show,
    room: 40,
  });
  expect(lines.join('')).not.toContain('\u001b');
  expect(lines).toContain('    x  one two');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});
