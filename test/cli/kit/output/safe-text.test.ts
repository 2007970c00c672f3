import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPalette } from '../../../../src/cli/kit/output/colour.ts';
import {
  escapedJson,
  oneLine,
  sanitized,
  withCellUnescaped,
  withFormulaEscaped,
} from '../../../../src/cli/kit/output/safe-text.ts';
import { markingPalette, withMarksPainted } from '../../../../src/cli/kit/output/text-formatting.ts';

test.each([
  ['a colour', 'a\u001b[31mred\u001b[0m', 'ared'],
  ['a cleared screen', '\u001b[2J\u001b[Hgone', 'gone'],
  ['a window title', '\u001b]0;title\u0007text', 'text'],
  ['a link', '\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\', 'click'],
  ['a device control string', '\u001bP1$r0m\u001b\\x', 'x'],
  ['a control character of C1', '\u009b31mred\u009d0;t\u009c!', 'red!'],
  ['a bell, a backspace and a delete', 'a\u0007\u0008\u007fb', 'ab'],
  ['what no screen shows', 'R\u200b-\u20601\u00ad\u2062\ufeff\ufff9\u180e\u{e0041}\u{e007f}', 'R-1'],
  ['text that turns direction', 'ab\u202ecd\u2066ef\u2069', 'abcdef'],
  ['an unfinished sequence', 'x\u001b[', 'x'],
])('%s is stripped', (_, given, left) => {
  expect(sanitized(given)).toBe(left);
});

test('JSON has the same text with escapes', () => {
  const data = { name: 'a\u009b31m\u202e\u2028\u200b\u{e0041}\u007fZoë 👩‍👧' };
  const text = escapedJson(JSON.stringify(data));
  expect(JSON.parse(text)).toEqual(data);
  expect(text).toBe('{"name":"a\\u009b31m\\u202e\\u2028\\u200b\\udb40\\udc41\\u007fZoë 👩‍👧"}');
});

test.each([
  '=1+1',
  '+cmd',
  '-x',
  '@sum',
  '\t1',
  '\r1',
  '\n1',
  ' =1',
  '\u00a0 +1-2',
  '＝1',
  '＋a',
  '－a',
  '＠a',
])('a spreadsheet reads %j as text, and it is parsed back unchanged', (text) => {
  expect(withFormulaEscaped(text)).toBe(`'${text}`);
  expect(withCellUnescaped(withFormulaEscaped(text))).toBe(text);
});

test.each(['+13125550142', '-5', '1.5', 'Joe', "'tis", "'-5", '4 = 2 + 2'])('%j is unchanged', (text) => {
  expect([withFormulaEscaped(text), withCellUnescaped(text)]).toEqual([text, text]);
});

test('a text of several lines can be kept or joined', () => {
  expect(sanitized('a\n\tb')).toBe('a\n\tb');
  expect(oneLine('a\r\n\tb\u2028c')).toBe('a  b c');
});

test('names of people are unchanged', () => {
  for (const name of ['Zoë Müller', '寿司', 'عمر', 'O’Brien', '👩‍👩‍👧']) expect(oneLine(name)).toBe(name);
});

test('no input leaves a control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(oneLine(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test('a line keeps its own styles and loses those of third-party text', () => {
  const palette = { ...plainPalette, good: (text: string) => `<${text}>` };
  const line = `${markingPalette.good('delivered')} by \u001b[31mJoe\u001b[0m`;
  expect(withMarksPainted(sanitized(line), palette)).toBe('<delivered> by Joe');
});
