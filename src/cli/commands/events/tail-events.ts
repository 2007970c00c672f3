import type { FollowOptions } from '../../../client/event-stream.ts';
import type { StreamLine, StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { openEventStream, warnOfStillClock } from './event-stream.ts';
import { eventCells, eventText } from './event-text.ts';

type Query = Pick<FollowOptions, 'types' | 'delivery_id' | 'batch_id' | 'since'>;

/** Streams events until the process is interrupted or the limit is reached. */
export function tailing(context: Context, query: Query, limit = Number.POSITIVE_INFINITY): StreamResult {
  return { kind: 'stream', lines: lines(context, query, limit), areFieldsKnown: true };
}

async function* lines(context: Context, query: Query, limit: number): AsyncGenerator<StreamLine> {
  // A failed clock check does not end the stream.
  const opened = () => void warnOfStillClock(context).catch(() => {});
  let count = 0;
  for await (const event of openEventStream(context, { ...query, signal: context.signal }, opened)) {
    yield { data: event, line: (show) => eventText(event, '', show), rows: [eventCells(event)] };
    count += 1;
    if (count >= limit) return;
  }
}
