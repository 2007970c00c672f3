/**
 * The body of a request. The HTTP server reads it from the connection (`readBody`) when `fetch` asks for it, once the
 * caller is known, and `fetch` parses it as JSON (`readJsonBody`). Size, number of values, memory and speed are limited.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../contract/errors.ts';
import type { BodyCheck, Operation, ReceivedRequest } from '../../contract/operation.ts';
import type { Timers } from '../runtime/time.ts';
import { createAdmission, executionLimits } from './admission.ts';
import { invalidField, RetryLater } from './answers.ts';
import { createFairShare, type Holder } from './fair-share.ts';

export interface BodyReading {
  memory: BodyMemory;
  timers: Timers;
  /** Called before the body is read. */
  onStart: () => void;
  /** Called if the body arrives too slowly; ends the connection. */
  onSlow: () => void;
}

/** A body of which less arrives in this time is too slow, unless it is complete: 1 KiB a second. */
const slow_body = { bytes: 4 * 1024, time_ms: 4_000 };

/** Watches how fast a body arrives, until `end`; calls `onSlow` once it is too slow. */
function watchArrival(socket: IncomingMessage['socket'], timers: Timers, onSlow: () => void) {
  let isSlow = false;
  let end = () => {};
  const watch = () => {
    const before = socket.bytesRead;
    end = timers.after(slow_body.time_ms, () => {
      isSlow = socket.bytesRead - before < slow_body.bytes;
      if (isSlow) onSlow();
      else watch();
    });
  };
  watch();
  return { isSlow: () => isSlow, end: () => end() };
}

/** Reads a body of a connection as text, with the room in memory that it takes. */
export async function readBody(
  message: IncomingMessage,
  { check, holder, memory, timers, onStart, onSlow }: BodyReading & { check: BodyCheck; holder: Holder },
): Promise<string> {
  const length = declaredLength(message.headers);
  check.checkSize(length);
  await memory.take(holder, length);
  const chunks: Buffer[] = [];
  onStart();
  const arrival = watchArrival(message.socket, timers, onSlow);
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      if (length === 0) await memory.take(holder, chunk.length);
      check.checkChunk(chunk);
      chunks.push(chunk);
    }
  } catch (fault) {
    if (message.errored === null) throw fault;
    throw new Problem('invalid_request', 'The connection ended before the body was complete.');
  } finally {
    arrival.end();
  }
  if (arrival.isSlow()) throw new Problem('invalid_request', 'The body arrived too late.');
  return utf8Text(Buffer.concat(chunks));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `invalid_request` for other encodings: their letters would be stored as replacement characters. */
function utf8Text(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalidField('body', 'is not UTF-8', 'The body is not UTF-8. Send it as UTF-8.');
  }
}

/**
 * The number of connections whose bodies are discarded at a time, shared by addresses: reading a body to discard it
 * takes memory as well.
 */
const max_discarding = 32;

/**
 * Discards the rest of a body within a time limit, in chunks that yield to other work. Returns immediately if too
 * many bodies are being discarded.
 */
export function createBodyDiscarder(
  timers: Timers,
  max_ms: number,
): (message: IncomingMessage) => Promise<void> {
  const discarding = createFairShare(max_discarding);
  return async (message) => {
    const holder = [message.socket.remoteAddress ?? ''];
    if (message.complete || message.destroyed || !discarding.take(holder, 1)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timers.after(max_ms, resolve);
    message.once('end', resolve);
    message.once('close', resolve);
    message.on('data', () => {
      message.pause();
      void timers.turn().then(() => message.resume());
    });
    message.resume();
    await promise;
    discarding.release(holder, 1);
    cancel();
  };
}

interface BodyMemory {
  /** Waits for room in the holder's share. Throws `rate_limited` if there is none in time. */
  take: (holder: Holder, bytes: number) => Promise<void>;
  release: () => void;
}

/** Divides the memory for the bodies of all requests. A body with a known length is read once there is room for all of it. */
export function createBodyMemory(
  parts: Parameters<typeof createAdmission>[0],
  max_bytes: number,
): () => BodyMemory {
  const { enter } = createAdmission(parts, { ...executionLimits, max_used: max_bytes }, () => {
    const message = 'The service is receiving too many large requests. Retry in a moment.';
    return new RetryLater('rate_limited', message, 1);
  });
  return () => {
    const taken: (() => void)[] = [];
    return {
      take: async (holder, bytes) => {
        taken.push(await enter(holder, bytes));
      },
      release: () => {
        for (const release of taken) release();
      },
    };
  };
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || declaredLength(headers) > 0;
}

function declaredLength(headers: IncomingMessage['headers']): number {
  return Number(headers['content-length'] ?? 0);
}

/** Whether more of the body is expected. */
export function isPartlyReceived(message: IncomingMessage): boolean {
  return hasBody(message) && !message.complete;
}

const mebibyte = 1024 * 1024;
const standard_limit = mebibyte;

/** More than any valid request: 300 orders of 50 items each have 67,000 values. */
const max_values = 75_000;

/**
 * Reads the body as JSON; `{}` without one, and for null, an empty text and an empty list, which some HTTP clients send for
 * no data. Wrong headers and excessive sizes are rejected before the body is parsed, because parsing cannot be interrupted.
 * Throws `unsupported_media_type`, `payload_too_large` and `invalid_request`.
 */
export async function readJsonBody(
  request: Pick<ReceivedRequest, 'headers' | 'body'>,
  operation: Pick<Operation, 'body_limit'>,
  holder: Holder,
  timers: Timers,
): Promise<unknown> {
  if (request.body === '') return {};
  refuseMediaType(request.headers);
  const text = await readBodyText(request, operation.body_limit ?? standard_limit, holder);
  if (text.trim() === '') return {};
  const value = parse(text);
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return {};
  // Parsing blocks the event loop for as long as counting did: other requests run first.
  if (text.length > mebibyte) await timers.turn();
  return value;
}

function refuseMediaType(headers: Record<string, string>): void {
  const type = headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', `The body must be application/json, not ${type}.`);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^\s*identity\s*$/i.test(encoding)) {
    const message = `Unsupported Content-Encoding ${encoding}: send the body uncompressed.`;
    throw new Problem('unsupported_media_type', message);
  }
}

/** Reads the body as text of any media type. Throws `payload_too_large`. */
export async function readBodyText(
  { body }: Pick<ReceivedRequest, 'body'>,
  max_bytes: number,
  holder: Holder,
): Promise<string> {
  const check = createBodyCheck(max_bytes);
  if (typeof body === 'function') return body(check, holder);
  const bytes = Buffer.from(body);
  check.checkSize(bytes.length);
  check.checkChunk(bytes);
  return body;
}

const [quote, value_start, backslash] = [1, 2, 3];
/** The effect of a byte of JSON on the number of values; 0: none. */
const kinds = new Uint8Array(256);
for (const byte of Buffer.from(',[{')) kinds[byte] = value_start;
for (const byte of Buffer.from('"')) kinds[byte] = quote;
for (const byte of Buffer.from('\\')) kinds[byte] = backslash;

/** Counts the bytes and values of a JSON text: each value follows a comma or opens an array or object. */
function createBodyCheck(max_bytes: number): BodyCheck {
  let size = 0;
  let values = 1;
  let isInString = false;
  /** How many bytes of the next chunk are part of an escape. */
  let escaped = 0;
  const checkSize = (bytes: number) => {
    if (bytes <= max_bytes) return;
    throw new Problem(
      'payload_too_large',
      `The body is larger than ${max_bytes / mebibyte} MiB: send it in parts.`,
    );
  };
  const checkChunk = (chunk: Uint8Array) => {
    size += chunk.length;
    checkSize(size);
    // Every byte of every body passes here: a loop over an iterator, or without the table, takes three times as long.
    let index = escaped;
    for (; index < chunk.length; index++) {
      const kind = kinds[chunk[index] ?? 0];
      if (kind === 0) continue;
      if (kind === quote) isInString = !isInString;
      else if (!isInString && kind === value_start) values += 1;
      else if (isInString && kind === backslash) index += 1;
    }
    escaped = index - chunk.length;
    if (values > max_values) {
      throw new Problem('invalid_request', `The body has more than ${max_values} values.`);
    }
  };
  return { checkSize, checkChunk };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('body', 'is not valid JSON', 'The body is not valid JSON.');
  }
}
