import { expect, test } from 'vitest';
import { bashList, bashWords, readBashLine } from '../../../src/cli/completion/complete-line.ts';

const breaks = ' \t\n"\'@><=;|&(:';
const candidate = (value: string, description: string | null = null) => ({ value, description });

test.each<[string, string[], string]>([
  ['waybill del', ['waybill'], 'del'],
  ['waybill  deliveries get ', ['waybill', 'deliveries', 'get'], ''],
  ['waybill get \\#1\\ 2 x', ['waybill', 'get', '#1 2'], 'x'],
  ['waybill get "#1 2" \'a b', ['waybill', 'get', '#1 2'], 'a b'],
  ['waybill get "a \\" \\n b', ['waybill', 'get'], 'a " \\n b'],
  ["waybill get 'a \\' b", ['waybill', 'get', 'a \\'], 'b'],
  ['waybill get a\\  b', ['waybill', 'get', 'a '], 'b'],
  ["waybill get '' b", ['waybill', 'get', ''], 'b'],
  ['waybill list >out 2>> err >& x &>y <in --st', ['waybill', 'list'], '--st'],
  ['waybill get a>b "c>d" \\>e 12 f', ['waybill', 'get', 'a', 'c>d', '>e', '12'], 'f'],
])('%s', (line, words, text) => {
  const read = readBashLine(line, breaks);
  expect({ words: read.words, text: read.current.text }).toEqual({ words, text });
});

test.each<[string, string, string[]]>([
  ['waybill --status=in', '--status=initial', ['initial']],
  ['waybill get shop:1', 'shop:1042', ['1042']],
  ['waybill get \\#1', '#10 42', ['\\#10\\ 42']],
  ['waybill get "#1', '#10 "42"', ['#10 \\"42\\""']],
  ['waybill get "#1', '#10 "42" a', ['#10 \\"42\\" a']],
  ["waybill get '#1", '#10 42', ['#10 42']],
  ["waybill get '#1", "#1'", []],
  ['waybill --ref="#1', '--ref=#1 2', ['#1 2']],
  ['waybill get $(', '$(reboot)', ['reboot\\)']],
  ['waybill get ', '$(reboot);`x`', ['\\$\\(reboot\\)\\;\\`x\\`']],
  ['waybill get ', '~x', ['\\~x']],
  ['waybill get ', '\u{1f6f5} 1', ['\\\u{1f6f5}\\ 1']],
  ['waybill get ', 'Café', ['Café']],
])('%s becomes %s', (line, value, typed) => {
  expect(bashWords([candidate(value)], readBashLine(line, breaks).current)).toEqual(typed);
});

test.each(['>', '> ', '>> fi', '2>', '2>fi', '<', '&> f', '>| f'])('list %s: a file is named', (end) => {
  expect(readBashLine(`waybill list ${end}`, breaks).current.isTarget).toBe(true);
});

test('a list shows descriptions beside the words and fits the terminal', () => {
  const candidates = [
    candidate('get', 'Show a delivery'),
    candidate('list', 'x'.repeat(80)),
    candidate('edit'),
  ];
  const words = candidates.map(({ value }) => value);
  const lines = bashList(words, candidates, 40);
  expect(lines[0]).toBe('get   (Show a delivery)');
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines[2]).toBe('edit');
  expect(bashList(['get'], [candidate('get', 'Show a delivery')], 40)).toEqual(['get']);
});
