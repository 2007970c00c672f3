/** Pastes of several lines, such as an address from a mail: they are one answer, and no line of them is lost. */
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The lines of a paste as one: `43 E Ohio St, Chicago, IL 60611`. */
export function joinedLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => line !== '')
    .join(', ');
}

/** A terminal marks pastes by these sequences once it is told to (bracketed paste). */
const start_mark = '\u001b[200~';
const end_mark = '\u001b[201~';
const [marks_on, marks_off] = ['\u001b[?2004h', '\u001b[?2004l'];

interface Keyboard extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/**
 * A keyboard whose pastes are one line. A marked paste is not an answer until Enter is pressed; without marks, text that
 * arrives at once with line ends in it is a paste, too. Call `close` when the question is answered.
 */
export function withoutLineEnds(keyboard: Keyboard, output: NodeJS.WritableStream) {
  const decoder = new StringDecoder('utf8');
  let held = '';
  const keys = new PassThrough();
  const take = (chunk: Buffer | string) => {
    const text = held + (typeof chunk === 'string' ? chunk : decoder.write(chunk));
    const open = text.lastIndexOf(start_mark);
    const isOpen = open > text.lastIndexOf(end_mark);
    held = isOpen ? text.slice(open) : '';
    const ready = isOpen ? text.slice(0, open) : text;
    if (ready !== '') keys.write(typedText(ready));
  };
  keyboard.on('data', take);
  const markPastes = () => void output.write(marks_on);
  markPastes();
  const input = Object.assign(keys, {
    isTTY: keyboard.isTTY ?? false,
    setRawMode: (isRaw: boolean) => keyboard.setRawMode?.(isRaw),
    pause: () => {
      keyboard.pause();
      return PassThrough.prototype.pause.call(keys);
    },
    resume: () => {
      keyboard.resume();
      return PassThrough.prototype.resume.call(keys);
    },
  });
  return {
    input,
    markPastes,
    close: () => {
      keyboard.off('data', take);
      output.write(marks_off);
    },
  };
}

/** Text as typed: the line ends of pastes are commas. */
function typedText(text: string): string {
  const parts = text.split(start_mark).flatMap((part, index) => {
    const [pasted = '', typed = ''] = index === 0 ? ['', part] : part.split(end_mark);
    return [joinedLines(pasted.split(/[\r\n]+/)), unmarked(typed)];
  });
  return parts.join('');
}

function unmarked(text: string): string {
  const isKeys = text.includes('\u001b') || !/[\r\n]+[^\r\n]/.test(text);
  if (isKeys) return text;
  return joinedLines(text.split(/[\r\n]+/)) + (/[\r\n]$/.test(text) ? '\r' : '');
}

/** How long lines of a paste may follow the first one: a person needs longer for one. */
export const paste_ms = 30;

/** Lines typed before a question, such as while quotes are awaited, are no answer to it. */
export async function discardTypedLines({
  input,
  timer,
}: {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  timer(milliseconds: number, expired: () => void): () => void;
}): Promise<void> {
  if (input.isTTY !== true) return;
  const discard = () => {};
  input.on('data', discard).resume();
  await new Promise<void>((resolve) => void timer(paste_ms, resolve));
  input.off('data', discard).pause();
}
