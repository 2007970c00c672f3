import type { WireResponse } from '../contract/wire.ts';
import { ApiError } from './errors.ts';

/** One block of a stream of server-sent events. */
export interface Message {
  /** The event id, if the message has one. */
  id: string | undefined;
  /** Null: the message only carries the position. */
  data: string | null;
}

/** The service cuts events at 20,000 bytes. */
const max_event_characters = 1024 * 1024;

function tooLong(status: number): ApiError {
  const message = `The response of the service is not valid: an event is longer than ${max_event_characters} characters.`;
  return new ApiError(message, { code: 'unexpected_answer', status });
}

/**
 * Yields the messages of an open stream; closes it when the consumer stops or the signal aborts. Calls `flows` at the
 * first text: a proxy in between may hold everything back.
 */
export async function* messages(
  { stream, status }: WireResponse,
  signal: AbortSignal,
  flows: () => void,
): AsyncGenerator<Message> {
  if (stream === undefined) return;
  const close = () => stream.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    const { createParser } = await import('eventsource-parser');
    const read: Message[] = [];
    const parser = createParser({
      maxBufferSize: max_event_characters,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw tooLong(status);
      },
      onId: (id) => read.push({ id, data: null }),
      onEvent: ({ id, data }) => read.push({ id, data }),
    });
    let isFlowing = false;
    for await (const chunk of stream.chunks) {
      if (signal.aborted) return;
      if (!isFlowing) flows();
      isFlowing = true;
      parser.feed(chunk);
      yield* read.splice(0);
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
