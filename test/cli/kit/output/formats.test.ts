import { expect, test } from 'vitest';
import { plain } from '../../../../src/cli/kit/output/colour.ts';
import { jsonText } from '../../../../src/cli/kit/output/json.ts';
import { recordText, tableText } from '../../../../src/cli/kit/output/table.ts';
import { type Column, cellOf, type Row } from '../../../../src/cli/kit/result/result.ts';

interface Parcel {
  id: string;
  who: string;
  fee: number;
  at: string | null;
}

const columns: Column<Parcel>[] = [
  { field: 'id', header: 'Parcel', kind: 'id', value: ({ id }) => id },
  { field: 'who', header: 'For', kind: 'text', value: ({ who }) => who },
  { field: 'fee', header: 'Fee', kind: 'money', value: ({ fee }) => fee },
  { field: 'at', header: 'At', kind: 'time', value: ({ at }) => at },
];

const now = Date.parse('2026-03-04T12:07:00.000Z');
const style = { palette: plain, showPii: false, times: null, now };
const parcels: Parcel[] = [
  { id: 'dlv_1', who: 'Joe\u001b[2J\nDiner', fee: 659, at: null },
  { id: 'dlv_2', who: '寿司', fee: 123456, at: '2026-03-04T12:03:00.000Z' },
];
const rows: Row[] = parcels.map((data) => ({ data, cells: columns.map((column) => cellOf(column, data)) }));
const [first] = rows;
if (first === undefined) throw new Error('there are rows');

function localClock(iso: string): string {
  const date = new Date(Date.parse(iso));
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

test('a table has no lines and no color, and aligns amounts to the right', () => {
  expect(tableText(columns, rows, style)).toBe(
    [
      'PARCEL  FOR              FEE  AT',
      'dlv_1   Joe Diner      $6.59',
      `dlv_2   寿司       $1,234.56  ${localClock('2026-03-04T12:03:00.000Z')} (4 min ago)`,
      '',
    ].join('\n'),
  );
});

test('long texts wrap below themselves; other values stay whole', () => {
  const note = 'Ring twice, then leave it with the doorman of the house';
  const data = { id: 'dlv_a_very_long_identifier_of_a_parcel', who: note, fee: 659, at: null };
  const row = { data, cells: columns.map((column) => cellOf(column, data)) };
  expect(recordText(columns, row, style, 36)).toBe(
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
  expect(recordText(columns, row, style)).toContain(`For     ${note}\n`);
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
