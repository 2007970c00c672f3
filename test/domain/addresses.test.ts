import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeAddress, zoneName, zoneOf } from '../../src/domain/addresses.ts';

const shop = '401 N Michigan Ave, Chicago, IL 60611, USA';

test.each([
  '401 N Michigan Ave, Chicago, IL, 60611',
  '401 N Michigan Ave, Chicago, IL 60611',
  '401 N Michigan Ave, Chicago IL 60611',
  '401 N Michigan Ave, Chicago, il 60611, USA',
  '401 N Michigan Ave, Chicago, IL, 60611, us',
  '401 N Michigan Ave, Chicago, IL 60611 U.S.A.',
  '401 N Michigan Ave, Chicago, IL 60611, United States of America',
  '401 N Michigan Ave, Chicago, IL 60611, UNITED STATES',
  '401 N Michigan Ave, Chicago, IL, USA, 60611',
  '401 N Michigan Ave, Chicago, Illinois, United States 60611',
  '401 N Michigan Ave, Chicago, IL 60611-4274',
  '401 N Michigan Ave, Chicago, Illinois, 60611',
  '401 N Michigan Ave, Chicago, illinois 60611',
  '  401  N Michigan\tAve ,, Chicago , I.L. , 60611 , ',
  shop,
])('%j is normalized', (line) => {
  expect(normalizeAddress(line)).toMatchObject({ address: shop, zip: '60611', state: 'IL' });
});

test.each([
  ['401 N Michigan Ave Chicago IL 60611', '401 N Michigan Ave Chicago, IL 60611, USA'],
  ['350 5th Ave, New York, NY 10118', '350 5th Ave, New York, NY 10118, USA'],
  ['350 5th Ave, New York 10118', '350 5th Ave, New York, 10118, USA'],
  ['350 5th Ave, New York, New York 10118', '350 5th Ave, New York, NY 10118, USA'],
  ['1600 Pennsylvania Ave NW, Washington, D.C. 20500', '1600 Pennsylvania Ave NW, Washington, DC 20500, USA'],
  ['12345 Oak St, Columbus, OH 43004', '12345 Oak St, Columbus, OH 43004, USA'],
  ['Oak St, Toronto, 43004', 'Oak St, Toronto, 43004, USA'],
  ['60611', '60611, USA'],
])('%j becomes %j', (line, address) => {
  expect(normalizeAddress(line)?.address).toBe(address);
});

test.each([
  '401 N Michigan Ave, Chicago, IL',
  '401 N Michigan Ave, Chicago IL',
  '401 N Michigan Ave, Chicago, Illinois, USA',
  ' 401 N Michigan Ave , Chicago , i.l. ,',
])('%j has no ZIP code and is placed by its city', (line) => {
  const address = '401 N Michigan Ave, Chicago, IL, USA';
  const place = ['401 N Michigan Ave', 'Chicago'];
  expect(normalizeAddress(line)).toEqual({ address, zip: null, state: 'IL', place });
});

test.each([
  ['350 5th Ave, New York, NY', '350 5th Ave, New York, NY, USA'],
  ['350 5th Ave, Floor 3, New York, New York', '350 5th Ave, Floor 3, New York, NY, USA'],
  ['1600 Pennsylvania Ave NW, Washington, D.C.', '1600 Pennsylvania Ave NW, Washington, DC, USA'],
])('%j becomes %j without a ZIP code', (line, address) => {
  expect(normalizeAddress(line)?.address).toBe(address);
});

test.each([
  '12345 Oak St',
  '401 N Michigan Ave, Chicago',
  'Chicago, IL',
  '350 5th Ave, New York',
  '401 N Michigan Ave Chicago IL',
  'IL 6061',
  'IL 606111',
  'IL 60611-12',
  'USA',
  '',
])('%j cannot be placed', (line) => {
  expect(normalizeAddress(line)).toBeNull();
});

test('normalizing twice changes nothing', () => {
  const word = fc.constantFrom(
    ...['New York', 'IL', 'il', 'D.C.', 'Texas', 'USA', 'U.S.', 'US', 'Main St', '60611', '60611-1234'],
    ...[',', ' ,', ', ', ' ', '\n', '12345', 'of America', 'United States', '\u00a0', 'é', '.'],
  );
  const line = fc
    .array(word, { maxLength: 8 })
    .chain((words) =>
      fc
        .constantFrom('', ' 60611', ', 60611', ' 60611, USA', '60611 us', ', Springfield, IL')
        .map((end) => words.join(' ') + end),
    );
  fc.assert(
    fc.property(fc.oneof(line, fc.string()), (text) => {
      const once = normalizeAddress(text);
      if (once !== null) expect(normalizeAddress(once.address)).toEqual(once);
    }),
    { numRuns: 2000 },
  );
});

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
