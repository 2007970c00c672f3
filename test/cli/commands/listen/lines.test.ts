import { expect, test } from 'vitest';
import { type Line, streamLine } from '../../../../src/cli/commands/listen/lines.ts';
import { readTarget } from '../../../../src/cli/commands/listen.ts';
import { typesFlag } from '../../../../src/cli/nouns/event.ts';
import { plainShow } from '../../kit/output/plain.ts';
import { tooWide } from '../../narrow.ts';

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

const types = typesFlag({ summary: 'Types' });

test('types are names and prefixes, each once; opt-in types must be named', () => {
  expect(types.read(['order.failed,delivery.*', 'order.failed'])).toEqual([
    'order.failed',
    'delivery.created',
    'delivery.updated',
  ]);
  expect(types.read(['delivery.location_updated'])).toEqual(['delivery.location_updated']);
  expect(types.read(['*'])).not.toContain('delivery.location_updated');
  expect(() => types.read(['order.made'])).toThrow(/must be one of/);
});

const url = 'http://127.0.0.1:4243/hooks';
const events = ['delivery.updated', 'order.failed', 'batch.completed'];

const lines: Line[] = [
  {
    ...{ type: 'ready', profile: 'sandbox', mode: 'test', forward_to: url, events },
    ...{ sink: url, secret: `whsec_${'a'.repeat(44)}` },
  },
  { type: 'down', url, reason: `No response from ${url}: connection refused.` },
  { type: 'up', url },
  {
    type: 'arrived',
    number: 3,
    event_id: `evt_${'A'.repeat(26)}`,
    event_type: 'order.failed',
    answer: '500',
  },
];

test.each(lines)('$type: on 40 columns lines wrap at spaces, elsewhere they do not', (line) => {
  const text = (room: number | null) => streamLine(line).line({ ...plainShow, room }) ?? '';
  expect(tooWide(text(40))).toEqual([]);
  expect(text(40).split(/\s+/)).toEqual(text(null).split(/\s+/));
  expect(text(null)).not.toBe(text(40));
});
