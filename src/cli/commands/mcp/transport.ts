import { type JSONRPCMessage, ReadBuffer, type Transport } from '@modelcontextprotocol/server';

/** The protocol's messages in both directions. */
interface Channel {
  transport: Transport;
  /** The messages to write. Ends with `close`, or when the input has ended and every request is answered. */
  messages: AsyncIterable<JSONRPCMessage>;
}

/** Creates a transport that reads newline-delimited messages from chunks of text and returns those to write. */
export function createTransport(chunks: AsyncIterable<string | Uint8Array>): Channel {
  const outgoing: JSONRPCMessage[] = [];
  const pending = new Set<string | number>();
  let isRead = false;
  let isClosed = false;
  let changed = Promise.withResolvers<void>();
  const notify = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    notify();
    transport.onclose?.();
  };
  const read = async () => {
    const buffer = new ReadBuffer();
    for await (const chunk of chunks) {
      buffer.append(Buffer.from(chunk));
      readMessages(buffer);
      if (isClosed) return;
    }
    isRead = true;
    notify();
  };
  const readMessages = (buffer: ReadBuffer) => {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        if ('id' in message && 'method' in message) pending.add(message.id);
        // No response follows to a request that the client has canceled.
        if ('method' in message && message.method === 'notifications/cancelled') {
          const { requestId } = message.params ?? {};
          if (typeof requestId === 'string' || typeof requestId === 'number') pending.delete(requestId);
          notify();
        }
        transport.onmessage?.(message);
      } catch (error) {
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  const transport: Transport = {
    start: async () => {
      read().catch((error: unknown) => {
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
        close();
      });
    },
    send: async (message) => {
      outgoing.push(message);
      if ('id' in message && !('method' in message) && message.id !== undefined) pending.delete(message.id);
      notify();
    },
    close: async () => close(),
  };
  async function* messages() {
    for (;;) {
      const next = changed.promise;
      yield* outgoing.splice(0);
      if (isClosed || (isRead && pending.size === 0 && outgoing.length === 0)) return;
      if (outgoing.length === 0) await next;
    }
  }
  return { transport, messages: messages() };
}
