import { expect, test } from 'vitest';
import { type Line, streamLine } from '../../../../src/cli/commands/listen/lines.ts';
import { eventDestination, typesWanted } from '../../../../src/cli/commands/listen/run-listen.ts';
import { readTarget, routesFlag } from '../../../../src/cli/commands/listen.ts';
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

const routes = routesFlag({ summary: 'Elsewhere' });
const types = typesFlag({ summary: 'Types' });

test('an exact type goes before a prefix, and both before the default', () => {
  const read = routes.read(['delivery.*=4000', 'delivery.created=localhost:5000/x', 'order.failed=6000']);
  const targets = { routes: read, default_url: 'http://rest/' };
  const urls = ['delivery.updated', 'delivery.created', 'order.failed', 'batch.completed'] as const;
  expect(urls.map((type) => eventDestination(type, targets))).toEqual([
    'http://127.0.0.1:4000/',
    'http://localhost:5000/x',
    'http://127.0.0.1:6000/',
    'http://rest/',
  ]);
  expect(eventDestination('batch.completed', { routes: read, default_url: null })).toBeNull();
  expect(eventDestination('delivery.location_updated', targets)).toBe('http://127.0.0.1:4000/');
});

test.each([['delivery.*'], ['=3000'], ['delivery.*='], ['delivery.made=3000'], ['order.*=ftp://x']])(
  'the route %s is refused',
  (given) => {
    expect(() => routes.read([given])).toThrow(/must be/);
  },
);

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

test('a route subscribes to its type if nothing else does', () => {
  const named = routes.read(['delivery.location_updated=3000']);
  const wanted = typesWanted([], named) ?? [];
  expect(wanted).toContain('delivery.location_updated');
  expect(wanted).toContain('order.failed');
  expect(typesWanted([], routes.read(['delivery.*=3000']))).toBeUndefined();
  expect(typesWanted(['order.failed'], named)).toEqual(['order.failed']);
});

const url = 'http://127.0.0.1:4243/hooks';
const shownRoutes = [{ pattern: 'delivery.*', url }];
const events = ['delivery.updated', 'order.failed', 'batch.completed'];

const lines: Line[] = [
  {
    ...{ type: 'ready', profile: 'sandbox', mode: 'test', forward_to: url, routes: shownRoutes, events },
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
