/** `mcp`: the transport between an assistant on stdin and stdout and the tools of `assistants/mcp-server.ts`. */
import { type JSONRPCMessage, ReadBuffer, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ApiError } from '../../client/errors.ts';
import { hasNoPath, type ServiceFeatures } from '../../client/service-features.ts';
import { createMcpServer, type Offer } from '../assistants/mcp-server.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { type StreamLine, type StreamResult, streamFormats } from '../kit/result/result.ts';
import { type Context, defineCommand } from '../session/command.ts';

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve tools for AI assistants over the Model Context Protocol',
  description: [
    'Speaks the protocol on stdin and stdout: an assistant starts it; it is not interactive. Its tools quote, ship, find,',
    'explain, wait for and cancel deliveries, and advance the sandbox. A shipment needs a maximum cost, a cancellation',
    'the fee that was shown before. Only test mode, unless --live is given. It ends when stdin is closed.',
  ].join('\n'),
  flags: {
    live: switchFlag({ summary: 'Allow live mode: shipments are real and cost money' }),
    readOnly: switchFlag({ summary: 'Only tools that change nothing' }),
  },
  examples: [
    { command: 'waybill mcp', summary: 'The command for the settings of an assistant' },
    { command: 'waybill mcp --live --profile shop', summary: 'With real deliveries of a profile' },
    { command: 'waybill mcp --read-only --profile shop', summary: 'Only find, explain and quote' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: [
    'account.get',
    'deliveries.quote',
    'orders.create',
    'dispatches.create',
    'deliveries.cancel',
    'clock.advance',
  ],
  answers: ({ lines, object, word }) => [
    lines(
      object({
        jsonrpc: '"2.0"',
        'id?': word('the id of the request'),
        'result?': word('the response to a request'),
        'error?': word('an error of the protocol'),
        'method?': 'string',
        'params?': word('the parameters of a notification'),
      }),
    ),
  ],
  related: ['api', 'ship', 'sandbox advance'],
  async run(context, { flags: { live, readOnly } }) {
    if (context.host.stdin.isTerminal) {
      const message = 'Cannot serve the Model Context Protocol: stdin is a terminal.';
      throw new UsageError(message, { hint: 'Add `waybill mcp` to the settings of an assistant.' });
    }
    const offer = await learnOffer(context, readOnly);
    if (offer.mode === 'live' && !live && !readOnly) {
      const message = 'The key is for live mode, in which shipments are real and cost money.';
      const next = [
        { ...invocation('mcp', [], { live: true }), when: 'allow live mode' },
        { ...invocation('mcp', [], { readOnly: true }), when: 'only look at deliveries' },
      ];
      throw new UsageError(message, { next });
    }
    await context.runService();
    return { kind: 'stream', lines: serveMessages(context, offer) } satisfies StreamResult;
  },
});

/** Asks which features the service has and what the key allows. Rejects if the service does not know the key. */
async function learnOffer(context: Context, readOnly: boolean): Promise<Offer> {
  const client = await context.client();
  const { account, features } = await client
    .learn()
    .catch((error: unknown): Pick<ServiceFeatures, 'account' | 'features'> => {
      if (error instanceof ApiError && hasNoPath(error)) return { account: null, features: {} };
      throw error;
    });
  const mode = account === null ? await context.mode() : account.test_mode ? 'test' : 'live';
  const hasSandbox = mode === 'test' && account?.sandbox !== false;
  return {
    mode,
    isReadOnly: readOnly || account?.permission === 'read',
    max_cost: null,
    has: (feature) => features[feature] !== false && (feature !== 'sandbox' || hasSandbox),
  };
}

/** Responds on stdout to an assistant's requests on stdin, until stdin is closed and every request is answered. */
async function* serveMessages(context: Context, offer: Offer): AsyncGenerator<StreamLine> {
  const { transport, messages } = createTransport(context.host.stdin.chunks());
  const server = serveStdio(() => createMcpServer(context, offer), {
    transport,
    onerror: (error) => context.warn(`Invalid message: ${error.message}`),
  });
  const abort = () => void transport.close();
  context.signal.addEventListener('abort', abort, { once: true });
  try {
    for await (const message of messages) yield { data: message, line: () => asciiJson(message) };
  } finally {
    context.signal.removeEventListener('abort', abort);
    await server.close();
  }
}

/** Encodes JSON without characters that a terminal or its sanitizer could change. */
function asciiJson(message: object): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(message).replace(/[\u007f-\uffff]/g, escaped);
}

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
  const report = (error: unknown) => {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  };
  const receive = (message: JSONRPCMessage) => {
    notePending(message, pending);
    notify();
    transport.onmessage?.(message);
  };
  const read = async () => {
    const buffer = new ReadBuffer();
    for await (const chunk of chunks) {
      buffer.append(Buffer.from(chunk));
      readMessages(buffer, { receive, report });
      if (isClosed) return;
    }
    isRead = true;
    notify();
  };
  const transport: Transport = {
    start: async () => {
      read().catch((error: unknown) => {
        report(error);
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

/** Adds a request to those that wait for a response; takes off one that the client has canceled, as none follows. */
function notePending(message: JSONRPCMessage, pending: Set<string | number>): void {
  if (!('method' in message)) return;
  if ('id' in message) pending.add(message.id);
  if (message.method !== 'notifications/cancelled') return;
  const { requestId } = message.params ?? {};
  if (typeof requestId === 'string' || typeof requestId === 'number') pending.delete(requestId);
}

/** Passes on every whole message of the buffer; a faulty one is reported, and does not stop the others. */
function readMessages(
  buffer: ReadBuffer,
  { receive, report }: { receive: (message: JSONRPCMessage) => void; report: (error: unknown) => void },
): void {
  for (;;) {
    try {
      const message = buffer.readMessage();
      if (message === null) return;
      receive(message);
    } catch (error) {
      report(error);
    }
  }
}
