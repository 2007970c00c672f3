import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLogQueue } from '../../../../src/cli/commands/serve/serve-text.ts';

/** A reader that takes a text on each call of `take`. */
function slowReader() {
  const waiting: { text: string; taken: () => void; gone: (error: Error) => void }[] = [];
  const read: string[] = [];
  return {
    read,
    write: (text: string) =>
      new Promise<void>((resolve, reject) => waiting.push({ text, taken: resolve, gone: reject })),
    take: async () => {
      const next = waiting.shift();
      if (next === undefined) throw new Error('nothing was written');
      read.push(next.text);
      next.taken();
      await turn();
    },
    leave: async () => {
      waiting.shift()?.gone(new Error('gone'));
      await turn();
    },
    pending: () => waiting.length,
  };
}

const at_once = { pause: async () => {} };
const dropped = (count: number) => `${count} dropped`;

test('lines soon after a write are written together', async () => {
  const reader = slowReader();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const queue = createLogQueue({ write: reader.write, dropped, pause: () => over });
  for (const line of ['a', 'b']) queue.add(line);
  await reader.take();
  queue.add('c');
  await turn();
  expect(reader.pending()).toBe(0);
  resolve();
  await turn();
  await reader.take();
  await queue.written();
  expect(reader.read).toEqual(['a\n', 'b\nc\n']);
});

test('lines are written in order, one write at a time', async () => {
  const reader = slowReader();
  const queue = createLogQueue({ ...at_once, write: reader.write, dropped });
  for (const line of ['a', 'b', 'c']) queue.add(line);
  expect(reader.pending()).toBe(1);
  await reader.take();
  await reader.take();
  await queue.written();
  expect(reader.read).toEqual(['a\n', 'b\nc\n']);
});

test('lines that a stalled reader leaves no room for are dropped, counted, and reported in their place', async () => {
  const reader = slowReader();
  const queue = createLogQueue({ ...at_once, write: reader.write, dropped, max_waiting: 10 });
  for (const line of ['first', '1234', '5678', 'none', 'x']) queue.add(line);
  await reader.take();
  queue.add('next');
  await reader.take();
  await reader.take();
  await queue.written();
  expect(reader.read).toEqual(['first\n', '1234\n5678\n2 dropped\n', 'next\n']);
});

test('nothing is written to a reader that has gone', async () => {
  const reader = slowReader();
  const queue = createLogQueue({ ...at_once, write: reader.write, dropped });
  queue.add('a');
  await reader.leave();
  await queue.written();
  queue.add('b');
  expect(reader.pending()).toBe(0);
});
