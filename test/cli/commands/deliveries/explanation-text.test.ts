import { expect, test } from 'vitest';
import { explanationText } from '../../../../src/cli/commands/deliveries/explain.ts';
import type { Show } from '../../../../src/cli/kit/result/result.ts';
import { deliveryLateBy } from '../../../../src/cli/nouns/delivery.ts';
import { delivery, instant } from './records.ts';

const plain = (text: string) => text;
const show: Show = {
  inZone: () => show,
  ...{ money: String, time: plain, clock: (iso) => iso.slice(11, 16), status: plain, dim: plain },
  ...{
    at: (iso) => `at ${iso.slice(11, 16)}`,
    strong: plain,
    warning: plain,
    phone: plain,
    email: String,
    ink: null,
    room: null,
    now: instant(90),
  },
};

test.each<[minute: number, line: string, room: number | null]>([
  [28, 'Delivered at 12:28, on time.', null],
  [30.5, 'Delivered at 12:30, on time.', null],
  [34.5, 'Delivered at 12:34, 4 min after the expected time.', null],
  [35.5, 'Delivered 5 min late, at 12:35: expected 12:30.', null],
  [35.5, '12:35: expected 12:30.', 30],
])('delivered at minute %d and expected at 30', (minute, line, room) => {
  const made = delivery([['delivered', minute]]);
  const text = explanationText(
    {
      ...{
        object: 'explanation',
        delivery: made,
        timeline: [],
        choice: null,
        charges: [],
        order_cost: null,
        paid: 0,
        courier_place: null,
        notes: [],
        failed_task: null,
        next: [],
      },
      late_seconds: Math.floor((deliveryLateBy(made, show.now) ?? 0) / 1000),
      cancellation: {
        ...{ object: 'cancellation', delivery_id: made.id, cancelable: false, reason: '' },
        ...{ fee: 0, refund: 0, currency: 'USD' },
      },
    },
    { ...show, room },
  );
  expect(text.split('\n')).toContain(line);
});

test('a dispatch that needs a person is named, with the reason', () => {
  const made = delivery([]);
  const error = 'Scripted did not answer and cannot be asked';
  const text = explanationText(
    {
      ...{ object: 'explanation', delivery: made, timeline: [], late_seconds: null, choice: null },
      ...{
        charges: [],
        paid: 0,
        order_cost: null,
        cancellation: null,
        courier_place: null,
        notes: [],
        next: [],
      },
      failed_task: {
        ...{ id: 'ftk_1', object: 'failed_task', kind: 'dispatch.ask', subject: 'rte_1', error, attempts: 4 },
        ...{ retryable: true, test_mode: true, due_at: made.created_at, failed_at: made.created_at },
      },
    },
    show,
  );
  expect(text.split('\n')).toContain(`Its dispatch needs a person: ${error}`);
});
