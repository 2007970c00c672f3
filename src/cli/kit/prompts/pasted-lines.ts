/** Makes one answer of a paste of several lines, such as an address, so that no line answers the next question. */
import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Host } from '../host/host.ts';

/** The lines of a paste as one: `43 E Ohio St, Chicago, IL 60611`. */
export function joinedLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim().replace(/,$/, ''))
    .filter((line) => line !== '')
    .join(', ');
}

/** The sequences that mark a paste, once the program has switched bracketed paste on. */
const start_mark = '\u001b[200~';
const end_mark = '\u001b[201~';
const [marks_on, marks_off] = ['\u001b[?2004h', '\u001b[?2004l'];

interface Keyboard extends NodeJS.ReadableStream {
  isTTY?: boolean;
  setRawMode?(isRaw: boolean): unknown;
}

/**
 * Wraps a keyboard so that a paste is one line. A marked paste is not an answer until Enter is pressed. From a terminal
 * without marks, text that arrives at once with line ends in it is a paste. Call `close` when the question is answered.
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

/** Replaces the line ends of pastes in a text by commas. */
function typedText(text: string): string {
  const parts = text.split(start_mark).flatMap((part, index) => {
    const [pasted = '', typed = ''] = index === 0 ? ['', part] : part.split(end_mark);
    return [joinedLines(pasted.split(/[\r\n]+/)), withoutInnerLineEnds(typed)];
  });
  return parts.join('');
}

/** Joins the lines of an unmarked paste: a text with more after a line end. A key such as an arrow is left as it is. */
function withoutInnerLineEnds(text: string): string {
  const isPaste = !text.includes('\u001b') && /[\r\n]+[^\r\n]/.test(text);
  if (!isPaste) return text;
  return joinedLines(text.split(/[\r\n]+/)) + (/[\r\n]$/.test(text) ? '\r' : '');
}

/** How long lines of a paste may follow the first one: shorter than a person needs to type one. */
export const paste_ms = 30;

/** Discards lines that were typed before a question, such as during a wait for quotes, as they do not answer it. */
export async function discardTypedLines({
  input,
  timer,
}: Pick<Host, 'timer'> & { input: NodeJS.ReadableStream & { isTTY?: boolean } }): Promise<void> {
  if (input.isTTY !== true) return;
  const discard = () => {};
  input.on('data', discard).resume();
  await new Promise<void>((resolve) => void timer(paste_ms, resolve));
  input.off('data', discard).pause();
}
