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
  ['1 Palafox St, Pensacola, FL 32502, USA', 'America/Chicago'],
  ['1 Main St, Panama City, FL 32401, USA', 'America/Chicago'],
  ['1 Main St, Tallahassee, FL 32301, USA', 'America/New_York'],
  ['1 Broadway, Gary, IN 46402, USA', 'America/Chicago'],
  ['1 Main St, Evansville, IN 47708, USA', 'America/Chicago'],
  ['1 Main St, Indianapolis, IN 46204, USA', 'America/New_York'],
  ['1 Main St, Bowling Green, KY 42101, USA', 'America/Chicago'],
  ['1 Main St, Louisville, KY 40202, USA', 'America/New_York'],
  ['1 Main St, Knoxville, TN 37902, USA', 'America/New_York'],
  ['1 Main St, Chattanooga, TN 37402, USA', 'America/New_York'],
  ['1 Main St, Tullahoma, TN 37388, USA', 'America/Chicago'],
  ['1 Main St, Nashville, TN 37201, USA', 'America/Chicago'],
  ['1 Main St, Nashville, TN', 'America/Chicago'],
  ['1 Main St, Ironwood, MI 49938, USA', 'America/Chicago'],
  ['1 Main St, Marquette, MI 49855, USA', 'America/New_York'],
  ['1 Main St, Dickinson, ND 58601, USA', 'America/Denver'],
  ['1 Main St, Rapid City, SD 57701, USA', 'America/Denver'],
  ['1 Main St, Sioux Falls, SD 57104, USA', 'America/Chicago'],
  ['1 Main St, Scottsbluff, NE 69361, USA', 'America/Denver'],
  ['1 Main St, Goodland, KS 67735, USA', 'America/Denver'],
  ['1 Main St, El Paso, TX 79901, USA', 'America/Denver'],
  ['1 Main St, Alpine, TX 79830, USA', 'America/Chicago'],
  ["1 Main St, Coeur d'Alene, ID 83814, USA", 'America/Los_Angeles'],
  ['1 Main St, Boise, ID 83702, USA', 'America/Denver'],
  ['1 Main St, Ontario, OR 97914, USA', 'America/Denver'],
  ['1 Main St, Window Rock, AZ 86515, USA', 'America/Denver'],
  ['1 Main St, Adak, AK 99546, USA', 'America/Adak'],
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
