import { expect, test } from 'vitest';
import { normalizePhone, phoneFault } from '../../src/domain/phones.ts';

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
