import { expect, test } from 'vitest';
import { normalizePhone, phoneFault, phoneIn } from '../../src/domain/phones.ts';
import { phoneDigits, withPlus } from '../../src/domain/search-text.ts';

test.each([
  ['+13125550142', '13125550142'],
  ['+1 (312) 555-0142', '13125550142'],
  [' +49 1511 2345678 ', '4915112345678'],
  ['+11234567890', '11234567890'],
])('%j is stored as %j', (text, stored) => {
  expect(normalizePhone(text)).toBe(stored);
});

test.each([
  '13125550142',
  '(312) 555-0142',
  '+1312555014',
  '+131255501429',
  '+13125550142 ext 5',
  '+99912345678',
  'call +13125550142',
  '+',
  '',
])('%j is not a phone number', (text) => {
  expect(normalizePhone(text)).toBeNull();
});

test.each([
  ['(312) 555-0142', '+13125550142'],
  ['312-555-0142', '+13125550142'],
  [' 312.555.0142 ', '+13125550142'],
  ['3125550142', '+13125550142'],
  ['1 312 555 0142', '+13125550142'],
  ['+1 (312) 555-0142', '+13125550142'],
  ['+49 1511 2345678', '+4915112345678'],
  ['555-0142', null],
  ['020 7946 0958', null],
  ['312-555-0142 ext 5', null],
  ['312-555-0142 or 312-555-0143', null],
  ['+999 12345678', null],
  ['', null],
])('%j is the number as a person writes it', (text, phone) => {
  expect(phoneIn(text)).toBe(phone);
});

test('a stored number is parsed again with its plus', () => {
  expect(withPlus('13125550142')).toBe('+13125550142');
  expect(withPlus('+13125550142')).toBe('+13125550142');
  expect(withPlus('')).toBe('');
  expect(normalizePhone(withPlus('13125550142'))).toBe('13125550142');
});

test.each(['+1 312-555-0142', '13125550142', '1 (312) 555 0142'])('%j is searched by its digits', (text) => {
  expect(phoneDigits(text)).toBe('13125550142');
});

test('every American number of ten digits is stored as its digits, however it is written', () => {
  const areaCodes = Array.from({ length: 800 }, (_, index) => 200 + index);
  for (const area of areaCodes) {
    const digits = `1${area}5550142`;
    expect([`+${digits}`, `+1 (${area}) 555-0142`].map(normalizePhone)).toEqual([digits, digits]);
  }
});

test.each([
  ['911', 'has 3 of the 10 digits of a US phone number, such as +13125550142'],
  ['Joe', 'is not a phone number such as +13125550142'],
  ['3125550142', 'must be in international format with a leading plus, such as +13125550142'],
  ['+1312', 'has too few digits for a phone number of its country'],
  ['+131255501421234', 'has too many digits for a phone number of its country'],
  ['+9991234567', 'begins with a country code that does not exist'],
  ['+13125550142 ext. 33', 'has an extension: write it into the notes'],
  ['+x33', 'is not a phone number such as +13125550142'],
])('%s %s', (text, fault) => {
  expect(normalizePhone(text)).toBeNull();
  expect(phoneFault(text)).toBe(fault);
});
