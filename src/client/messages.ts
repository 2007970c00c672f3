import type { WireResponse } from '../contract/wire.ts';
import { ApiError } from './errors.ts';

/** One block of a stream of server-sent events. */
export interface Message {
  /** The place that it stands for, where it says one. */
  id: string | undefined;
  /** Null: it says only how far the stream is. */
  data: string | null;
}

/** The service cuts events at 20,000 bytes. */
const max_event_characters = 1024 * 1024;

function tooLong(status: number): ApiError {
  const message = `The response of the service is not valid: an event is longer than ${max_event_characters} characters.`;
  return new ApiError(message, { code: 'unexpected_answer', status });
}

/**
 * The messages of an open stream, which is closed when they are no longer taken or the signal aborts. Calls `flows` at
 * the first of its text: something between may hold all of it back.
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
