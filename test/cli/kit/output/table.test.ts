import { expect, test } from 'vitest';
import { plain } from '../../../../src/cli/kit/output/colour.ts';
import { wrapped } from '../../../../src/cli/kit/output/sanitize.ts';
import { fitted } from '../../../../src/cli/kit/output/table.ts';
import { type Column, cellOf } from '../../../../src/cli/kit/result/result.ts';

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
  const rows = trips.map((data) => ({ data, cells: of.map((column) => cellOf(column, data)) }));
  return { columns: of, rows, style: { palette: plain, showPii: false, times: null, now: 0 }, room, wrapped };
}

test.each([
  [37, 'TRIP        DRIVER    FEE  NOTE\ndlv_000001          $6.59  by bicycle\n'],
  [36, 'TRIP          FEE  NOTE\ndlv_000001  $6.59  by bicycle\n'],
  [28, 'TRIP        NOTE\ndlv_000001  by bicycle\n'],
  [21, 'TRIP\ndlv_000001\n'],
  [9, 'Trip  dlv_000001\nFee   $6.59\nNote  by bicycle\n'],
])('in %d columns as much as fits: empty columns go first, then optional ones, then cards', (room, text) => {
  expect(fitted(page([trip], room), columns).text).toBe(text);
});

test('the next page omits the same columns, except those that were only empty', () => {
  const first = fitted(page([trip], 28), columns);
  expect(first.columns.map(({ field }) => field)).toEqual(['id', 'who', 'note']);
  const second = fitted(page([{ ...trip, who: 'Jo', note: '' }], 28), first.columns);
  expect(second.text).toBe('TRIP        DRIVER  NOTE\ndlv_000001  Jo\n');
});

test('long texts wrap below themselves if the table is too wide', () => {
  const prose = columns.map(
    ({ spare: _, ...column }): Column<Trip> =>
      column.field === 'note' ? { ...column, prose: true } : column,
  );
  const long = { ...trip, note: 'one word after another until the end' };
  expect(fitted(page([long], 45, prose), prose).text).toBe(
    [
      'TRIP          FEE  NOTE',
      'dlv_000001  $6.59  one word after another',
      '                   until the end',
      '',
    ].join('\n'),
  );
  const endless = { ...trip, note: 'x'.repeat(40) };
  expect(fitted(page([endless], 45, prose), prose).text).toMatch(/^Trip +dlv_000001\n/);
});

test('beside long texts there are as many columns as fit', () => {
  const tripColumns: Column<Trip>[] = [
    { field: 'id', header: 'Trip', kind: 'id', value: ({ id }) => id },
    { field: 'note', header: 'Note', kind: 'text', prose: true, value: ({ note }) => note },
    { field: 'who', header: 'Driver', kind: 'text', spare: 1, value: ({ who }) => who },
  ];
  const long = { ...trip, note: 'one word after another until the end', who: 'Maria Longname' };
  expect(fitted(page([long], 36, tripColumns), tripColumns).text).toBe(
    ['TRIP        NOTE', 'dlv_000001  one word after another', '            until the end', ''].join('\n'),
  );
});
