import { expect, test } from 'vitest';
import { fullTime, localTime, shortTime, styledTime } from '../../../src/cli/output/times.ts';
import { readings } from './people-made.ts';

const { box, lines } = await readings();
const get = lines.find(([noun, verb]) => noun === 'deliveries' && verb === 'get') ?? [];
const explain = ['deliveries', 'explain', get[2] ?? ''];
const now = Date.parse('2026-03-04T12:07:00.000Z');
const at = '2026-03-04T12:03:00.000Z';

test.each([
  ['relative', localTime, '4 min ago'],
  ['relative', fullTime, '4 min ago'],
  ['local', localTime, shortTime(at, now)],
  ['local', fullTime, fullTime(at)],
  [null, localTime, localTime(at, now)],
  ['iso', shortTime, at],
] as const)('%s, where it is %o otherwise', (style, usual, text) => {
  expect(styledTime(at, now, style, usual)).toBe(text);
  expect(styledTime('soon', now, style, usual)).toBe('soon');
});

test('tables, cards and drawings obey the flag, its variable and the profile; programs have ISO times always', async () => {
  const shown = async (line: string[], flags: string[], env = {}) =>
    (await box.run([...line, ...flags], { tty: true, env: { NO_COLOR: '1', ...env } })).stdout;
  const iso = /^.*Created\P{L}*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/mu;
  expect(await shown(get, ['--time', 'iso'])).toMatch(iso);
  expect(await shown(get, [], { WAYBILL_TIME: 'iso' })).toMatch(iso);
  expect(await shown(get, ['--time', 'relative'])).toMatch(/Created\P{L}*\d+ min ago$/mu);
  expect(await shown(get, ['--time', 'local'])).toMatch(/Created\P{L}*\d\d:\d\d$/mu);
  expect(await shown(explain, ['--time', 'relative'])).toMatch(/min ago .*driver_assigned/);
  for (const format of ['--json', '-ocsv', '-otsv', '-ondjson'])
    expect(await shown(get, [format, '--time', 'relative'])).toBe(await shown(get, [format]));
  await box.run(['config', 'set', 'time', 'iso']);
  expect(await shown(get, [])).toMatch(iso);
  expect(await shown(get, ['--time', 'local'])).not.toMatch(iso);
});
