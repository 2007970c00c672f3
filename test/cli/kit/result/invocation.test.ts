import { expect, test } from 'vitest';
import {
  exampleSteps,
  invocation,
  invocationsIn,
  isSameInvocation,
  joinedTexts,
  phrase,
  plainText,
  shellLine,
  shellWords,
  toArgv,
} from '../../../../src/cli/kit/result/message.ts';

test('a command as typed: names with dashes, only given values, quoted for a shell', () => {
  const flags = { externalOrderRef: "it's #1", all: true, watch: false, limit: 5, cursor: undefined };
  const line = invocation('orders list', [], flags);
  expect(shellLine(line)).toBe(`waybill orders list --external-order-ref 'it'\\''s #1' --all --limit 5`);
  expect(toArgv(line)).toEqual([
    'orders',
    'list',
    '--external-order-ref',
    "it's #1",
    '--all',
    '--limit',
    '5',
  ]);
});

test('a message keeps its commands as data', () => {
  const line = invocation('orders get', ['ord_1']);
  const text = joinedTexts(['One.', phrase`See it: ${line}`], ' ');
  expect(plainText(text)).toBe('One. See it: waybill orders get ord_1');
  expect(invocationsIn(text)).toEqual([line]);
  expect(invocationsIn('See it: waybill orders get ord_1')).toEqual([]);
});

test('the same command in another account has the account’s flags', () => {
  const line = invocation('orders get', ['ord_1']);
  expect(isSameInvocation(line, { ...line, context: ['--profile', 'shop'] })).toBe(true);
  expect(isSameInvocation(line, invocation('orders get', ['ord_2']))).toBe(false);
});

test('an example is a command to run next, unless it is several', () => {
  const words = exampleSteps([{ command: "waybill orders get '#1 2' --json" }, { command: 'waybill a | b' }]);
  expect(words.map(toArgv)).toEqual([['orders', 'get', '#1 2', '--json']]);
  expect(shellWords(`a 'b c' "d e"f`)).toEqual(['a', 'b c', 'd ef']);
});
