import { expect, test } from 'vitest';
import { type Line, streamLine } from '../../../../src/cli/commands/listen/lines.ts';
import { plainShow } from '../../kit/output/plain.ts';
import { tooWide } from '../../narrow.ts';

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
