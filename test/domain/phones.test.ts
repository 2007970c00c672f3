import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readContact, readOrderPhones } from '../../src/domain/phone-notes.ts';
import { readPhoneText, storedPhoneForms } from '../../src/domain/phone-text.ts';
import { readPhone } from '../../src/domain/phones.ts';
import { phoneDigits, withPlus } from '../../src/domain/search-text.ts';
import { readTable } from '../cases/read-table.ts';

const cases = readTable('phones.tsv', (cell) => ({
  kind: cell('kind'),
  text: cell('text'),
  stored: cell('stored'),
  beside: cell('beside'),
  refused_with: cell('refused_with'),
}));

test.each(cases.filter(({ stored }) => stored !== ''))(
  '$kind: $text is $stored',
  ({ text, stored, beside }) => {
    expect(readPhone(text)).toEqual({ number: `+${stored}`, extra: beside });
  },
);

test.each(cases.filter(({ stored }) => stored === ''))(
  '$kind: $text is refused with its reason',
  ({ text, refused_with }) => {
    expect(refused_with).not.toBe('');
    expect(readPhone(text)).toEqual({ fault: expect.stringContaining(refused_with) });
  },
);

test('a stored number is read again with its plus, and nothing is beside it', () => {
  for (const { stored } of cases.filter((each) => each.stored !== '')) {
    expect(readPhone(withPlus(stored))).toEqual({ number: `+${stored}`, extra: '' });
  }
  for (const text of ['', '+13125550142']) expect(withPlus(text)).toBe(text);
});

/** The words that only say what kind of number it is, which notes do not need. */
const labels = ['', 'tel:', 'Cell ', 'Home: ', '(c) ', 'US '];
const separators = ['', ' ', '-', '.', '–', '/', ' - ', '\u00a0'];

test('no digit or letter beside a number is lost', () => {
  const number = fc.constantFrom('312', '(312)', '[312]').chain((area) =>
    fc.tuple(fc.constantFrom(...separators), fc.constantFrom(...separators)).map(([first, second]) => {
      return `${area}${first}555${second}0142`;
    }),
  );
  const beside = fc.constantFrom(
    '',
    ' x12',
    ' ext. 7',
    ' or 312-555-0143',
    ' ask for Bob',
    ' (back door 3)',
    ', 4',
  );
  fc.assert(
    fc.property(fc.constantFrom(...labels), number, beside, (label, written, extra) => {
      const read = readPhone(`${label}${written}${extra}`);
      expect(read).toMatchObject({ number: '+13125550142' });
      const kept = 'extra' in read ? read.extra : '';
      const words = (text: string) => text.replace(/\b(?:x|ext)\b/g, '').match(/[a-z]+|\d+/gi) ?? [];
      expect(words(kept).join(' ')).toContain(words(extra.replace(/x(?=\d)/, '')).join(' '));
    }),
  );
});

test('any text is read or refused with a reason', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'+0123456789-. ()extor#/,ab\u200b–'), maxLength: 24 }),
      (text) => {
        const read = readPhone(text);
        if ('fault' in read) expect(read.fault.length).toBeGreaterThan(10);
        else expect(read.number).toMatch(/^\+[1-9]\d{4,14}$/);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ['(312) 555-0142', ['3125550142', '13125550142']],
  ['3125550142', ['3125550142', '13125550142']],
  ['442079460958', ['442079460958']],
  ['tel: (312) 555-0100 x2', ['13125550100']],
  ['+44 20 7946 0958', ['442079460958']],
  ['555-0142', []],
  ['0118', []],
  ['0049', []],
  ['011 683 4002', ['6834002']],
  ['0312 555 0142', []],
  ['123456789012345', ['123456789012345']],
  ['1234567890123456', []],
  ['Joe', []],
])('%j is looked for as %j', (text, forms) => {
  expect(storedPhoneForms(text)).toEqual(forms);
});

test.each(['+1 312-555-0142', '13125550142', '1 (312) 555 0142'])('%j is searched by its digits', (text) => {
  expect(phoneDigits(text)).toBe('13125550142');
});

test('what stands beside a number goes into the notes of its end, once', () => {
  const given = {
    dropoff_phone_number: '312-555-0142 x204',
    dropoff_notes: 'Ring twice',
    pickup_phone_number: 7,
  };
  const { fields, moved } = readOrderPhones(given);
  expect(fields).toEqual({
    dropoff_phone_number: '+13125550142',
    dropoff_notes: 'Ring twice. Phone ext. 204',
    pickup_phone_number: 7,
  });
  expect(moved).toEqual(['"ext. 204" beside the phone number is in the dropoff notes.']);
  const again = { ...fields, dropoff_phone_number: given.dropoff_phone_number };
  expect(readOrderPhones(again)).toEqual({ fields, moved: [] });
  const numbered = { pickup_phone_number: '312-555-0142 x1', pickup_notes: 7 };
  expect(readOrderPhones(numbered)).toEqual({ fields: numbered, moved: [] });
});

test.each([
  ['Phone ext. 204', 'Phone ext. 204'],
  ['Phone ext. 204, ask for Jo', 'Phone ext. 204, ask for Jo'],
  ['Phone ext. 2041', 'Phone ext. 2041. Phone ext. 204'],
  ['Phone ext. 2041. Phone ext. 204.', 'Phone ext. 2041. Phone ext. 204.'],
])('notes %j with ext. 204 beside the number become %j', (notes, expected) => {
  expect(readContact(readPhoneText('312-555-0142 x204'), notes)).toMatchObject({ notes: expected });
});

test('notes that have no room left for an extension are a fault', () => {
  const full = 'n'.repeat(485);
  const extended = readPhoneText('312-555-0142 x204');
  expect(readContact(extended, full)).toEqual({
    fault: expect.stringContaining('no longer fits into the notes'),
  });
  expect(readContact(extended, full.slice(1))).toMatchObject({ number: '+13125550142' });
  const long = 'n'.repeat(501);
  expect(readContact(readPhoneText('312-555-0142'), long)).toEqual({ number: '+13125550142', notes: long });
});
