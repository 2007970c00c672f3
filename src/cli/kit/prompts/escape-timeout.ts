import { createInterface, emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';

/** How long to wait after an escape character for the rest of a key such as an arrow, also over a slow network. */
const escape_timeout_ms = 50;

/**
 * Has a stream report Esc after a shorter time than the half second of the prompts. Call it before the first prompt:
 * the first caller of emitKeypressEvents sets the timeout of a stream.
 */
export function shortenEscapeTimeout(input: NodeJS.ReadableStream): void {
  // The timeout is an option of a line reader. This one reads from an empty stream.
  const reader = createInterface({ input: new PassThrough(), escapeCodeTimeout: escape_timeout_ms });
  emitKeypressEvents(input, reader);
  reader.close();
}
