import { Writable } from 'node:stream';
import { type Frame, uncoloured } from './frame.ts';
import type { Board } from './screen.ts';

const sequence = '\u001b';
const csi = `${sequence}\\[`;
/** How a prompt is drawn: what stood there is erased, then come its lines, and the cursor goes to its place. */
const drawing = new RegExp(
  `^(?:${csi}\\d+B)?(?:${csi}2K(?:${csi}1A)?)*(?:${csi}G)?([^]*?)(?:${csi}(\\d+)A)?${csi}(\\d+)G$`,
);
const moving = new RegExp(`^${csi}(\\d+)G$`);
const hiding = `${sequence}[?25l`;
/** So wide that no prompt breaks its lines itself. */
const endless = 1_000_000;

/** What the prompts write on, in place of the terminal: the board draws what they show. */
export function inquired(board: Board, isColoured: boolean): NodeJS.WritableStream {
  const stream = new Writable({
    write: (chunk, _, done) => {
      const frame = frameAfter(String(chunk), board.frame);
      if (frame !== null) board.show(isColoured ? frame : plain(frame));
      done();
    },
  });
  return Object.defineProperty(stream, 'columns', { value: endless });
}

/** The frame that a chunk draws; null where it draws none. */
function frameAfter(chunk: string, frame: Frame | null): Frame | null {
  const [, moved] = moving.exec(chunk) ?? [];
  if (moved !== undefined) {
    if (frame === null || frame.cursor === null) return null;
    return { ...frame, cursor: { ...frame.cursor, column: Number(moved) - 1 } };
  }
  const [, text, below = '0', column = '1'] = drawing.exec(chunk) ?? [];
  if (text === undefined) return null;
  const lines = text.replaceAll(hiding, '').split('\n');
  const spot = { line: lines.length - 1 - Number(below), column: Number(column) - 1 };
  return { lines, cursor: text.includes(hiding) ? null : spot };
}

function plain({ lines, cursor }: Frame): Frame {
  return { lines: lines.map(uncoloured), cursor };
}
