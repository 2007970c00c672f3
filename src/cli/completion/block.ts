import { Failure } from '../kit/errors/failure.ts';

const opening = '# >>> waybill completion >>>';
const closing = '# <<< waybill completion <<<';

/** Our lines among those of others, by the bytes of a file: where they begin and where they end. */
interface Span {
  start: number;
  end: number;
}

/**
 * A settings file with our lines in it, once; null where there is no file yet. Whatever else stands there stays as it
 * is, to the byte.
 */
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

/** The file as it would be had our lines never stood there; null where they do not. */
export function withoutBlock(text: Buffer, file: string): Buffer | null {
  const found = spanIn(text, file);
  if (found === null) return null;
  // The line break in front of them came with them; but what came later stays on a line of its own.
  const isFree = found.end === text.length || found.start < 2 || text[found.start - 2] === 0x0a;
  const start = found.start > 0 && isFree ? found.start - 1 : found.start;
  return Buffer.concat([text.subarray(0, start), text.subarray(found.end)]);
}

/** Throws Failure where the marks were changed: then nobody knows any more which lines are ours. */
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

/** Where a line with this text begins. */
function placesOf(line: string, text: Buffer): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + 1)) {
    if (at === 0 || text[at - 1] === 0x0a) places.push(at);
  }
  return places;
}
