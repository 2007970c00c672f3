import { Failure } from '../kit/errors/failure.ts';

const opening = '# >>> waybill completion >>>';
const closing = '# <<< waybill completion <<<';

/** The byte range of our lines in a file. */
interface Span {
  start: number;
  end: number;
}

/** Adds our lines to a settings file once; null if there is no file yet. All other bytes are unchanged. */
export function withBlock(text: Buffer | null, lines: readonly string[], file: string): Buffer {
  const block = Buffer.from([opening, ...lines, closing, ''].join('\n'));
  if (text === null) return block;
  const found = spanIn(text, file);
  if (found === null) return Buffer.concat([text, Buffer.from('\n'), block]);
  return Buffer.concat([text.subarray(0, found.start), block, text.subarray(found.end)]);
}

export function hasBlock(text: Buffer, file: string): boolean {
  return spanIn(text, file) !== null;
}

/** Removes our lines from the file; null if it does not contain them. */
export function withoutBlock(text: Buffer, file: string): Buffer | null {
  const found = spanIn(text, file);
  if (found === null) return null;
  // The preceding line break was added with them, but lines that were added later stay on their own line.
  const isFree = found.end === text.length || found.start < 2 || text[found.start - 2] === 0x0a;
  const start = found.start > 0 && isFree ? found.start - 1 : found.start;
  return Buffer.concat([text.subarray(0, start), text.subarray(found.end)]);
}

/** Throws Failure if the markers were changed, as our lines can no longer be identified. */
function spanIn(text: Buffer, file: string): Span | null {
  const [starts, ends] = [placesOf(opening, text), placesOf(closing, text)];
  const [start] = starts;
  const [end] = ends;
  if (start === undefined && end === undefined) return null;
  const isWhole = starts.length === 1 && ends.length === 1 && start !== undefined && end !== undefined;
  if (isWhole && start < end) return { start, end: Math.min(text.length, end + closing.length + 1) };
  throw new Failure(
    6,
    'completion_changed',
    `${file} was changed between the lines that mark what is ours.`,
    {
      hint: `Take out by hand what stands between "${opening}" and "${closing}", and these.`,
    },
  );
}

/** The positions of lines with this text. */
function placesOf(line: string, text: Buffer): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + 1)) {
    if (at === 0 || text[at - 1] === 0x0a) places.push(at);
  }
  return places;
}
