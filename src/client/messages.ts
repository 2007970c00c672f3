import type { WireResponse } from '../contract/wire.ts';

/** One block of a stream of server-sent events. */
export interface Message {
  /** The place that it stands for, where it says one. */
  id: string | undefined;
  /** Null: it says only how far the stream is. */
  data: string | null;
}

/**
 * The messages of an open stream, which is closed when they are no longer taken or the signal aborts. Calls `flows` at
 * the first of its text: something between may hold all of it back.
 */
export async function* messages(
  { stream }: WireResponse,
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
