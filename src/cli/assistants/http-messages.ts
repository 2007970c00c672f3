/** Converts the requests of the server for the protocol's package, and the package's responses for the server. */
import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest, WireResponse, WireStream } from '../../contract/operation.ts';

/** The body as text. Throws `payload_too_large`. */
export async function readText(
  { body }: ReceivedRequest,
  { holder, max_bytes }: { holder: string; max_bytes: number },
): Promise<string> {
  if (typeof body === 'string') return body;
  let received = 0;
  const checkSize = (bytes: number) => {
    if (bytes > max_bytes)
      throw new Problem('payload_too_large', `The body is larger than ${max_bytes} bytes.`);
  };
  const checkChunk = (chunk: Uint8Array) => {
    received += chunk.length;
    checkSize(received);
  };
  return body({ checkSize, checkChunk }, [`mcp ${holder}`]);
}

interface AskedRequest {
  text: string;
  url: URL;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
}

export function webRequest(
  { method, headers }: ReceivedRequest,
  { text, url, signal }: AskedRequest,
): Request {
  const { authorization: _, ...shown } = headers;
  const body = method === 'GET' || text === '' ? {} : { body: text };
  return new Request(url, { method, headers: plainHeaders(shown), signal, ...body });
}

/** The headers that say how to read the body and the answer, and those of the protocol. */
function plainHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) =>
      /^(accept|content-type|mcp-[a-z-]+|last-event-id)$/.test(name),
    ),
  );
}

/** A request that is being answered. */
interface OpenRequest {
  /** Aborted when either side closes the event stream. */
  abort: AbortController;
  /** Called once it is answered: it no longer counts among those that are open. */
  leave: () => void;
}

/** Converts a response of the protocol's package: its whole body, or its event stream until either side closes it. */
export async function wireResponse(response: Response, { abort, leave }: OpenRequest): Promise<WireResponse> {
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  const { status, body } = response;
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  if (!isStream || body === null) {
    const text = await response.text();
    leave();
    return { status, headers, body: text };
  }
  const close = () => {
    abort.abort();
    leave();
  };
  const stream: WireStream = { chunks: body.pipeThrough(new TextDecoderStream()), close };
  return { status, headers: { ...headers, 'x-accel-buffering': 'no' }, body: '', stream };
}

/** An error of JSON-RPC without the id of a request: it was not read. */
export function errorResponse(
  status: number,
  { code, message }: { code: string; message: string },
): WireResponse {
  const error = { code: -32_000, message, data: { code } };
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  };
}
