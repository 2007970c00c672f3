import type { Event } from '../../../src/contract/events.ts';
import type { WireResponse } from '../../../src/contract/operation.ts';

/** An event stream that is fed manually. */
export interface Feed {
  response: WireResponse;
  /** Resolves when the event was read. */
  tell(event: Omit<Event, 'data'> & { data: object }): Promise<void>;
  /** Breaks the stream, like a network failure. */
  cut(): void;
  isClosed(): boolean;
}

export function createFeed(service_time: string): Feed {
  const waiting: { text: string; taken: () => void }[] = [];
  let isClosed = false;
  let wake = () => {};
  const close = () => {
    isClosed = true;
    for (const { taken } of waiting.splice(0)) taken();
    wake();
  };
  async function* chunks() {
    yield ': open\n\n';
    while (!isClosed) {
      const [next] = waiting;
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield next.text;
      // A request for more means that it was read.
      if (next !== undefined) waiting.shift()?.taken();
    }
  }
  return {
    response: {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-service-time': service_time },
      body: '',
      stream: { chunks: chunks(), close },
    },
    tell: (event) => {
      if (isClosed) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const text = `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      waiting.push({ text, taken: resolve });
      wake();
      return promise;
    },
    cut: close,
    isClosed: () => isClosed,
  };
}
