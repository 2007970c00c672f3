import { expect, test } from 'vitest';
import { readAddress } from '../../src/domain/address-reader.ts';
import { findZone, isSameAddress, storedAddressFields, zoneName } from '../../src/domain/addresses.ts';
import { readGazetteer } from '../../src/service/runtime/gazetteer-files.ts';

const shop = '401 N Michigan Ave, Chicago, IL 60611, USA';
const gazetteer = await readGazetteer();

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
  '  401  N Michigan   Ave ,, Chicago , I.L. , 60611 , ',
  shop,
])('%j is normalized', (line) => {
  expect(readAddress(line, gazetteer)).toMatchObject({ address: shop, zip: '60611', state: 'IL' });
});

test.each([
  ['401 N Michigan Ave Chicago IL 60611', '401 N Michigan Ave, Chicago, IL 60611, USA'],
  ['350 5th Ave, New York, NY 10118', '350 5th Ave, New York, NY 10118, USA'],
  ['350 5th Ave, New York 10118', '350 5th Ave, New York, NY 10118, USA'],
  ['350 5th Ave, New York, New York 10118', '350 5th Ave, New York, NY 10118, USA'],
  ['1600 Pennsylvania Ave NW, Washington, D.C. 20500', '1600 Pennsylvania Ave NW, Washington, DC 20500, USA'],
  ['12345 Oak St, Columbus, OH 43004', '12345 Oak St, Columbus, OH 43004, USA'],
  ['401 N Michigan Ave, Chicago, IL', '401 N Michigan Ave, Chicago, IL, USA'],
  [' 401 N Michigan Ave , Chicago , i.l. ,', '401 N Michigan Ave, Chicago, IL, USA'],
  ['350 5th Ave, Floor 3, New York, New York', '350 5th Ave, Floor 3, New York, NY, USA'],
  ['233 S Wacker Dr 60606', '233 S Wacker Dr, Chicago, IL 60606, USA'],
])('%j becomes %j', (line, address) => {
  expect(readAddress(line, gazetteer)).toMatchObject({ address });
});

test.each([
  ['233 S Wacker Dr, Apt 4, Chicago, IL 60606, USA', ['233 S Wacker Dr', 'Apt 4', 'Chicago', 'IL', '60606']],
  ['Joe, 233 S Wacker Dr, Chicago, IL, USA', ['Joe, 233 S Wacker Dr', '', 'Chicago', 'IL', null]],
  ['350 5th Ave, New York, 10118, USA', ['350 5th Ave', '', 'New York', '', '10118']],
  ['350 5th Ave, 10118, USA', ['350 5th Ave', '', '', '', '10118']],
  ['10118, USA', ['', '', '', '', '10118']],
])('the stored %s has the parts %j', (address, [street, unit, city, state, zip]) => {
  expect(storedAddressFields(address)).toEqual({ street, unit, city, state, zip });
});

test.each(['1 Yonge St, Toronto, ON M5E 1W7', ''])('%j has no parts of a stored address', (address) => {
  expect(storedAddressFields(address)).toBeNull();
});

test('an address is the same with another spelling of its words, and with commas elsewhere', () => {
  const address = '43 E. Ohio Street, Chicago, IL 60611, USA';
  expect(isSameAddress({ address }, { address: '43 E Ohio St Chicago, IL 60611, USA' })).toBe(true);
  expect(isSameAddress({ address }, { address: '44 E Ohio St, Chicago, IL 60611, USA' })).toBe(false);
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
  expect(findZone(address)).toBe(zone);
});

test('a time zone has a long name', () => {
  expect(zoneName('America/Chicago', Date.parse('2026-01-05T12:00:00Z'), 'en-US')).toBe(
    'Central Standard Time',
  );
});
