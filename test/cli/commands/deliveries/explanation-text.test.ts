import { expect, test } from 'vitest';
import {
  autoDispatchLines,
  explanationText,
  timelinePlot,
} from '../../../../src/cli/commands/deliveries/explanation-text.ts';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { timeOfDay } from '../../../../src/cli/kit/output/times.ts';
import { shellLine } from '../../../../src/cli/kit/result/message.ts';
import type { PlotCharset } from '../../../../src/cli/kit/result/result.ts';
import { type NextStepContext, nextSteps } from '../../../../src/cli/nouns/delivery-steps.ts';
import { deliveryLateBy } from '../../../../src/cli/nouns/delivery-times.ts';
import { deliveryTimeline, type TimelineStep } from '../../../../src/cli/nouns/explanation.ts';
import type { AnyDelivery } from '../../../../src/contract/deliveries.ts';
import { plainShow } from '../../kit/output/plain.ts';
import { narrow, tooWide } from '../../narrow.ts';
import { attempt, orderId } from '../batches/records.ts';
import { at, delivery, type Entered, instant } from './records.ts';

function steps(entered: readonly Entered[], now = 60): string[] {
  return deliveryTimeline(delivery(entered), instant(now)).map(text);
}

function text({ status, at: iso, lasted_seconds, skipped }: TimelineStep): string {
  if (skipped) return `${status} skipped`;
  return `${status} ${(Date.parse(iso ?? '') - instant(0)) / 60_000}${lasted_seconds === null ? '' : ` +${lasted_seconds}`}`;
}

test('each part with its duration, and what the provider skipped', () => {
  expect(
    steps([
      ['delivery_created', 0],
      ['driver_assigned', 2],
      ['pickup_complete', 10],
      ['delivered', 31],
    ]),
  ).toEqual([
    ...['delivery_created 0 +120', 'driver_assigned 2 +480'],
    ...['enroute_pickup skipped', 'arrived_at_pickup skipped', 'pickup_complete 10 +1260'],
    ...['enroute_dropoff skipped', 'arrived_at_dropoff skipped', 'dropoff_complete skipped', 'delivered 31'],
  ]);
});

test('the current part lasts until now, an end has no duration', () => {
  expect(
    steps([
      ['delivery_created', 0],
      ['driver_assigned', 2],
    ]),
  ).toEqual(['delivery_created 0 +120', 'driver_assigned 2 +3480']);
  expect(
    steps([
      ['delivery_created', 0],
      ['provider_canceled', 20],
    ]),
  ).toEqual(['delivery_created 0 +1200', 'provider_canceled 20']);
});

test('a second driver skips nothing that the first reported', () => {
  expect(
    steps([
      ['driver_assigned', 0],
      ['enroute_pickup', 1],
      ['driver_not_assigned', 2],
      ['driver_assigned', 3],
      ['pickup_complete', 9],
      ['enroute_to_return', 20],
      ['returned', 30],
    ]).filter((step) => step.endsWith('skipped')),
  ).toEqual(['arrived_at_pickup skipped']);
});

test('a status that is reported later was not skipped', () => {
  expect(
    steps([
      ['enroute_pickup', 1],
      ['driver_not_assigned', 2],
      ['driver_assigned', 3],
    ]).filter((step) => step.endsWith('skipped')),
  ).toEqual([]);
});

test('a returning parcel was picked up, reported or not', () => {
  const skipped = steps([
    ['arrived_at_pickup', 5],
    ['enroute_to_return', 20],
  ]).filter((step) => step.endsWith('skipped'));
  expect(skipped).toEqual(['driver_assigned skipped', 'enroute_pickup skipped', 'pickup_complete skipped']);
  const refused = {
    ...delivery([
      ['pickup_complete', 5],
      ['enroute_to_return', 20],
    ]),
    failure_reason: 'recipient_refused' as const,
  };
  const missing = deliveryTimeline(refused, instant(60)).filter((step) => step.skipped);
  expect(missing.map(({ status }) => status).slice(-2)).toEqual(['enroute_dropoff', 'arrived_at_dropoff']);
});

test('no status is put before the history that the service has', () => {
  expect(steps([])).toEqual(['request 0 +3600']);
  expect(steps([['scheduled', 15]])).toEqual(['scheduled 15 +2700']);
  expect(deliveryTimeline(delivery([['failed', 0]]), instant(0))).toEqual([
    { status: 'failed', at: at(0), lasted_seconds: null, skipped: false },
  ]);
});

const plain = (text: string) => text;

function drawn(
  entered: readonly Entered[],
  until: number,
  { room = 60, plotCharset = 'blocks' as PlotCharset } = {},
) {
  const timeline = deliveryTimeline(delivery(entered), instant(until));
  return timelinePlot(timeline, { room, plotCharset, dim: plain, strong: plain });
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
  expect(drawn(ended, 99, { plotCharset: 'ascii', room: 40 })?.line).toBe(
    '  1------2-3---------.4-5------------..6',
  );
});

test('a delivery under way ends at the current time', () => {
  expect(drawn(ended.slice(0, 3), 20)?.line).toBe(
    '  1━━━━━━━━━━━━━━━2━━━3━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━▶ now',
  );
  expect(drawn(ended.slice(0, 3), 20, { plotCharset: 'ascii' })?.line).toBe(
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

const noCancellation = {
  ...{
    object: 'cancellation' as const,
    delivery_id: 'dlv_1',
    cancelable: false,
    reason: 'no',
    fee: 0,
    refund: 0,
  },
};
const situation: NextStepContext = {
  ...{
    cancellation: noCancellation,
    now: instant(60),
    times: null,
    zone: null,
    isSandbox: false,
    latest: 'dlv_1',
    nextTry: null,
  },
};

function verbs(entered: readonly Entered[], given: Partial<NextStepContext> = {}): string[] {
  return nextSteps(delivery(entered), { ...situation, ...given }).map((step) =>
    shellLine(step)
      .replace(/^waybill (deliveries )?/, '')
      .replace(/ dlv_1| --.*/g, ''),
  );
}

test.each([
  [[], ['initiate', 'edit', 'reschedule']],
  [[['delivery_created', 0]], ['watch', 'edit']],
  [[['driver_not_assigned', 0]], ['watch', 'edit']],
  [[['pickup_complete', 9]], ['watch']],
  [[['enroute_to_return', 9]], ['watch']],
  [[['delivered', 30]], ['dispute']],
  [[['failed', 1]], ['retry', 'track']],
  [[['provider_canceled', 1]], ['retry', 'track']],
  [[['returned', 40]], ['create']],
  [[['disputed', 50]], ['disputes resolve', 'create']],
] satisfies [Entered[], string[]][])('after %j: %j', (entered, expected) => {
  expect(verbs(entered)).toEqual(expected);
});

test('a delivery that auto dispatch retries has no retry command', () => {
  const at = new Date(instant(65)).toISOString();
  const nextTry = { order_id: 'ord_1', at };
  const [step] = nextSteps(delivery([['failed', 1]]), { ...situation, nextTry });
  const when = `auto dispatch tries it again by itself at ${timeOfDay(at)}`;
  expect(step).toEqual({ command: 'orders attempts', args: ['ord_1'], when });
  expect(verbs([['failed', 1]], { nextTry: { ...nextTry, at: null } })).toEqual(['orders attempts ord_1']);
  expect(verbs([['failed', 1]], { nextTry, latest: 'dlv_2' })).toEqual(['explain dlv_2']);
  expect(verbs([['delivered', 30]], { nextTry })).toEqual(['dispute']);
});

test.each([
  ['+13125550199', 'call Amara Osei of poolride, at +1 312 555 0199, and note the answer'],
  [null, 'ask Amara Osei of poolride, and note the answer'],
])('of what is stuck the first step is to ask its courier: %s', (courier_phone_number, when) => {
  const names = { service: 'poolride', courier_name: 'Amara Osei', courier_phone_number };
  const made = { ...delivery([['enroute_to_return', 9]]), ...names };
  const [first] = nextSteps(made, { ...situation, isStuck: true });
  expect(first).toEqual({ command: 'deliveries note', args: ['dlv_1', 'TEXT'], when });
});

test('a delivery can be disputed for 30 days', () => {
  const month = 30 * 24 * 60;
  expect(verbs([['delivered', 0]], { now: instant(month - 1) })).toEqual(['dispute']);
  expect(verbs([['delivered', 0]], { now: instant(month) })).toEqual([]);
});

test('a cancellation is offered with its price', () => {
  const offered = (fee: number, refund: number) =>
    nextSteps(delivery([['driver_assigned', 2]]), {
      ...situation,
      cancellation: { ...noCancellation, cancelable: true, fee, refund },
    }).find(({ command }) => command === 'deliveries cancel')?.when;
  expect(offered(299, 853)).toBe('cancel it for $2.99: you get $5.54 of $8.53 back');
  expect(offered(0, 0)).toBe('cancel it for nothing');
});

/** A page of a delivery of which nothing else is known. */
const bare = {
  object: 'explanation' as const,
  ...{
    timeline: [],
    late_seconds: null,
    overdue_seconds: null,
    outcome: null,
    choice: null,
    selection: null,
    charges: [],
    paid: 0,
  },
  ...{ canceled_by: null, order_cost: null, cancellation: null, courier_place: null },
  ...{ notes: [], failed_task: null, next: [] },
};

test.each<[minute: number, line: string, room: number | null]>([
  [28, 'Delivered at 12:28, on time: expected 12:30.', null],
  [30.5, 'Delivered at 12:30, on time: expected 12:30.', null],
  [34.5, 'Delivered at 12:34, 4 min after the expected time.', null],
  [35.5, 'Delivered 5 min late, at 12:35: expected 12:30.', null],
  [35.5, '12:35: expected 12:30.', 30],
])('delivered at minute %d and expected at 30', (minute, line, room) => {
  const made = delivery([['delivered', minute]]);
  const late_seconds = Math.floor((deliveryLateBy(made, instant(90)) ?? 0) / 1000);
  const cancellation = { ...noCancellation, delivery_id: made.id, currency: 'USD' };
  const page = { ...bare, delivery: made, late_seconds, cancellation };
  const text = explanationText(page, { ...plainShow, room, now: instant(90) });
  expect(text.split('\n')).toContain(line);
});

test('a dispatch that needs a person is named, with the reason', () => {
  const made = delivery([]);
  const error = 'Scripted did not answer and cannot be asked';
  const failed_task = {
    object: 'failed_task' as const,
    ...{ id: 'ftk_1', kind: 'dispatch.ask', subject: 'rte_1', error, attempts: 4 },
    ...{ retryable: true, test_mode: true, due_at: made.created_at, failed_at: made.created_at },
  };
  const text = explanationText({ ...bare, delivery: made, failed_task }, plainShow);
  expect(text.split('\n')).toContain(`Its dispatch needs a person: ${error}`);
});

test.each([
  ['canceled', { outcome: 'It was canceled.' }, 'Promised time: 12:30.'],
  [
    'the second try',
    { choice: tried(2, [1]) },
    '  31 min from beginning to end of this delivery; 36 min from the first try',
  ],
  [
    'the first try is not known',
    { choice: tried(13, [12, 11]) },
    '  31 min from beginning to end of this delivery',
  ],
  ['the only try', { choice: tried(1, []) }, '  31 min from beginning to end'],
])('what was promised, or what the length is of: %s', (_, given, line) => {
  const made = delivery([
    ['delivery_created', 0],
    ['delivered', 31],
  ]);
  const details = { promised_at: new Date(instant(30)).toISOString() } as unknown as AnyDelivery['details'];
  const timeline = deliveryTimeline(made, instant(60));
  const page = { ...bare, delivery: { ...made, details } as AnyDelivery, timeline, ...given };
  expect(explanationText(page, plainShow).split('\n')).toContain(line);
});

/** The try of a delivery, with earlier ones that began five minutes before it. */
function tried(number: number, earlier: readonly number[]) {
  const created_at = new Date(instant(-5)).toISOString();
  const before = earlier.map((each) => ({ ...attempt, number: each, created_at }));
  return { batch_id: attempt.batch_id, try: { ...attempt, number }, earlier: before };
}

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
  const lines = autoDispatchLines(
    { batch_id: attempt.batch_id, try: last, earlier },
    delivery([]),
    plainShow,
  );
  expect(lines.slice(1)).toEqual([
    '  Try 12  23:45  no_quotes  no provider offered a quote',
    '  Try 11  23:45  no_quotes  no provider offered a quote',
    '  Try 10  23:45  no_quotes  no provider offered a quote',
    `  9 more before: waybill orders attempts ${orderId(1)}`,
  ]);
  expect(lines[0]).toMatch(
    /^ {2}Chosen by auto dispatch at try 13: speedycab, \d+, the cheapest of 2 quotes\.$/,
  );
});

test('repeated attempts are counted with the one that they repeat', () => {
  const last = { ...attempt, number: 52, left_out: [] };
  const failed = { ...attempt, status: 'no_quotes' as const, provider: null, reason: 'no quotes' };
  const earlier = [
    { ...failed, number: 51 },
    { ...failed, number: 4, repeats: 46, last_at: '2029-12-31T23:50:00.000Z' },
    { ...failed, number: 2, repeats: 1, last_at: '2029-12-31T23:46:00.000Z' },
  ];
  const lines = autoDispatchLines(
    { batch_id: attempt.batch_id, try: last, earlier },
    delivery([]),
    plainShow,
  );
  expect(lines.slice(1)).toEqual([
    '  Try 51  23:45  no_quotes  no quotes',
    '  Try 4   23:45  no_quotes  no quotes, and 46 more times until 23:50',
    '  Try 2   23:45  no_quotes  no quotes, and once more at 23:46',
    `  1 more before: waybill orders attempts ${orderId(1)}`,
  ]);
});

test('with little room that command is on its own line', () => {
  const choice = { batch_id: attempt.batch_id, try: { ...attempt, number: 3 }, earlier: [] };
  const lines = autoDispatchLines(choice, delivery([]), { ...plainShow, room: narrow });
  expect(lines.slice(-2)).toEqual(['  2 more before:', `    waybill orders attempts ${orderId(1)}`]);
  expect(tooWide(lines.join('\n'))).toEqual([]);
});

test('texts of couriers start no line and have no color, and wrap with little room', () => {
  const hostile = {
    ...attempt,
    number: 1,
    left_out: [{ provider: 'x', code: 'y', reason: 'one\n\u001b[31mtwo' }],
  };
  const lines = autoDispatchLines({ batch_id: attempt.batch_id, try: hostile, earlier: [] }, delivery([]), {
    ...plainShow,
    room: 40,
  });
  expect(lines.join('')).not.toContain('\u001b');
  expect(lines).toContain('    x  one two');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});
