import { PassThrough, Writable } from 'node:stream';
import { Terminal } from '@xterm/headless';
import { plainPalette } from '../../../../src/cli/kit/output/colour.ts';
import { terminalPrompts } from '../../../../src/cli/kit/prompts/terminal-prompts.ts';
import { timer } from '../../../../src/cli/kit/system/streams.ts';

interface Size {
  columns: number;
  rows?: number;
}

/** A terminal that displays its input. */
function fakeTerminal({ columns, rows = 60 }: Size) {
  const screen = new Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let text = '';
  const writable = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk);
      screen.write(String(chunk));
      done();
    },
  });
  // Like a standard stream of the process, it is not closed with a prompt.
  const output = Object.assign(writable, { columns, rows, _isStdio: true });
  const flushed = () => new Promise<void>((resolve) => screen.write('', resolve));
  const linesFrom = (first: number): string[] => {
    const { active } = screen.buffer;
    const all = Array.from({ length: active.length }, (_, at) =>
      (active.getLine(at)?.translateToString(true) ?? '').trimEnd(),
    );
    return all.slice(first, all.findLastIndex((line) => line !== '') + 1);
  };
  return {
    output,
    written: () => text,
    /** All lines, including scrolled ones, without trailing empty ones. */
    lines: async (): Promise<string[]> => {
      await flushed();
      return linesFrom(0);
    },
    visibleLines: async (): Promise<string[]> => {
      await flushed();
      return linesFrom(screen.buffer.active.baseY);
    },
  };
}

/** Real prompts on such a terminal, without color. */
export function promptsOn(size: Size, signal = new AbortController().signal) {
  const terminal = fakeTerminal(size);
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const prompts = terminalPrompts({ input, output: terminal.output, timer, signal, palette: plainPalette });
  return { ...terminal, input, prompts };
}
