import { expect, test } from 'vitest';
import { readTarget } from '../../../../src/cli/commands/listen.ts';

test.each([
  ['3000', 'http://127.0.0.1:3000/'],
  [':3000', 'http://127.0.0.1:3000/'],
  ['3000/hooks', 'http://127.0.0.1:3000/hooks'],
  ['localhost:3000/x', 'http://localhost:3000/x'],
  ['localhost', 'http://localhost/'],
  ['app:3000', 'http://app:3000/'],
  ['http://app/hooks', 'http://app/hooks'],
  ['[::1]:3000', 'http://[::1]:3000/'],
  ['https://shop.test/hooks?a=1#part', 'https://shop.test/hooks?a=1'],
  [' http://127.0.0.1:3000 ', 'http://127.0.0.1:3000/'],
])('%s means %s', (given, meant) => {
  expect(readTarget(given)).toBe(meant);
});

test.each([
  ...['ftp://host/x', '', 'http://', '99999', 'localhost:http', 'http://joe:pw@localhost:3000'],
  ...[
    'foo',
    'foo/hooks',
    '99999999',
    '99999999:80/x',
    'http://3000',
    'http://3000/hooks',
    '0x7f000001',
    '0',
    'localhost:0',
  ],
])('"%s" is not an address to forward to', (given) => {
  expect(() => readTarget(given)).toThrow(/^must (be|not)/);
});
