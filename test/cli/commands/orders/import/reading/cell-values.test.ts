import { expect, test } from 'vitest';
import {
  cellText,
  countedItem,
  countryCell,
  zipCell,
} from '../../../../../../src/cli/commands/orders/import/reading/cell-values.ts';
import {
  findTableStart,
  isFooter,
} from '../../../../../../src/cli/commands/orders/import/reading/csv-records.ts';
import { chosenTime } from '../../../../../../src/cli/commands/orders/import/reading/delivery-dates.ts';
import { withCellEscaped, withCellUnescaped } from '../../../../../../src/cli/kit/output/safe-text.ts';

test.each([
  ['02108', '02108'],
  ['2108', '02108'],
  ['926', '00926'],
  ['2108.0', '02108'],
  ['60606.0', '60606'],
  ["'02108", '02108'],
  ['60,606', '60606'],
  ['6.0606E+04', '60606'],
  ['2.108E+03', '02108'],
  ['02108-1234', '02108-1234'],
  ['2108-1234', '02108-1234'],
  ['02108 – 1234', '02108-1234'],
  ['021081234', '02108-1234'],
  ['21081234', '02108-1234'],
  ['60606-', '60606'],
  ['V2C 1A1', 'V2C 1A1'],
  ['', ''],
])('the ZIP code %j is %j', (cell, zip) => {
  expect(zipCell(cell)).toBe(zip);
});

test.each([
  ['="02108"', '02108'],
  ['="000 123"', '000 123'],
  ['=1+1', '=1+1'],
  [' x ', 'x'],
])('the cell %j has the text %j', (cell, text) => {
  expect(cellText(cell)).toBe(text);
});

test.each([
  ['2', { name: 'Beef', quantity: 2 }],
  ['6.0000', { name: 'Beef', quantity: 6 }],
  ['1.5', { name: '1.5 x Beef', quantity: 1 }],
  ['0.750', { name: '0.75 x Beef', quantity: 1 }],
  ['1,5', { name: '1.5 x Beef', quantity: 1 }],
  ['1,500', { name: '1500 x Beef', quantity: 1 }],
  ['0', { name: 'Beef', quantity: 0 }],
  ['two', null],
])('%j of an item', (quantity, item) => {
  expect(countedItem('Beef', quantity)).toEqual(item);
});

test.each([
  ['US', ''],
  ['United States', ''],
  ['United States of America', ''],
  ['Estados Unidos', ''],
  ['États-Unis', ''],
  ['', ''],
  ['PR', 'PR'],
  ['Guam', 'GU'],
  ['Virgin Islands, U.S.', 'VI'],
  ['Germany', null],
  ['CA', null],
  ['MX', null],
])('the country %j is %j', (country, state) => {
  expect(countryCell(country)).toBe(state);
});

const layout = {
  ...{ preset: null, map: [], store: null, only: [], statuses: [], isOrderPerRow: false, set: [] },
};

test.each<[attributes: [string, string][], named: string[], date: string, time: string, unused: string[]]>([
  [
    [
      ['Delivery-Date', '2026-12-05'],
      ['Delivery-Time', '13:00'],
    ],
    [],
    '2026-12-05',
    '13:00',
    [],
  ],
  [
    [
      ['delivery_date', '12/05/2026'],
      ['delivery_time_slot', '1-2pm'],
    ],
    [],
    '12/05/2026',
    '1-2pm',
    [],
  ],
  [[['Delivery Date', '12/05/2026 1:00 PM']], [], '12/05/2026 1:00 PM', '', []],
  [
    [
      ['jckwds_date', '2026-12-05'],
      ['_paid_date', '2026-11-27 10:00'],
    ],
    [],
    '2026-12-05',
    '',
    [],
  ],
  [[['Event', '2026-12-05']], [], '', '', ['Event']],
  [
    [
      ['Event', '2026-12-05'],
      ['Hour', '3 PM'],
    ],
    ['event', 'HOUR'],
    '2026-12-05',
    '3 PM',
    [],
  ],
  [
    [
      ['gift_message', 'happy: birthday'],
      ['color', 'red'],
    ],
    [],
    '',
    '',
    [],
  ],
  [[['Pickup-Date', '2026-12-05']], [], '', '', []],
])(
  'of the attributes %j, of which --date-attribute names %j',
  (attributes, dateAttributes, date, time, unused) => {
    const found = chosenTime(attributes, { ...layout, dateAttributes });
    expect([found.date, found.time]).toEqual([date, time]);
    expect(found.unused).toEqual(unused.map((name) => expect.stringContaining(`--date-attribute '${name}'`)));
  },
);

const known = (names: readonly string[]) =>
  names.filter((name) => ['ref', 'name', 'address'].includes(name.toLowerCase())).length;

test.each<[head: string, separator: string, titles: number, hasQuotes: boolean]>([
  ['ref,name\n1,x', ',', 0, true],
  ['sep=;\nref;name\n1;x', ';', 1, true],
  ['ref|name|address\n1|x|12 Main St, Boston, MA', '|', 0, true],
  ['Orders, all of them, today\n\nref;name\n', ';', 2, true],
  [',,,\nRef,Name,x\n', ',', 1, true],
  ['ref\tname\n1\t24" pizza', '\t', 0, false],
  ['"ref"\t"name"\n', '\t', 0, true],
  ['foreign;words\n1,2,3,4', ';', 0, true],
])('the table of %j', (head, separator, titles, hasQuotes) => {
  const found = findTableStart(head, known);
  expect({ ...found, titles: found.titles.length }).toEqual({ separator, titles, hasQuotes });
});

test.each<[cells: string[], isEnd: boolean]>([
  [['Total', '', '', '', '2'], true],
  [['', '', 'Grand total:', '', '12.50'], true],
  [['2', 'record(s) downloaded', 'from', 'Nov', ''], false],
  [['2', 'record(s) downloaded', '', '', ''], true],
  [['Seller ID : grill', '', '', '', ''], true],
  [['Page 1 of 2', '', '', '', ''], true],
  [['Total Wine', '', '', '', ''], false],
  [['A3', '', '', '', ''], false],
  [['Total', '12 Main St', 'Ann', '617-555-0142', 'Soup'], false],
])('%j ends a table: %j', (cells, isEnd) => {
  expect(isFooter(cells, cells.length)).toBe(isEnd);
});

test.each([
  '000123',
  '1E5',
  '3/4',
  '2026-12-05',
  '10:30',
  '+44 20 7946 0958',
  '4500123456789',
  '1.10',
  '=1+1',
  'Mar 5',
])('a spreadsheet changes %s, which is escaped for it', (text) => {
  expect(withCellEscaped(text)).toBe(`'${text}`);
  expect(withCellUnescaped(`'${text}`)).toBe(text);
});

test.each(['A-1042', '#1001', '1042', '+13125550142', 'Apt 4', "'tis", '12 Main St'])(
  'a spreadsheet keeps %s',
  (text) => {
    expect(withCellEscaped(text)).toBe(text);
    expect(withCellUnescaped(text)).toBe(text);
  },
);
