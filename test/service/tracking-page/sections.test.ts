import { describe, expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import { courierSection, statusSection, timelineSection } from '../../../src/service/tracking-page/page.ts';
import { english, milesText, momentsIn, timeLeft } from '../../../src/service/tracking-page/texts.ts';
import { trackingDataOf } from '../../../src/service/tracking-page/tracked-delivery.ts';
import { minute, rowIn, seenAt, soonAfter, started_at } from './rows.ts';

type Row = ReturnType<typeof rowIn>;

const text = ({ markup }: { markup: string }) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const seen = (row: Row, now = soonAfter(row)) => {
  const tracked = trackingDataOf(row, seenAt(now));
  return { tracked, moments: momentsIn(tracked.zone ?? 'UTC', now, english) };
};

const statusText = (row: Row, now?: number) => {
  const { tracked, moments } = seen(row, now);
  return text(statusSection(tracked, moments));
};

/** Each line of the timeline, with its marker. */
const timeline = (row: Row, now?: number) => {
  const { tracked, moments } = seen(row, now);
  const { markup } = timelineSection(tracked, moments);
  return [...markup.matchAll(/<li class="(\w+)"([^>]*)>([\s\S]*?)<\/li>/g)].map(
    ([, kind, mark = '', line = '']) => `${kind}${mark}: ${text({ markup: line })}`,
  );
};

describe('the expected time', () => {
  test('a time of day, the time until then, and the distance of the order', () => {
    expect(statusText(rowIn('enroute_dropoff'))).toContain(
      'Estimated arrival 6:34 AM in about 13 min · 0.5 miles away',
    );
    expect(statusText(rowIn('enroute_pickup'))).toMatch(
      /Estimated arrival 6:34 AM in about 25 min Your PIN 0417 /,
    );
  });

  test('more than five minutes after the promised time it is late, without a number of minutes', () => {
    const row = rowIn('enroute_dropoff');
    expect(statusText(row, started_at + 35 * minute)).toMatch(/Was expected 6:34 AM Your PIN/);
    expect(statusText(row, started_at + 40 * minute)).toMatch(/Was expected 6:34 AM Running late Your PIN/);
  });

  test('a later estimate does not hide that the promised time is missed', () => {
    const promised_at = started_at + 25 * minute;
    const row = rowIn('enroute_dropoff', { row: { promised_at } });
    expect(statusText(row)).toMatch(
      /Estimated arrival 6:34 AM in about 13 min · 0.5 miles away Running late/,
    );
  });

  test('the date is shown if it is another day', () => {
    const { dropoff }: DeliveryRecord = JSON.parse(rowIn('scheduled').record);
    const row = rowIn('scheduled', {
      record: { dropoff: { ...dropoff, eta: started_at + 50 * 60 * minute } },
    });
    expect(statusText(row)).toMatch(/Estimated arrival Wed, Mar 4, 8:00 AM$/);
  });

  test.each(['request', 'arrived_at_dropoff', 'dropoff_complete', 'failed', 'enroute_to_return'] as const)(
    'no time is expected in %s',
    (status) => expect(statusText(rowIn(status))).not.toMatch(/AM/),
  );

  test.each(['delivered', 'disputed'] as const)('%s: the time of the handover and its proof', (status) => {
    expect(statusText(rowIn(status))).toMatch(
      /Delivered 6:32 AM Photo taken at 6:28 AM Show the photo Signature taken at 6:29 AM$/,
    );
  });

  test('a signature that is reported twice is shown once', () => {
    const proof = [
      { type: 'signature' as const, url: '', at: started_at },
      { type: 'pin' as const, url: '', at: started_at },
    ];
    const shown = statusText(rowIn('delivered', { record: { proof } }));
    expect(shown).toMatch(/Signature taken at 6:00 AM PIN confirmed at 6:00 AM$/);
  });

  test.each([
    [1, 'in about 1 min'],
    [59, 'in about 59 min'],
    [60, 'in about 1 h'],
    [61, 'in about 1 h 1 min'],
    [720, 'in about 12 h'],
    [721, null],
    [0, null],
    [-5, null],
  ])('%i minutes: %s', (minutes, words) => {
    expect(timeLeft(started_at + minutes * minute, started_at, english)).toBe(words);
  });

  test.each([
    [0.04, 'less than 0.1 miles'],
    [0.96, '1 mile'],
    [1.44, '1.4 miles'],
    [2, '2 miles'],
    [9.96, '10 miles'],
    [123.4, '123 miles'],
  ])('%d miles: %s', (distance, words) => {
    expect(milesText(distance, english)).toBe(words);
  });
});

describe('the timeline', () => {
  test.each([
    ['driver_assigned', null],
    ['enroute_pickup', '1 earlier step'],
    ['delivered', '7 earlier steps'],
  ] as const)('%s: all but the last two steps are folded', (status, folded) => {
    const { tracked, moments } = seen(rowIn(status));
    const { markup } = timelineSection(tracked, moments);
    const [, summary = null, inside = ''] =
      /<details><summary>(.*?)<\/summary>([\s\S]*?)<\/details>/.exec(markup) ?? [];
    expect(summary).toBe(folded);
    const past = markup.match(/class="(past|now)"/g) ?? [];
    expect(past.length - (inside.match(/<li/g) ?? []).length).toBe(2);
  });

  test('past steps, the current one and those to come', () => {
    expect(timeline(rowIn('enroute_pickup'))).toEqual([
      'past: Order confirmed 6:00 AM',
      'past: Courier assigned 6:04 AM',
      'now aria-current="step": Courier on the way to the pickup 6:08 AM',
      'coming: Picked up , still to come about 6:16 AM',
      'coming: On the way to you , still to come',
      'coming: Delivered , still to come about 6:34 AM',
    ]);
  });

  test('a stored delivery has been received, and no step has a time', () => {
    expect(timeline(rowIn('request'))).toEqual([
      'now aria-current="step": Order received 6:00 AM',
      'coming: Courier assigned , still to come',
      'coming: Picked up , still to come',
      'coming: On the way to you , still to come',
      'coming: Delivered , still to come',
    ]);
  });

  test('a missed expected time is not shown', () => {
    expect(timeline(rowIn('enroute_dropoff'), started_at + 60 * minute).at(-1)).toBe(
      'coming: Delivered , still to come',
    );
  });

  test('after a change of courier all steps are to come', () => {
    expect(timeline(rowIn('driver_not_assigned')).filter((line) => line.startsWith('coming'))).toHaveLength(
      4,
    );
  });

  test.each(['delivered', 'disputed', 'failed', 'returned', 'provider_canceled'] as const)(
    '%s is the last step',
    (status) => {
      expect(timeline(rowIn(status)).at(-1)).toMatch(/^now /);
    },
  );

  test('on the way back the return is to come', () => {
    expect(timeline(rowIn('enroute_to_return')).at(-1)).toBe('coming: Returned to the shop , still to come');
  });
});

describe('the courier', () => {
  const courier = (
    status: Parameters<typeof rowIn>[0],
    driver?: Partial<NonNullable<DeliveryRecord['driver']>>,
  ) => {
    const usual: DeliveryRecord = JSON.parse(rowIn('driver_assigned').record);
    const shownDriver = usual.driver === null ? null : { ...usual.driver, ...driver };
    const section = courierSection(seen(rowIn(status, { record: { driver: shownDriver } })).tracked);
    return section === null ? null : text(section);
  };

  test('first name and vehicle, as far as they are known', () => {
    expect(courier('driver_assigned')).toBe('Your courier M Maya Blue Toyota Prius');
    expect(courier('driver_assigned', { vehicle: null, vehicle_type: 'cargo_van' })).toBe(
      'Your courier M Maya Cargo van',
    );
    const unknown = { name: null, vehicle: null, vehicle_type: null };
    expect(courier('driver_assigned', unknown)).toBe('Your courier Name not given');
    expect(courier('delivered')).toBe('Delivered by M Maya Blue Toyota Prius');
  });

  test.each(['enroute_to_return', 'returned', 'failed', 'provider_canceled'] as const)(
    'a courier that no longer comes is not named: %s',
    (status) => expect(courier(status)).toBeNull(),
  );
});
