import { expect, test } from 'vitest';
import {
  createSearchText,
  hasEmail,
  matchedFields,
  readSearchWords,
  trigramsOf,
  wordsInSearch,
} from '../../src/domain/search-text.ts';

const end = { address: '43 E Ohio St, Chicago, IL 60611, USA', unit: '', notes: '' };
const order = {
  id: 'ord_01JX5F9K7Q2M4N6P8R0S2T4V6W',
  external_order_ref: 'A-1001',
  pickup: { ...end, name: 'Éclair & Sœurs', phone: '13125550100' },
  dropoff: {
    ...end,
    name: 'Zoë O’Neil-Müller',
    phone: '4930123456',
    unit: '4B',
    notes: 'Ring twice, code 4711-0815',
    email: 'z.oneil@mail.example',
  },
  items: [{ name: 'Brisket Classic' }, { name: 'Straße' }],
  items_description: '',
};
const text = createSearchText({ ...order, driver_phone: '13125550177' });

function isFound(typed: string): boolean {
  return readSearchWords(typed).every(({ patterns }) => patterns.some((pattern) => text.includes(pattern)));
}

test.each([
  ['zoe', 'dropoff name'],
  ['MULLER', 'dropoff name'],
  ['uller', 'dropoff name'],
  ['ulle', 'dropoff name'],
  ['zoe o', 'dropoff name'],
  ['zo', 'dropoff name'],
  ["o'neil zoë", 'dropoff name'],
  ['soeurs', 'pickup name'],
  ['ohio 60611', 'dropoff address, pickup address'],
  ['60611-4321', 'dropoff address, pickup address'],
  ['z.oneil@mail.example', 'dropoff e-mail'],
  ['4b', 'dropoff unit'],
  ['twice', 'dropoff notes'],
  ['4711-0815', 'dropoff notes'],
  ['4711 0815', 'dropoff notes'],
  ['strasse', 'items'],
  ['#a1001', 'reference'],
  ['A 1001', 'reference'],
  ['1001', 'reference'],
  ['0100', 'pickup phone ending 0100'],
  ['555-0100', 'pickup phone ending 0100'],
  ['+1 (312) 555-0100', 'pickup phone'],
  ['ohio (312) 555-0100', 'dropoff address and pickup phone ending 0100'],
  ['555-0100 ohio', 'pickup phone ending 0100 and dropoff address'],
  ['s2t4v6w', 'order ID ending S2T4V6W'],
  ['zoe t', 'dropoff name and dropoff notes'],
  ['zoe 3456', 'dropoff name and dropoff phone ending 3456'],
])('"%s" finds the order by its %s', (typed, matched) => {
  expect(isFound(typed)).toBe(true);
  expect(matchedFields(order, readSearchWords(typed))).toBe(matched);
});

test.each([
  ...['1312', 'zoe miller', 'zoeoneilmuller', '0101', '555', 'b4', 'hio 061'],
  // The letters before phone numbers, which nobody has written.
  ...['t1', 'T13', 't1312555', 'd1', 'D131', 'zoe d', 'zoe t1'],
])('"%s" does not match', (typed) => {
  expect(isFound(typed)).toBe(false);
});

test('a word that no field has is left out of what matched, and a phone of a driver has its label', () => {
  expect(matchedFields(order, readSearchWords('zoe miller'))).toBe('dropoff name');
  const driven = { ...order, driver_phone: '13125550177' };
  expect(matchedFields(driven, readSearchWords('0177'))).toBe('driver phone ending 0177');
});

test.each([
  ['43 606', ['43', '606']],
  ['555 0100', ['5550100']],
  ['Mr', ['mr']],
  ['Mrs Rossi', ['rossi']],
  ['N St', ['n', 'st']],
])('%s is searched as %j', (typed, words) => {
  expect(readSearchWords(typed).map(({ word }) => word)).toEqual(words);
});

test('a reference of several words is also one word', () => {
  expect(wordsInSearch('A 1001', 'reference')).toBe('a 1001 a1001 ');
  expect(wordsInSearch('A1001', 'reference')).toBe('a1001 ');
});

test.each([
  ['Z.Oneil@mail.example ', true],
  ['joe@mail.example', false],
  ['gate@mail.example', true],
])('the order has the address %s: %s', (typed, expected) => {
  const pickup = { ...order.pickup, notes: 'Write to Gate@mail.example' };
  expect(hasEmail({ ...order, pickup }, typed)).toBe(expected);
});

test('a text without letters and digits has no words', () => {
  expect(readSearchWords(' #%_"\' ')).toEqual([]);
});

test('every word of more than one character has a trigram', () => {
  expect(trigramsOf('mull')).toEqual(['mul', 'ull']);
  for (const typed of ['ab', '12', '田中', '𠮷野家', '7'])
    for (const { patterns } of readSearchWords(typed))
      for (const pattern of patterns) expect(trigramsOf(pattern)).not.toEqual([]);
});

test.each([
  ['233 S Wacker Dr, Chicago, IL 60606, USA', 'Wacker Drive'],
  ['233 S Wacker Drive, Chicago, IL 60606, USA', 'wacker dr'],
  ['500 Michigan Ave, Chicago, IL 60611, USA', 'N Michigan Avenue'],
  ['500 North Michigan Avenue, Chicago, IL 60611, USA', '500 N. Michigan Ave'],
  ['9 Elm Boulevard, Austin, TX 78701, USA', 'elm blvd'],
  ['9 Old Oak Rd, Austin, TX 78701, USA', 'Old Oak Road'],
])('%s is found by %s', (address, typed) => {
  const stored = createSearchText({ ...order, dropoff: { ...order.dropoff, address } });
  const words = readSearchWords(typed);
  expect(words.every(({ patterns }) => patterns.some((pattern) => stored.includes(pattern)))).toBe(true);
});

test('a direction counts in a search that is not for a street', () => {
  expect(readSearchWords('North Grill').map(({ word }) => word)).toEqual(['north', 'grill']);
  expect(readSearchWords('N Main St').map(({ word }) => word)).toEqual(['main', 'st']);
});
