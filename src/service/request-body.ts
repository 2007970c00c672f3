import { Problem } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import type { ReceivedRequest } from '../contract/wire.ts';
import type { Timers } from './ports/time.ts';

const mebibyte = 1024 * 1024;
const standard_limit = mebibyte;

/** More than any request can need: 300 orders of 50 items each hold 67,000 values. */
const max_values = 75_000;

/** Characters that are scanned before other work has its turn. */
const scan_length = mebibyte;

/**
 * Reads the body as JSON; `{}` where there is none. What the headers and sizes tell is refused before anything is read or
 * parsed. Throws `unsupported_media_type`, `payload_too_large` and `invalid_request`.
 */
export async function readJsonBody(
  request: Pick<ReceivedRequest, 'headers' | 'body'>,
  operation: Pick<Operation, 'body_limit'>,
  timers: Timers,
): Promise<unknown> {
  if (request.body === '') return {};
  refuseMediaType(request.headers);
  const text = await readText(request.body, operation.body_limit ?? standard_limit);
  if (text === '') return {};
  await refuseManyValues(text, timers);
  const value = parse(text);
  if (text.length > scan_length) await timers.turn();
  return value;
}

/** The refusal of a body that is larger than its operation takes. */
export function bodyTooLarge(max_bytes: number): Problem {
  return new Problem('payload_too_large', `The body is larger than ${max_bytes / mebibyte} MiB.`);
}

function refuseMediaType(headers: Record<string, string>): void {
  const type = headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', `The body must be application/json, not ${type}.`);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^\s*identity\s*$/i.test(encoding)) {
    const message = `The body must be sent without Content-Encoding, not as ${encoding}.`;
    throw new Problem('unsupported_media_type', message);
  }
}

async function readText(body: ReceivedRequest['body'], max_bytes: number): Promise<string> {
  if (typeof body === 'function') return body(max_bytes);
  if (body.length > max_bytes || Buffer.byteLength(body) > max_bytes) throw bodyTooLarge(max_bytes);
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = { path: 'body', message: 'is not JSON' };
    throw new Problem('invalid_request', 'The body is not JSON.', [fault]);
  }
}

const [quote, backslash, comma, bracket, brace] = Array.from('"\\,[{', (sign) => sign.charCodeAt(0));

/**
 * Counts the values of a JSON text before it is parsed, as parsing cannot be interrupted: each value follows a comma or
 * opens an array or object. Throws `invalid_request` where there are too many.
 */
async function refuseManyValues(text: string, timers: Timers): Promise<void> {
  // Two characters are the least that a value takes.
  if (text.length < 2 * max_values) return;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < text.length; ) {
    const end = Math.min(text.length, index + scan_length);
    for (; index < end; index++) {
      const sign = text.charCodeAt(index);
      if (isInString && sign === backslash) index++;
      else if (sign === quote) isInString = !isInString;
      else if (!isInString && (sign === comma || sign === bracket || sign === brace)) values++;
    }
    if (values > max_values) {
      throw new Problem('invalid_request', `The body holds more than ${max_values} values.`);
    }
    await timers.turn();
  }
}
