import { expect, test } from 'vitest';
import type { StreamLine } from '../../../src/cli/kit/result/result.ts';
import { inTime } from '../../../src/cli/waiting/list-waitable.ts';

function lineOf(id: string, ...times: string[]): StreamLine {
  const changes = times.map((at) => ({ at, row: [at, id], text: () => `${at} ${id}` }));
  return { data: { id }, line: () => id, rows: changes.map(({ row }) => row), changes };
}

test('changes of several records in one poll are sorted by time; each record has its line', () => {
  const [first, last, ...others] = inTime([
    lineOf('a', '2026-03-02T12:01:00.000Z', '2026-03-02T12:05:00.000Z'),
    lineOf('b', '2026-03-02T12:02:00.000Z', '2026-03-02T12:06:00.000Z'),
  ]);
  expect([first?.data, last?.data, others]).toEqual([{ id: 'a' }, { id: 'b' }, []]);
  expect(first?.rows).toEqual([]);
  expect(last?.rows?.map(([at, id]) => `${String(at).slice(14, 16)} ${id}`)).toEqual([
    '01 a',
    '02 b',
    '05 a',
    '06 b',
  ]);
});

test('records with one change each keep their order', () => {
  const news = [lineOf('a', '2026-03-02T12:01:00.000Z'), lineOf('b', '2026-03-02T12:02:00.000Z')];
  expect(inTime(news)).toBe(news);
});
