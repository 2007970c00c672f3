import { expect, test } from 'vitest';
import { plainPalette } from '../../../../src/cli/kit/output/colour.ts';
import { jsonText } from '../../../../src/cli/kit/output/json-output.ts';
import { fitTable, recordText, tableText } from '../../../../src/cli/kit/output/table-output.ts';
import { type Column, type Row, toCell } from '../../../../src/cli/kit/result/result.ts';

interface Trip {
  id: string;
  who: string | null;
  fee: number;
  note: string;
}

const columns: Column<Trip>[] = [
  { field: 'id', header: 'Trip', kind: 'id', value: ({ id }) => id },
  { field: 'who', header: 'Driver', kind: 'text', value: ({ who }) => who },
  { field: 'fee', header: 'Fee', kind: 'money', spare: 1, value: ({ fee }) => fee },
  { field: 'note', header: 'Note', kind: 'text', spare: 2, value: ({ note }) => note },
];
const trip: Trip = { id: 'dlv_000001', who: null, fee: 659, note: 'by bicycle' };

function page(trips: readonly Trip[], room: number, of: readonly Column<Trip>[] = columns) {
  const rows = trips.map((data) => ({ data, cells: of.map((column) => toCell(column, data)) }));
  return { columns: of, rows, style: { palette: plainPalette, showPii: false, times: null, now: 0 }, room };
}

test.each([
  [37, 'TRIP        DRIVER    FEE  NOTE\ndlv_000001          $6.59  by bicycle\n'],
  [36, 'TRIP          FEE  NOTE\ndlv_000001  $6.59  by bicycle\n'],
  [28, 'TRIP        NOTE\ndlv_000001  by bicycle\n'],
  [21, 'TRIP\ndlv_000001\n'],
  [9, 'Trip  dlv_000001\nFee   $6.59\nNote  by bicycle\n'],
])('in %d columns as much as fits: empty columns go first, then optional ones, then cards', (room, text) => {
  expect(fitTable(page([trip], room), columns).text).toBe(text);
});

test('the next page omits the same columns, except those that were only empty', () => {
  const first = fitTable(page([trip], 28), columns);
  expect(first.columns.map(({ field }) => field)).toEqual(['id', 'who', 'note']);
  const second = fitTable(page([{ ...trip, who: 'Jo', note: '' }], 28), first.columns);
  expect(second.text).toBe('TRIP        DRIVER  NOTE\ndlv_000001  Jo\n');
});

test('long texts wrap below themselves if the table is too wide', () => {
  const prose = columns.map(
    ({ spare: _, ...column }): Column<Trip> =>
      column.field === 'note' ? { ...column, prose: true } : column,
  );
  const long = { ...trip, note: 'one word after another until the end' };
  expect(fitTable(page([long], 45, prose), prose).text).toBe(
    [
      'TRIP          FEE  NOTE',
      'dlv_000001  $6.59  one word after another',
      '                   until the end',
      '',
    ].join('\n'),
  );
  const endless = { ...trip, note: 'x'.repeat(40) };
  expect(fitTable(page([endless], 45, prose), prose).text).toMatch(/^Trip +dlv_000001\n/);
});

test('beside long texts there are as many columns as fit', () => {
  const tripColumns: Column<Trip>[] = [
    { field: 'id', header: 'Trip', kind: 'id', value: ({ id }) => id },
    { field: 'note', header: 'Note', kind: 'text', prose: true, value: ({ note }) => note },
    { field: 'who', header: 'Driver', kind: 'text', spare: 1, value: ({ who }) => who },
  ];
  const long = { ...trip, note: 'one word after another until the end', who: 'Maria Longname' };
  expect(fitTable(page([long], 36, tripColumns), tripColumns).text).toBe(
    ['TRIP        NOTE', 'dlv_000001  one word after another', '            until the end', ''].join('\n'),
  );
});

interface Parcel {
  id: string;
  who: string;
  fee: number;
  at: string | null;
}

const parcelColumns: Column<Parcel>[] = [
  { field: 'id', header: 'Parcel', kind: 'id', value: ({ id }) => id },
  { field: 'who', header: 'For', kind: 'text', value: ({ who }) => who },
  { field: 'fee', header: 'Fee', kind: 'money', value: ({ fee }) => fee },
  { field: 'at', header: 'At', kind: 'time', value: ({ at }) => at },
];

const now = Date.parse('2026-03-04T12:07:00.000Z');
const style = { palette: plainPalette, showPii: false, times: null, now };
const parcels: Parcel[] = [
  { id: 'dlv_1', who: 'Joe\u001b[2J\nDiner', fee: 659, at: null },
  { id: 'dlv_2', who: '寿司', fee: 123456, at: '2026-03-04T12:03:00.000Z' },
];
const rows: Row[] = parcels.map((data) => ({
  data,
  cells: parcelColumns.map((column) => toCell(column, data)),
}));
test('a table has no lines and no color, and aligns amounts to the right', () => {
  expect(tableText(parcelColumns, rows, style)).toBe(
    [
      'PARCEL  FOR              FEE  AT',
      'dlv_1   Joe Diner      $6.59',
      'dlv_2   寿司       $1,234.56  06:03 (4 min ago)',
      '',
    ].join('\n'),
  );
});

test('long texts of a record wrap below themselves; other values stay whole', () => {
  const note = 'Ring twice, then leave it with the doorman of the house';
  const data = { id: 'dlv_a_very_long_identifier_of_a_parcel', who: note, fee: 659, at: null };
  const row = { data, cells: parcelColumns.map((column) => toCell(column, data)) };
  expect(recordText(parcelColumns, row, style, 36)).toBe(
    [
      'Parcel',
      'dlv_a_very_long_identifier_of_a_parcel',
      'For     Ring twice, then leave it',
      '        with the doorman of the',
      '        house',
      'Fee     $6.59',
      '',
    ].join('\n'),
  );
  expect(recordText(parcelColumns, row, style)).toContain(`For     ${note}\n`);
});

test('JSON selects fields and keeps their structure', () => {
  const data = {
    id: 'a',
    stops: [{ at: 1, x: 2 }, { at: 3 }],
    courier: { name: 'J', phone: '1' },
    none: null,
  };
  const pick = (...fields: string[]) => JSON.parse(jsonText(data, { fields, indented: false }));
  expect(pick('id')).toEqual({ id: 'a' });
  expect(pick('courier.name', 'courier.phone')).toEqual({ courier: { name: 'J', phone: '1' } });
  expect(pick('stops.at', 'stops.x')).toEqual({
    stops: [
      { at: 1, x: 2 },
      { at: 3, x: null },
    ],
  });
  expect(pick('missing', 'none.deep')).toEqual({ missing: null, none: null });
});
