import { expect, test } from 'vitest';
import { readTable, tablePath } from '../../src/providers/place-services.ts';

test('asks for a table in the documented form, longitude first', () => {
  const points = [
    { lat: 41.8925, lng: -87.6282 },
    { lat: 41.87888, lng: -87.63591 },
  ];
  const url = new URL(tablePath(points, [0, 1]), 'https://router.example');
  expect(url.pathname).toBe('/table/v1/driving/-87.628200,41.892500;-87.635910,41.878880');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ sources: '0;1', destinations: 'all', annotations: 'duration' },
  });
});

test('reads the documented sample', () => {
  const sample = {
    ...{
      code: 'Ok',
      durations: [
        [0, 192.6],
        [199, 0],
      ],
    },
    sources: [{ location: [13.3888, 52.517033], name: 'Friedrichstraße', hint: '…' }],
  };
  expect(readTable(JSON.stringify(sample))).toEqual([
    [0, 192.6],
    [199, 0],
  ]);
});

test('a way that does not exist, or a strange value, is none', () => {
  const durations = [[0, null], ['5', -1, 1e12], null];
  expect(readTable(JSON.stringify({ code: 'Ok', durations }))).toEqual([[0, null], [null, null, null], []]);
});

test('a code other than Ok is an answer without a table, and no code is none', () => {
  for (const code of ['NoSegment', 'NoTable', 'TooBig', 'InvalidQuery'])
    expect(readTable(JSON.stringify({ code, message: '…' }))).toEqual([]);
  for (const body of ['{"message":"Too Many Requests"}', '<html></html>', '[]'])
    expect(() => readTable(body)).toThrow('without a code');
});
