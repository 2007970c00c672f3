import { expect, test } from 'vitest';
import {
  fullTime,
  localTime,
  shortTime,
  styledTime,
  timeInSentence,
  timePhrase,
} from '../../../../src/cli/kit/output/times.ts';
import {
  formatText,
  phrase,
  plainMessageFormat,
  type Text,
  type TimePart,
  timePart,
} from '../../../../src/cli/kit/result/message.ts';
import { errorOf } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';
import { readings } from './hostile-text.ts';

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

const later = '2026-03-04T12:19:00.000Z';

test.each([
  [null, `at ${shortTime(at, now)}`, `until ${shortTime(later, now)}`],
  ['local', `at ${shortTime(at, now)}`, `until ${shortTime(later, now)}`],
  ['relative', '4 min ago', 'for 12 min more'],
  ['iso', `at ${at}`, `until ${later}`],
] as const)('%s, in a sentence', (times, past, until) => {
  expect(timePhrase(at, { now, times })).toBe(past);
  expect(timePhrase(later, { now, times }, 'until')).toBe(until);
});

test('a time in a sentence has the requested style', () => {
  const time = (part: TimePart) => timeInSentence(part, { now, times: 'relative' });
  const said = (text: Text) => formatText(text, { ...plainMessageFormat, time });
  expect(said(phrase`It was begun ${timePart(at)}, and stays ${timePart(later, 'until')}.`)).toBe(
    'It was begun 4 min ago, and stays for 12 min more.',
  );
  expect(said(phrase`ord_1 (open, ${timePart(at, 'aged')})`)).toBe('ord_1 (open, 4 min ago)');
  expect(said(phrase`The clock is at ${timePart(at, 'none')}.`)).toBe(`The clock is at ${fullTime(at)}.`);
  expect(said(`It is ${at} already.`)).toBe(`It is ${at} already.`);
  expect(timeInSentence(timePart(at), { now, times: null })).toBe(`at ${fullTime(at)}`);
});

/** A time of day outside of an ISO text, and an age; ISO texts except those in flags. */
const dayTime = /(?<![\d:])\d{1,2}:\d\d(?!\d)/;
const isoText = /(?<!--[\w-]+ )\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

test('every command shows times in the requested style, also outside of its result', async () => {
  // Its data is shown as it was sent.
  const supported = lines.filter(([noun, verb]) => noun !== 'events' || verb !== 'get');
  const order = await box.json(['deliveries', 'create', ...orderLine.slice(2), '--initiate', '--ref', 'W-1']);
  const endpoint = lines.find(([noun, verb]) => noun === 'webhooks' && verb === 'get')?.[2] ?? '';
  const more = [
    ['deliveries', 'explain', String(order.id)],
    ['deliveries', 'watch', String(order.id), '--timeout', '1s'],
    ['sandbox', 'advance', '--until', 'W-1:enroute_pickup'],
    ['events', 'tail', '--since', '2099-01-01'],
    ['orders', 'get', 'R-1'],
    ['webhooks', 'rotate-secret', endpoint, '--yes'],
    ...[['deliveries', 'watch', String(order.id), '--timeout', '1s'], ['sandbox', 'clock'], ['doctor']],
  ];
  const shown = async (line: string[], style: string) => {
    const plain = { tty: true, env: { NO_COLOR: '1' } };
    const { stdout, stderr } = await box.run([...line, '--time', style], { ...plain, ...box.passing });
    return (stdout + stderr).split('\n').map((text) => `${line.slice(0, 2).join(' ')}: ${text}`);
  };
  const all = async (style: string) =>
    (await Promise.all([...supported, ...more].map((line) => shown(line, style)))).flat();
  const iso = (await all('iso')).map((text) => text.replace(new RegExp(isoText, 'g'), ''));
  expect(iso.filter((text) => dayTime.test(text) || / ago\b|just now/.test(text))).toEqual([]);
  const relative = await all('relative');
  expect(relative.filter((text) => isoText.test(text) || dayTime.test(text))).toEqual([
    expect.stringMatching(/^today: Of those that have ended, the ones since \S+ \S+\. /),
    expect.stringMatching(/^events tail: Error: .* is still to come: it is \S+ \S+ at the service/),
  ]);
  expect(relative.join('\n')).toContain('webhooks rotate-secret: The previous secret stays valid for 23 h');
  expect(relative.join('\n')).toMatch(/orders get: {3}ord_\w+ \(dispatched, \d+ min ago\)/);
  expect(relative.join('\n')).toMatch(/sandbox advance: The clock is \d+ min ahead of this machine/);
});

test('programs get the same errors and values in every style', async () => {
  const explained = async (flags: string[]) => (await box.run([...explain, ...flags])).stdout;
  for (const format of ['--json', '-otsv'])
    expect(await explained([format, '--time', 'iso'])).toBe(await explained([format]));
  const refused = ['events', 'tail', '--since', '2099-01-01', '--json'];
  const { message } = errorOf((await box.run([...refused, '--time', 'relative'])).stderr);
  expect(message).toMatch(isoText);
  // A log is independent of the local time zone.
  expect((await box.run(refused.slice(0, -1))).stderr).toMatch(isoText);
});

test('tables, cards and plots follow the flag, its variable and the profile; programs always get ISO times', async () => {
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
