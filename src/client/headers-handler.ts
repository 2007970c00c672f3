import type { Dispatcher } from 'undici';
import type { WireResponse } from '../contract/wire.ts';
import { Unreachable } from './errors.ts';

/** Receives the result of a request. */
export interface ResponseCallbacks {
  resolve(response: WireResponse): void;
  reject(error: Error): void;
  /** Receives the function that aborts the request. */
  started(abort: (reason: Error) => void): void;
}

/** Receives a response. */
export interface ResponseHandler {
  handler: Dispatcher.DispatchHandler;
  /** Called when the time-out expires. */
  expire(late: Error): void;
}

type Timer = (ms: number, expired: () => void) => () => void;

/** The maximum number of body bytes that are read. */
const max_body_bytes = 65_536;
/** How long the rest of a response is read, so that its connection can be kept alive. */
const rest_ms = 1_000;

/** Resolves a 2xx response at its headers, and any other with the start of its body; an endless body is cut off. */
export function headersHandler(
  { resolve, reject, started }: ResponseCallbacks,
  timer: Timer,
): ResponseHandler {
  let head: Pick<WireResponse, 'status' | 'headers'> | null = null;
  let length = 0;
  const chunks: Buffer[] = [];
  let cut = () => {};
  let cancelCut = () => {};
  const end = (error: Error | null) => {
    if (head !== null) resolve({ ...head, body: Buffer.concat(chunks).toString('utf8') });
    else if (error !== null) reject(error);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      cut = () => controller.abort(new Unreachable('The rest of the response is not read.'));
      started((reason) => controller.abort(reason));
    },
    onResponseStart: (_controller, status, received) => {
      head = { status, headers: flat(received) };
      if (status < 200 || status > 299) return;
      end(null);
      cancelCut = timer(rest_ms, () => cut());
    },
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < max_body_bytes) return;
      end(null);
      cut();
    },
    onResponseEnd: () => {
      cancelCut();
      end(null);
    },
    onResponseError: (_controller, error) => {
      cancelCut();
      end(error);
    },
  };
  return { handler, expire: end };
}

/** The headers of a response as plain data. */
export function flat(received: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(received).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries);
}
