import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReadAddress, readAddress } from '../../src/domain/address-reader.ts';
import { hasZipOrState, looksLikeStreet } from '../../src/domain/address-text.ts';
import { storedAddressFields } from '../../src/domain/addresses.ts';
import { cityOfZip, stateOfZip } from '../../src/domain/gazetteer.ts';
import { nearState } from '../../src/domain/us-states.ts';
import { readGazetteer } from '../../src/service/runtime/gazetteer-files.ts';
import { lostWords, mayBeCompared } from '../cases/lost-words.ts';
import { readTable } from '../cases/read-table.ts';

const gazetteer = await readGazetteer();

const cases = readTable('addresses.tsv', (cell) => ({
  kind: cell('kind'),
  text: cell('text'),
  street: cell('street'),
  city: cell('city'),
  state: cell('state'),
  zip: cell('zip'),
  notes: cell('notes'),
}));
const refused = readTable('addresses-refused.tsv', (cell) => ({
  kind: cell('kind'),
  text: cell('text'),
  reason: cell('reason'),
}));

/** Reads an address that must not be refused. */
function readParts(text: string): ReadAddress {
  const read = readAddress(text, gazetteer);
  if ('fault' in read) throw new Error(`"${text}" ${read.fault}`);
  return read;
}

/** A text without the signs that separate its parts. */
const folded = (text: string) =>
  text
    .replace(/[\s,.]+/g, ' ')
    .trim()
    .toLowerCase();

test.each(cases)('$kind: $text', ({ text, street, city, state, zip, notes }) => {
  const read = readParts(text);
  expect(folded(`${read.street} ${read.unit}`)).toContain(folded(street));
  expect(folded(read.city)).toBe(folded(city));
  expect(read.state).toBe(state);
  expect(read.zip).toBe(zip === '' ? null : zip);
  expect([...read.changes, ...read.warnings].join('; ')).toBe(notes);
});

test.each(refused)('$kind: $text is refused', ({ text, reason }) => {
  expect(reason).not.toBe('');
  expect(readAddress(text, gazetteer)).toEqual({ fault: expect.stringContaining(reason) });
});

test.each(cases)('$text has the city and state of its ZIP code, or a warning', ({ text }) => {
  const { zip, state, city, warnings } = readParts(text);
  if (zip === null) return;
  const isOfZip = folded(city) === folded(cityOfZip(gazetteer, zip) ?? '');
  const again = readAddress(`1 Main St, ${city}, ${state} ${zip}`, gazetteer);
  const isKnown = isOfZip || ('warnings' in again && again.warnings.length === 0);
  expect(isKnown || warnings.length > 0).toBe(true);
  if (state !== stateOfZip(gazetteer, zip)) expect(text).toMatch(/CA 97635|TN 42223/);
});

const lost = (text: string, { address, changes, warnings, state }: ReadAddress) =>
  lostWords(text, [address, ...changes, ...warnings], state);

test.each(cases.filter(mayBeCompared))('no word of $text is lost', ({ text }) => {
  expect(lost(text, readParts(text))).toEqual([]);
});

test.each(cases)(
  'what is stored of $text is read as the same parts, with the tables and without',
  ({ text }) => {
    const { address, street, unit, city, state, zip } = readParts(text);
    const fields = { street, unit, city, state, zip };
    expect(readParts(address)).toMatchObject({ address, ...fields });
    expect(storedAddressFields(address)).toEqual(fields);
  },
);

test('reading twice changes nothing, and no word is lost, whatever is written', () => {
  const street = fc.constantFrom(
    '233 S Wacker Dr',
    '12 Maple Ct',
    'Union Station',
    '6641 N 2200 W',
    'Joe, 5 Elm St',
  );
  const unit = fc.constantFrom('', ' Apt 4', ', Suite 4410', ' #31A', ', 3rd Floor');
  const place = fc.constantFrom(
    ...[
      'Chicago, IL 60606',
      'Chicago IL 60606-6306',
      'Chicago, Ill. 60606',
      'Chicago 60606',
      '60606',
      'Loop, IL 60606',
    ],
    ...['New York, NY 10118', 'NYC, NY', 'Chicgo, IL 60606', 'Cook County, IL 60606', 'St. Louis, Mo. 63104'],
  );
  const after = fc.constantFrom('', ', USA', ' Apt 9', ', ring twice', ' (back door)', '.', ' United States');
  const separator = fc.constantFrom(', ', ' ', ',', '\n', ' | ', '\t');
  fc.assert(
    fc.property(street, unit, separator, place, after, (...parts) => {
      const text = parts.join('');
      const read = readAddress(text, gazetteer);
      if ('fault' in read) return;
      const again = readParts(read.address);
      expect({ ...again, changes: [], warnings: [] }).toEqual({ ...read, changes: [], warnings: [] });
      expect(lost(text.replace(/St\. Louis, Mo\.|Ill\./, ''), read)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('any text is read in the same way twice, or refused with a reason', () => {
  const word = fc.constantFrom(
    ...[
      'New York',
      'IL',
      'il',
      'D.C.',
      'Texas',
      'USA',
      'U.S.',
      'US',
      'Main St',
      '60611',
      '60611-1234',
      'Apt 4',
      '12',
    ],
    ...[
      ',',
      ' ,',
      ', ',
      ' ',
      '\n',
      '12345',
      'of America',
      'United States',
      '\u00a0',
      'é',
      '.',
      'Chicago',
      '(',
      ')',
      '"',
    ],
  );
  const line = fc.array(word, { maxLength: 9 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.oneof(line, fc.string()), (text) => {
      const read = readAddress(text, gazetteer);
      if ('fault' in read) expect(read.fault.length).toBeGreaterThan(10);
      else expect(readParts(read.address).address).toBe(read.address);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['1 Apple Park Way, Cupertino, CA 95014', true],
  ['One Apple Park Way, Cupertino, CA 95014', true],
  ['Apple Park Way, Cupertino, CA 95014', false],
  ['Ontario Street, Chicago, IL 60611', false],
])('%s has a house number: %s', (text, isNumberLabel) => {
  expect(readParts(text).warnings.includes('has no house number')).toBe(!isNumberLabel);
});

test.each([
  ['1 Main St, Chicago, IL 6060', 'has a ZIP code of 4 digits: 6060'],
  ['1 Main St, Boston, MA 210', 'has a ZIP code of 3 digits: 210'],
  [
    '1 Main St, Boston, MA 2108',
    'has a ZIP code of 4 digits: 2108; if its first digit is missing, write 02108',
  ],
])('%s %s', (text, fault) => {
  expect(readAddress(text, gazetteer)).toEqual({ fault });
});

test.each([
  ['1 Main St 60606', true],
  ['1 Main St 606061234', true],
  ['Main St IL', true],
  ['Main St IL, USA', true],
  ['Chicago IL', false],
  ['1 Main St', false],
])('%s may end in a ZIP code or a state: %s', (text, expected) => {
  expect(hasZipOrState(text)).toBe(expected);
});

test.each([
  ['233 Wacker', true],
  ['Wacker Drive', true],
  ['Chicago', false],
])('%s looks like a street: %s', (text, expected) => {
  expect(looksLikeStreet(text)).toBe(expected);
});

test.each([
  ['Illnois', 'IL'],
  ['Ohoi', null],
  ['Washing', null],
  ['Chicago', null],
])('%s is nearly the name of the state %s', (text, state) => {
  expect(nearState(text)).toBe(state);
});
