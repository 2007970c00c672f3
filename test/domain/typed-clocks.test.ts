import { expect, test } from 'vitest';
import { foreignZone, readTimeOfDay } from '../../src/domain/typed-clocks.ts';

const at = (hours: number, minutes = 0) => ({ minutes: 60 * hours + minutes });
const window = { isWindow: true };
const early = { isEarly: true };

test.each([
  ['6pm', at(18)],
  ['12am', at(0)],
  ['12 pm', at(12)],
  ['0:30', at(0, 30)],
  ['23:59', at(23, 59)],
  ['24:00', null],
  ['13pm', null],
  ['0am', null],
  ['6', null],
  ['6:30', { ...at(6, 30), ...early }],
  ['06:30', at(6, 30)],
  ['7:30', at(7, 30)],
  ['6.30pm', at(18, 30)],
  ['8:00:30', { minutes: 480.5 }],
  ['noon', at(12)],
  ['midnight', at(0)],
  ['6 in the morning', at(6)],
  ['evening at 6', at(18)],
  ['5-6pm', { ...at(17), ...window }],
  ['11-1pm', { ...at(11), ...window }],
  ['12-1pm', { ...at(12), ...window }],
  ['5-5pm', { ...at(5), ...window }],
  ['13pm-2pm', null],
  ['5pm-13pm', null],
  ['99Z', null],
  ['11-11:30pm', { ...at(23), ...window }],
  ['5-6', null],
  ['5pm-6', { ...at(17), ...window }],
  ['11-noon', { ...at(11), ...window }],
  ['11-midnight', { ...at(23), ...window }],
  ['noon-1', { ...at(12), ...window }],
  ['13:00-2pm', { ...at(13), ...window }],
  ['13:00-14:00', { ...at(13), ...window }],
  ['13:00-13:00', { ...at(13), offset: '-13:00' }],
  ['13:00-06:00', { ...at(13), offset: '-06:00' }],
  ['between 5 and 6pm', { ...at(17), ...window }],
  ['5 and 6pm', null],
  ['1:00Z', { ...at(1), ...early, offset: 'Z' }],
  ['soonZ', null],
  ['6pm EST', { ...at(18), zone: 'EST' }],
  ['6pm (central time)', { ...at(18), zone: 'CT' }],
  ['6pm alaska daylight time', { ...at(18), zone: 'AKDT' }],
  ['18:00 UTC', { ...at(18), zone: 'UTC' }],
  ['5-6pm ET', { ...at(17), ...window, zone: 'ET' }],
  ['soon ET', null],
])('%s is %j', (text, clock) => {
  expect(readTimeOfDay(text)).toEqual(clock);
});

test('in an exact time what looks like the end of a window is an offset', () => {
  expect(readTimeOfDay('08:00-10:00', true)).toEqual({ minutes: 480, offset: '-10:00' });
  expect(readTimeOfDay('08:00-10:00')).toEqual({ minutes: 480, ...window });
});

test.each([
  ['18:00 CET', 'CET'],
  ['6 PM', null],
])('%s is in the foreign zone %s', (text, zone) => {
  expect(foreignZone(text)).toBe(zone);
});
