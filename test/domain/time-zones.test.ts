import { expect, test } from 'vitest';
import { zoneName, zoneOf } from '../../src/domain/time-zones.ts';

test.each([
  ['233 S Wacker Dr, Chicago, IL 60606, USA', 'America/Chicago'],
  ['233 S Wacker Dr, Chicago, IL 60606', 'America/Chicago'],
  ['233 S Wacker Dr, Chicago, IL', 'America/Chicago'],
  ['1 Main St, New York, NY 10001, USA', 'America/New_York'],
  ['1 Main St, New York, NY 10001-1234', 'America/New_York'],
  ['1 Main St, Phoenix, AZ 85001, USA', 'America/Phoenix'],
  ['1 Main St, Honolulu, HI 96801, USA', 'Pacific/Honolulu'],
  ['1 Main St, APO, AE 09012, USA', null],
  ['1 Main St, 60606, USA', null],
])('%s is in %s', (address, zone) => {
  expect(zoneOf(address)).toBe(zone);
});

test('a time zone has a long name', () => {
  expect(zoneName('America/Chicago', Date.parse('2026-01-05T12:00:00Z'), 'en-US')).toBe(
    'Central Standard Time',
  );
});
