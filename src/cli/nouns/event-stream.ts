import { ApiError } from '../../client/errors.ts';
import { EventForgotten, type FollowOptions, lasting_ms, StreamEnded } from '../../client/event-stream.ts';
import type { Event } from '../../contract/events.ts';
import { createHints, type Hint } from '../kit/polling/waitable.ts';
import type { Context } from '../session/command.ts';
import { stillClockHint, unreachableHint } from '../waiting/service-waiting.ts';

/** No events occur on a stopped sandbox clock unless it is advanced. */
export async function warnOfStillClock(context: Context): Promise<void> {
  if ((await context.mode()) === 'live') return;
  const hint = await stillClockHint(context);
  if (hint !== null) await createHints(context, { note: context.note, isEndless: true }).say(hint);
}

/**
 * Streams the service's events. Calls `opened` when the stream is first open, and reports a lost connection once until
 * it has been stable again.
 */
export async function* openEventStream(
  context: Context,
  query: Omit<FollowOptions, 'onOpen' | 'onLost'>,
  opened: () => void,
): AsyncGenerator<Event> {
  const client = await context.client();
  const { onOpen, onLost, lasts, stop } = streamStates(context, opened);
  try {
    for await (const event of client.follow({ ...query, onOpen, onLost })) {
      lasts();
      yield event;
    }
  } finally {
    stop();
  }
}

function streamStates(context: Context, opened: () => void) {
  const hints = createHints(context, { note: context.note, isEndless: true });
  const said = new Set<string>();
  let isOpened = false;
  let ends = 0;
  let stop = () => {};
  const lasts = () => {
    stop();
    ends = 0;
    if (said.size > 0) void hints.say(backAgain);
    said.clear();
  };
  const onOpen = () => {
    if (!isOpened) opened();
    isOpened = true;
    stop();
    stop = context.host.timer(lasting_ms, lasts);
  };
  const onLost = (error: Error) => {
    stop();
    // A stream that is closed properly is often back immediately.
    if (error instanceof StreamEnded) ends += 1;
    if (error instanceof StreamEnded && ends < 2) return;
    const hint = lossOf(error);
    if (!said.has(hint.code)) void hints.say(hint);
    said.add(hint.code);
  };
  return { onOpen, onLost, lasts, stop: () => stop() };
}

/** Explains why the stream was lost. */
function lossOf(error: Error): Hint {
  if (error instanceof EventForgotten) return forgotten;
  if (error instanceof StreamEnded) return endsAtOnce;
  return error instanceof ApiError ? refusedFor(error) : unreachableHint(error);
}

/** The stream is stable again. */
const backAgain: Hint = {
  code: 'reachable',
  message: 'The events of the service come again.',
  command: null,
  when: '',
};

const forgotten: Hint = {
  code: 'event_forgotten',
  message:
    'The service no longer has the last event, for example after a reset. Continuing with newer events.',
  command: null,
  when: '',
};

const endsAtOnce: Hint = {
  code: 'stream_ends',
  message:
    'The service answers, but its stream of events ends each time that it is open. Opening it again until it stays.',
  command: null,
  when: '',
};

function refusedFor({ message }: ApiError): Hint {
  const text = `The service gives no events at the moment: ${message} Asking again until it does.`;
  return { code: 'unreachable', message: text, command: null, when: '' };
}
