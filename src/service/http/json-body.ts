import { Problem } from '../../contract/errors.ts';
import type { BodyCheck, Operation, ReceivedRequest } from '../../contract/operation.ts';
import type { Timers } from '../runtime/time.ts';
import type { Holder } from './admission.ts';
import { invalidField } from './answers.ts';

const mebibyte = 1024 * 1024;
const standard_limit = mebibyte;

/** More than any valid request: 300 orders of 50 items each have 67,000 values. */
const max_values = 75_000;

/**
 * Reads the body as JSON; `{}` if it is empty. Excessive headers and sizes are rejected before the body is read and
 * parsed, because parsing cannot be interrupted. Throws `unsupported_media_type`, `payload_too_large` and
 * `invalid_request`.
 */
export async function readJsonBody(
  request: Pick<ReceivedRequest, 'headers' | 'body'>,
  operation: Pick<Operation, 'body_limit'>,
  holder: Holder,
  timers: Timers,
): Promise<unknown> {
  if (request.body === '') return {};
  refuseMediaType(request.headers);
  const text = await readText(request, operation.body_limit ?? standard_limit, holder);
  if (text === '') return {};
  const value = parse(text);
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
export async function readText(
  { body }: Pick<ReceivedRequest, 'body'>,
  max_bytes: number,
  holder: Holder,
): Promise<string> {
  const check = createBodyCheck(max_bytes);
  if (typeof body === 'function') return body(check, holder);
  const bytes = Buffer.from(body);
  check.length(bytes.length);
  check.next(bytes);
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
  const length = (bytes: number) => {
    if (bytes <= max_bytes) return;
    throw new Problem('payload_too_large', `The body is larger than ${max_bytes / mebibyte} MiB.`);
  };
  const next = (chunk: Uint8Array) => {
    size += chunk.length;
    length(size);
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
  return { length, next };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('body', 'is not valid JSON', 'The body is not valid JSON.');
  }
}
