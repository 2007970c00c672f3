import { expect, test } from 'vitest';
import { tail } from '../../../src/cli/commands/events/events.ts';
import type { Line } from '../../../src/cli/commands/listen/lines.ts';
import { listen } from '../../../src/cli/commands/listen.ts';
import { checkLineFields } from '../../../src/cli/help/command-facts.ts';
import { event, trial } from '../commands/listen/forwarders.ts';

/** Each type of line. */
async function everyLine(): Promise<Line[]> {
  let answer: 500 | 'silence' = 500;
  const { forwarder, clock, lines } = trial((_, nth) => (nth < 3 ? answer : 200));
  await forwarder.take(event('o1'));
  await clock.pass(1);
  answer = 'silence';
  await clock.pass(60_000);
  return [
    ...lines,
    {
      ...{
        type: 'ready',
        profile: 'a',
        mode: 'test',
        forward_to: 'http://app/',
        events: null,
        sink: null,
        secret: 'b',
      },
    },
    { type: 'arrived', number: 1, event_id: null, event_type: null, answer: '200' },
  ];
}

test('help knows every field of every line', async () => {
  const lines = await everyLine();
  const types = new Set(lines.map(({ type }) => type));
  expect([...types].sort()).toEqual(['arrived', 'down', 'failed', 'forwarded', 'ready', 'up']);
  for (const line of lines) expect(() => checkLineFields(listen, pathsOf(line))).not.toThrow();
});

/** `type`, `event.id`, `routes.pattern`. */
function pathsOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, below]) => {
    const [part] = [below].flat();
    const isObject = typeof part === 'object' && part !== null;
    return isObject ? pathsOf(part).map((path) => `${name}.${path}`) : [name];
  });
}

test.each(['nope', 'event.nope', 'event.id.nope', 'retry_in_ms.nope', 'routes.type'])(
  '%s is not a field',
  (field) => {
    expect(() => checkLineFields(listen, ['type', field])).toThrow(`Unknown field "${field}".`);
  },
);

test('the record of an event may have any fields', () => {
  expect(() => checkLineFields(tail, ['id', 'data.courier.name'])).not.toThrow();
  expect(() => checkLineFields(tail, ['event'])).toThrow(/Unknown field "event"/);
});
