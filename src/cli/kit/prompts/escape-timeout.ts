import { createInterface, emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';

/** So long an escape waits for the rest of a key such as an arrow, which comes at once, or nearly so over a network. */
const escape_ms = 50;

/**
 * Has a stream tell its keys, and Esc as soon as it is known to be one: left to the prompts, that is half a second.
 * It is to be called before the first of them, as the first who asks for keys settles that.
 */
export function tellKeys(input: NodeJS.ReadableStream): void {
  // The time is that of a reader of lines, and theirs is not for us to make: this one reads nothing.
  const reader = createInterface({ input: new PassThrough(), escapeCodeTimeout: escape_ms });
  emitKeypressEvents(input, reader);
  reader.close();
}
