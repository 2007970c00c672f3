import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { StreamLine, StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { lookupTools } from './lookup-tools.ts';
import { shippingTools } from './shipping-tools.ts';
import { createTransport } from './transport.ts';

const instructions = [
  'Tools for last-mile deliveries. Amounts are in cents of a US dollar, times are ISO 8601 in UTC.',
  'Call quote_delivery before ship_delivery, and preview_cancellation before cancel_delivery.',
  'In a sandbox couriers are simulated: advance_sandbox moves its clock until a delivery has a status.',
].join(' ');

/** Responds on stdout to an assistant's requests on stdin, until stdin is closed and every request is answered. */
export function serving(context: Context): StreamResult {
  return { kind: 'stream', lines: answers(context) };
}

async function* answers(context: Context): AsyncGenerator<StreamLine> {
  const { transport, messages } = createTransport(context.host.stdin.chunks());
  const server = serveStdio(() => createServer(context), {
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

function createServer(context: Context): McpServer {
  const { version } = context.host;
  const server = new McpServer({ name: 'waybill', title: 'waybill', version }, { instructions });
  for (const addTool of [...lookupTools(context), ...shippingTools(context)]) addTool(server, context);
  return server;
}
