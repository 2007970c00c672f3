import { expect, test } from 'vitest';
import { jsonFault } from '../../../../src/cli/kit/system/files.ts';

test.each([
  ['{"a": 1,\n  "b" 2}', 'line 2, column 7: expected a colon, not 2'],
  ['{"a": 1\n "b": 2}', 'line 2, column 2: expected a comma or }, not "'],
  ['{"a": 1,}', 'line 1, column 9: expected a name in double quotes, not }'],
  ["{'a': 1}", "line 1, column 2: expected a name in double quotes or }, not 'a'"],
  ['[1, 2', 'line 1, column 6: the text ends too early'],
  ['', 'line 1, column 1: the text ends too early'],
  ['{"a": "x\n"}', 'line 1, column 7: a text is not closed, or has a line break or an invalid escape'],
  ['{"a": undefined}', 'line 1, column 7: expected a value, not undefined'],
  ['{"a": 01}', 'line 1, column 7: expected a value, not 01'],
  ['[1] 2', 'line 1, column 5: expected the end, not 2'],
])('%j', (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});

test('a fault is placed in the file, and secrets are not quoted', () => {
  expect(jsonFault('{"a" 1}', { line: 7 })).toBe('line 7, column 6: expected a colon, not 1');
  expect(jsonFault('{\n"a" 1}', { line: 7 })).toBe('line 8, column 5: expected a colon, not 1');
  expect(jsonFault('{"a" wb_live_x}', { isSecret: true })).toBe('line 1, column 6: expected a colon');
});

test('what JSON.parse takes has no fault, and what it refuses has one', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-2.5e3',
    'true',
    'null',
    ' ',
    '\n',
    '"\\u00e9"',
    'x',
  ];
  let seed = 7;
  const pick = (count: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % count;
  };
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + pick(7) }, () => pieces[pick(pieces.length)]).join('');
    const isJson = (() => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    })();
    expect([text, jsonFault(text) === null]).toEqual([text, isJson]);
  }
});
